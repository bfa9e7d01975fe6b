//! The second aim after the first choice: more summed score, at the same summed value.
//!
//! A newcomer is looked at if it gains less than it would alone on a host, by its regret. It goes to other nodes or to
//! another host where it gains more than it costs where it is, or it changes places with a newcomer of one of the
//! `NEIGHBOURS` hosts that promise it most. Or an unplaced chain of the same value gains more in its place. Each step raises the score. After the first round only chains on hosts that
//! have changed are looked at, and when a round gains too little, it was the last.

use crate::fleet::choose::{Chooser, Floor};
use crate::fleet::plan::Plan;
use crate::fleet::promise::promise;
use crate::fleet::state::{State, Suit};
use crate::fleet::watch::{Point, Watch};
use crate::rank::TOLERANCE;

const NEIGHBOURS: usize = 8;
const PAYS: f64 = 5e-4; // part of the score that a round must gain for another one

/// Raise the score by newcomers of the hosts to look at; returns the steps taken. Hosts that change are flagged.
pub fn exchange(plan: &mut Plan, chooser: &mut Chooser, mut look: Vec<bool>, watch: &mut Watch, until: Point) -> u64 {
    let mut steps = 0;
    let mut touched = plan.changed.clone();
    while look.contains(&true) {
        let before = plan.score();
        plan.changed.fill(false);
        for rank in 0..plan.host_of.len() as u32 {
            let Some(host) = plan.host_of[rank as usize].map(|host| host as usize) else { continue };
            if watch.passed(until) {
                break;
            }
            watch.progress.done = rank as usize;
            if look[host] || plan.changed[host] {
                let evaluations = &mut watch.progress.evaluations;
                let stepped = relocate(plan, chooser, rank, evaluations)
                    || swap(plan, rank, evaluations)
                    || substitute(plan, rank, evaluations);
                steps += u64::from(stepped);
            }
        }
        touched.iter_mut().zip(&plan.changed).for_each(|(touched, changed)| *touched |= changed);
        look.clone_from(&plan.changed);
        let after = plan.score();
        if after - before <= PAYS * after.abs() || watch.passed(until) {
            break;
        }
    }
    plan.changed = touched;
    steps
}

/// Rounding must not look like a gain.
fn slack(plan: &Plan, host: usize) -> f64 {
    TOLERANCE * plan.states[host].score().abs().max(1.0)
}

/// Where a newcomer is, what its host is without it, and what its host would lose.
struct Leaving {
    host: usize,
    suit: Suit,
    without: State,
    cost: f64,
}

/// None where nothing is predicted, or where the chain cannot leave alone.
fn leaving(plan: &Plan, rank: u32) -> Option<Leaving> {
    let host = plan.host_of[rank as usize]? as usize;
    let state = &plan.states[host];
    state.view.as_ref()?;
    let without = state.without(plan.roster, host, rank)?;
    let suit = suit_of(plan, rank, host, &without);
    Some(Leaving { host, suit, cost: state.score() - without.score(), without })
}

/// How well a newcomer's host suits it; `without`: the host without it.
fn suit_of(plan: &Plan, rank: u32, host: usize, without: &State) -> Suit {
    let demand = &plan.roster.waiting[rank as usize].demand;
    Suit { tier: plan.states[host].tier(plan.roster, host, demand), ..without.suit(plan.roster, host, demand) }
}

/// True if it could gain more elsewhere.
fn regrets(plan: &Plan, rank: u32, leaving: &Leaving) -> bool {
    plan.roster.solo_bound(rank as usize) > leaving.cost + slack(plan, leaving.host)
}

/// Other nodes, or another host; one that suits better in any case.
fn relocate(plan: &mut Plan, chooser: &mut Chooser, rank: u32, evaluations: &mut u64) -> bool {
    let Some(now) = leaving(plan, rank) else { return climb(plan, chooser, rank, evaluations) };
    if now.suit == Suit::BEST && !regrets(plan, rank, &now) {
        return false;
    }
    let roster = plan.roster;
    let gain = now.cost + slack(plan, now.host);
    let here = now.without.insertion(roster, now.host, rank, gain, evaluations);
    let floor = Floor { suit: now.suit, gain: here.as_ref().map_or(gain, |found| found.gain) };
    if let Some(choice) = chooser.choose(plan, rank, Some(now.host), Some(floor), evaluations) {
        return go(plan, rank, now.host, now.without, choice.host, choice.pattern);
    }
    let Some(state) = here.and_then(|found| now.without.with(roster, now.host, rank, found.pattern)) else {
        return false;
    };
    plan.put(now.host, state);
    true
}

