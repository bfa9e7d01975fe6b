//! Which host takes a chain: the one where it gains most by the engine's prediction.
//!
//! Hosts are evaluated in the order of their promises, and the search ends as soon as no promise can beat the best
//! found: the choice is the same as if all had been evaluated (but a chain that has a host already looks at the most
//! promising `MOST_TRIED` only). Gains that agree in nine digits behind the point are
//! equal; then more free seats win, then the lower id.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

use crate::fleet::apart::Apart;
use crate::fleet::plan::Plan;
use crate::fleet::promise::promise;
use crate::fleet::state::Suit;
use crate::instance::Pattern;

const MOST_REMEMBERED: usize = 1 << 16;
const MOST_TRIED: usize = 24; // hosts evaluated for a chain that has a host already, the most promising ones

/// A host for a chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Index of the host.
    pub host: usize,
    /// How well it suits the chain.
    pub suit: Suit,
    /// Score of the host with the chain - without it; 0 where nothing is predicted.
    pub gain: f64,
    /// The node of every NF.
    pub pattern: Pattern,
}

/// What a choice must beat: a host that suits better, or gains above this on one that suits as well.
#[derive(Debug, Clone, Copy)]
pub struct Floor {
    /// How well the chain's host suits it.
    pub suit: Suit,
    /// The gain it has there.
    pub gain: f64,
}

/// What is known about a kind of chain at a kind of content.
#[derive(Debug, Clone)]
enum Known {
    Best(f64, Pattern),
    AtMost(f64),
}

/// Chooses hosts, and remembers equal cases.
#[derive(Debug, Default)]
pub struct Chooser {
    memo: HashMap<Case, Known>,
    seen: Vec<(u32, u16)>, // by content: the search that met it last, and the ingress then
    search: u32,
}

/// Content, kind, value, rate, ingress, group.
type Case = (u32, u32, u64, u64, u16, Option<Apart>);

/// Best first: key of the gain or its bound, free seats, lower host.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Order(f64, u64, Reverse<usize>);

impl Eq for Order {}

impl PartialOrd for Order {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Order {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then_with(|| (self.1, self.2).cmp(&(other.1, other.2)))
    }
}

/// Nine digits behind the point.
fn key(gain: f64) -> f64 {
    (gain * 1e9).round() / 1e9
}

impl Chooser {
    /// The best host but `except` that beats the floor; None: there is none.
    pub fn choose(
        &mut self,
        plan: &Plan,
        rank: u32,
        except: Option<usize>,
        floor: Option<Floor>,
        evaluations: &mut u64,
    ) -> Option<Choice> {
        let (suit, hosts) = best_suited(plan, rank, except)?;
        if floor.is_some_and(|floor| suit > floor.suit) {
            return None;
        }
        let least = floor.filter(|floor| floor.suit == suit).map_or(f64::NEG_INFINITY, |floor| floor.gain);
        if !suit.tier.predicts() {
            let host = hosts.into_iter().max_by_key(|&host| (plan.states[host].free, Reverse(host)))?;
            let found = plan.states[host].insertion(plan.roster, host, rank, least, evaluations)?;
            return Some(Choice { host, suit, gain: found.gain, pattern: found.pattern });
        }
        let mut candidates = self.candidates(plan, rank, hosts);
        let mut best: Option<(Order, Choice)> = None;
        let most = if floor.is_some() { MOST_TRIED } else { usize::MAX };
        for _ in 0..most {
            let Some(Order(bound, free, host)) = candidates.pop() else { break };
            let order = Order(bound, free, host);
            if bound < least || best.as_ref().is_some_and(|(found, _)| *found >= order) {
                break;
            }
            // A tie may still be won by more free seats: search from a little below.
            let needed = best.as_ref().map_or(least, |(found, _)| least.max(found.0 - 1e-9));
            if let Some((gain, pattern)) = self.gain(plan, rank, host.0, needed, evaluations) {
                let order = Order(key(gain), free, host);
                if best.as_ref().is_none_or(|(found, _)| order > *found) {
                    best = Some((order, Choice { host: host.0, suit, gain, pattern }));
                }
            }
        }
        best.map(|(_, choice)| choice)
    }

