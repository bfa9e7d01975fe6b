//! The fleet while it is being placed: what stands on every host, and who stands where.
//!
//! Hosts with equal content (same model, seats and chains) share an id of their content, so that what is found out
//! about one of them holds for all.

use std::collections::HashMap;

use crate::fleet::roster::{Host, Roster};
use crate::fleet::state::State;
use crate::instance::Pattern;

const MOST_REMEMBERED: usize = 1 << 15;

/// Who stands where.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Who is asked for, and where.
    pub roster: &'a Roster<'a>,
    /// By host.
    pub states: Vec<State>,
    /// The host of each waiting chain, by rank.
    pub host_of: Vec<Option<u32>>,
    /// True for hosts that changed since the flag was last cleared.
    pub changed: Vec<bool>,
    contents: Vec<u32>, // id of each host's content
    known: HashMap<Vec<u64>, u32>,
    next: u32,
}

impl<'a> Plan<'a> {
    /// Nobody is placed yet.
    pub fn new(roster: &'a Roster<'a>) -> Option<Self> {
        let hosts = 0..roster.hosts.len();
        let states = hosts
            .map(|host| State::new(roster, host, roster.hosts[host].running.clone()))
            .collect::<Option<Vec<_>>>()?;
        let count = states.len();
        let mut plan = Self {
            roster,
            states,
            host_of: vec![None; roster.waiting.len()],
            changed: vec![false; count],
            contents: vec![0; count],
            known: HashMap::new(),
            next: 0,
        };
        (0..count).for_each(|host| plan.identify(host));
        Some(plan)
    }

    /// Equal for hosts of equal content.
    #[inline]
    pub fn content(&self, host: usize) -> u32 {
        self.contents[host]
    }

    /// Ids of contents are below this.
    pub fn contents(&self) -> usize {
        self.next as usize
    }

    /// Replace a host's content; chains that came or went are booked.
    pub fn put(&mut self, host: usize, state: State) {
        for rank in self.states[host].newcomers() {
            if self.host_of[rank as usize] == Some(host as u32) {
                self.host_of[rank as usize] = None;
            }
        }
        for rank in state.newcomers() {
            self.host_of[rank as usize] = Some(host as u32);
        }
        self.states[host] = state;
        self.changed[host] = true;
        self.identify(host);
    }

    /// Seat a chain; false if it does not fit so.
    pub fn seat(&mut self, rank: u32, host: usize, pattern: Pattern) -> bool {
        let state = self.states[host].with(self.roster, host, rank, pattern);
        state.map(|state| self.put(host, state)).is_some()
    }

    /// Sum of the hosts' scores, before prices.
    pub fn score(&self) -> f64 {
        self.states.iter().map(State::score).sum()
    }

    /// Ranks of those without a host, rising.
    pub fn unplaced(&self) -> Vec<u32> {
        (0..self.host_of.len() as u32).filter(|&rank| self.host_of[rank as usize].is_none()).collect()
    }

    fn identify(&mut self, host: usize) {
        if self.known.len() > MOST_REMEMBERED {
            self.known.clear(); // equal contents met later merely get an id of their own
        }
        let key = key(&self.roster.hosts[host], &self.states[host]);
        let next = self.next;
        let id = *self.known.entry(key).or_insert(next);
        self.next = self.next.max(id + 1);
        self.contents[host] = id;
    }
}

/// All that a gain on this host depends on.
fn key(host: &Host, state: &State) -> Vec<u64> {
    let mut key = vec![host.model.map_or(u64::MAX, |model| model as u64), u64::from(host.asked.trusted)];
    key.push(host.seats.len() as u64);
    key.extend(host.seats.iter().chain(&host.spare).map(|&seats| u64::from(seats)));
    key.extend(host.background.iter().map(|background| background.to_bits()));
    for chain in &state.seated {
        let demand = &chain.demand;
        let apart = demand.apart.map_or(0, |apart| 1 + u64::from(apart.by_node) + 2 * u64::from(apart.group));
        key.extend([u64::from(chain.rank.is_some()) + 2 * apart, u64::from(demand.kind), demand.value.to_bits()]);
        key.extend([demand.rate.to_bits(), u64::from(chain.ingress)]);
        key.extend(chain.pattern.iter().map(|&node| u64::from(node)));
    }
    key
}