/// From a host where nothing is predicted to one for which more speaks.
fn climb(plan: &mut Plan, chooser: &mut Chooser, rank: u32, evaluations: &mut u64) -> bool {
    let Some(host) = plan.host_of[rank as usize].map(|host| host as usize) else { return false };
    let Some(without) = plan.states[host].without(plan.roster, host, rank) else { return false };
    let floor = Floor { suit: suit_of(plan, rank, host, &without), gain: 0.0 };
    let Some(choice) = chooser.choose(plan, rank, Some(host), Some(floor), evaluations) else { return false };
    go(plan, rank, host, without, choice.host, choice.pattern)
}

fn go(plan: &mut Plan, rank: u32, from: usize, without: State, to: usize, pattern: Vec<u16>) -> bool {
    let Some(there) = plan.states[to].with(plan.roster, to, rank, pattern) else { return false };
    plan.put(from, without);
    plan.put(to, there);
    true
}

/// Change places with a newcomer of a promising host of the same tier.
fn swap(plan: &mut Plan, rank: u32, evaluations: &mut u64) -> bool {
    let Some(now) = leaving(plan, rank) else { return false };
    if !regrets(plan, rank, &now) {
        return false;
    }
    for away in promising(plan, rank, &now) {
        let others: Vec<u32> = plan.states[away].newcomers().collect();
        for other in others {
            if let Some((here, there)) = swapped(plan, rank, &now, other, evaluations) {
                plan.put(now.host, here);
                plan.put(away, there);
                return true;
            }
        }
    }
    false
}

/// Give its seats to an unplaced chain of the same value that gains more.
fn substitute(plan: &mut Plan, rank: u32, evaluations: &mut u64) -> bool {
    let roster = plan.roster;
    let Some(now) = leaving(plan, rank) else { return false };
    let mut floor = now.cost + slack(plan, now.host);
    let granted = plan.states[now.host].granted(roster, now.host);
    let mut found = None;
    for other in roster.equals(rank) {
        if plan.host_of[other as usize].is_some() || roster.solo_bound(other as usize) <= floor {
            continue;
        }
        let Some((view, newcomer)) = now.without.newcomer(roster, now.host, other) else { continue };
        if promise(view, newcomer, |_| true) <= floor {
            continue;
        }
        if let Some(better) = now.without.insertion(roster, now.host, other, floor, evaluations) {
            let state = now.without.with(roster, now.host, other, better.pattern);
            if let Some(state) = state.filter(|state| state.granted(roster, now.host) <= granted) {
                floor = better.gain;
                found = Some(state);
            }
        }
    }
    found.map(|state| plan.put(now.host, state)).is_some()
}

/// The hosts that would promise it most if they had the seats, if that is more than it has.
fn promising(plan: &Plan, rank: u32, now: &Leaving) -> Vec<usize> {
    let roster = plan.roster;
    let demand = &roster.waiting[rank as usize].demand;
    let mut found: Vec<(f64, usize)> = Vec::new();
    for &(host, _) in roster.doors(rank as usize) {
        let host = host as usize;
        let state = &plan.states[host];
        if host == now.host || state.tier(roster, host, demand) != now.suit.tier {
            continue;
        }
        let Some((view, newcomer)) = state.newcomer(roster, host, rank) else { continue };
        found.push((promise(view, newcomer, |_| true), host));
    }
    let count = found.len().min(NEIGHBOURS);
    if count < found.len() {
        found.select_nth_unstable_by(count, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    found.truncate(count);
    found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.into_iter().map(|(_, host)| host).collect()
}

/// Both hosts after the swap, if that raises the score.
fn swapped(plan: &Plan, rank: u32, now: &Leaving, other: u32, evaluations: &mut u64) -> Option<(State, State)> {
    let roster = plan.roster;
    roster.ingress(other as usize, now.host)?;
    let then = leaving(plan, other)?;
    let must = now.cost + then.cost + slack(plan, now.host) + slack(plan, then.host);
    let bound = |state: &State, host: usize, who: u32| {
        state.newcomer(roster, host, who).map(|(view, newcomer)| promise(view, newcomer, |_| true))
    };
    let theirs = bound(&now.without, now.host, other)?;
    if bound(&then.without, then.host, rank)? + theirs <= must {
        return None;
    }
    let there = then.without.insertion(roster, then.host, rank, must - theirs, evaluations)?;
    let here = now.without.insertion(roster, now.host, other, must - there.gain, evaluations)?;
    let here = now.without.with(roster, now.host, other, here.pattern)?;
    let there = then.without.with(roster, then.host, rank, there.pattern)?;
    let granted = |here: &State, there: &State| here.granted(roster, now.host) + there.granted(roster, then.host);
    let before = granted(&plan.states[now.host], &plan.states[then.host]);
    (granted(&here, &there) <= before).then_some((here, there))
}