    /// One host of each content (the lowest), by its promise.
    fn candidates(&mut self, plan: &Plan, rank: u32, hosts: Vec<usize>) -> BinaryHeap<Order> {
        self.search += 1;
        self.seen.resize(plan.contents().max(self.seen.len()), (0, 0));
        let mut found = Vec::with_capacity(hosts.len());
        for host in hosts {
            let state = &plan.states[host];
            let Some((view, newcomer)) = state.newcomer(plan.roster, host, rank) else { continue };
            let seen = &mut self.seen[plan.content(host) as usize];
            if *seen == (self.search, newcomer.ingress) {
                continue;
            }
            *seen = (self.search, newcomer.ingress);
            let spare = &plan.roster.hosts[host].spare;
            let bound = promise(view, newcomer, |node| state.room[node] > 0 || spare[node] > 0);
            found.push(Order(key(bound), state.free, Reverse(host)));
        }
        BinaryHeap::from(found)
    }

    /// What the chain gains on a host, if more than `floor`.
    fn gain(
        &mut self,
        plan: &Plan,
        rank: u32,
        host: usize,
        floor: f64,
        evaluations: &mut u64,
    ) -> Option<(f64, Pattern)> {
        let ingress = plan.roster.ingress(rank as usize, host)?;
        let demand = plan.roster.waiting[rank as usize].demand;
        let case =
            (plan.content(host), demand.kind, demand.value.to_bits(), demand.rate.to_bits(), ingress, demand.apart);
        match self.memo.get(&case) {
            Some(Known::Best(gain, pattern)) => return (*gain > floor).then(|| (*gain, pattern.clone())),
            Some(Known::AtMost(most)) if *most <= floor => return None,
            _ => {}
        }
        if self.memo.len() >= MOST_REMEMBERED {
            self.memo.clear();
        }
        let found = plan.states[host].insertion(plan.roster, host, rank, floor, evaluations);
        let found = found.map(|found| (found.gain, found.pattern));
        let known = found.as_ref().map_or(Known::AtMost(floor), |(gain, pattern)| Known::Best(*gain, pattern.clone()));
        self.memo.insert(case, known);
        found
    }
}

/// The hosts with room that suit the chain best, by id.
fn best_suited(plan: &Plan, rank: u32, except: Option<usize>) -> Option<(Suit, Vec<usize>)> {
    let roster = plan.roster;
    let demand = &roster.waiting[rank as usize].demand;
    let mut found: Option<(Suit, Vec<usize>)> = None;
    for &(host, _) in roster.doors(rank as usize) {
        let host = host as usize;
        let state = &plan.states[host];
        if Some(host) == except || state.free < u64::from(demand.length) {
            continue;
        }
        if demand.apart.is_some() && state.room_for(roster, host, rank).is_none() {
            continue;
        }
        let suit = state.suit(roster, host, demand);
        match &mut found {
            Some((best, hosts)) if *best == suit => hosts.push(host),
            Some((best, _)) if *best < suit => {}
            _ => found = Some((suit, vec![host])),
        }
    }
    found
}

/// Without any evaluation, for when a limit is reached: the most free host of those that suit best, filled.
pub fn quickly(plan: &Plan, rank: u32) -> Option<(usize, Pattern)> {
    let (_, hosts) = best_suited(plan, rank, None)?;
    let host = hosts.into_iter().max_by_key(|&host| (plan.states[host].free, Reverse(host)))?;
    let ingress = plan.roster.ingress(rank as usize, host)?;
    let length = plan.roster.waiting[rank as usize].demand.length;
    let by_node = plan.roster.waiting[rank as usize].demand.apart.is_some_and(|apart| apart.by_node);
    let mut room = plan.states[host].room_for(plan.roster, host, rank)?;
    if by_node && let Some(whole) = room.iter().position(|&seats| seats >= length) {
        room.iter_mut().enumerate().filter(|(node, _)| *node != whole).for_each(|(_, seats)| *seats = 0);
    }
    Some((host, crate::fleet::seats::fill(&room, ingress, length)?))
}
