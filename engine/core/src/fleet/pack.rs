//! The first aim after the first choice: more summed value, by changing who is accepted and who makes room.
//!
//! Each step raises the summed value, so this ends. Three kinds of step, until none helps:
//! - repack: the best subset of a host's newcomers and the unplaced, a knapsack over its seats, exact for that host (of a
//!   group that is kept apart one at most);
//! - shift: a newcomer goes to another host and makes room for an unplaced chain;
//! - trade: two newcomers of different lengths change hosts, so that free seats meet where an unplaced chain fits.

use std::collections::{HashMap, HashSet};

use crate::fleet::apart;
use crate::fleet::choose::Chooser;
use crate::fleet::demand::Demand;
use crate::fleet::plan::Plan;
use crate::fleet::state::State;
use crate::fleet::watch::{Point, Watch};
use crate::rank::close;

const MOST_CELLS: usize = 1 << 22; // of a knapsack's table; larger hosts are not repacked

/// Raise the summed value; returns the steps taken.
pub fn pack(plan: &mut Plan, chooser: &mut Chooser, watch: &mut Watch, until: Point) -> u64 {
    let mut steps = 0;
    loop {
        let before = steps;
        for host in 0..plan.states.len() {
            if watch.passed(until) {
                return steps;
            }
            steps += u64::from(repack(plan, host, &mut watch.progress.evaluations));
        }
        steps += seat_unplaced(plan, chooser, watch, until);
        let mut hopeless = HashSet::new();
        for rank in plan.unplaced() {
            let waiting = &plan.roster.waiting[rank as usize];
            let case = (waiting.entry, waiting.demand.length, waiting.demand.apart);
            if watch.passed(until) {
                return steps;
            }
            if !hopeless.contains(&case) {
                if make_room(plan, chooser, rank, &mut watch.progress.evaluations) {
                    hopeless.clear();
                    steps += 1;
                } else {
                    hopeless.insert(case);
                }
            }
        }
        if steps == before {
            return steps;
        }
    }
}

fn seat_unplaced(plan: &mut Plan, chooser: &mut Chooser, watch: &mut Watch, until: Point) -> u64 {
    let mut seated = 0;
    for rank in plan.unplaced() {
        if watch.passed(until) {
            break;
        }
        if let Some(choice) = chooser.choose(plan, rank, None, None, &mut watch.progress.evaluations) {
            seated += u64::from(plan.seat(rank, choice.host, choice.pattern));
        }
    }
    seated
}

/// Exchange newcomers of a host for unplaced chains of more value.
fn repack(plan: &mut Plan, host: usize, evaluations: &mut u64) -> bool {
    let roster = plan.roster;
    let open = roster.hosts[host].open_seats();
    let mut items: Vec<u32> = plan.states[host].newcomers().collect();
    let kept = items.len();
    let mut listed = HashMap::new();
    for rank in plan.unplaced() {
        let Demand { length, apart, .. } = roster.waiting[rank as usize].demand;
        let length = u64::from(length);
        if length > open || roster.ingress(rank as usize, host).is_none() {
            continue;
        }
        if apart.is_some_and(|apart| !apart::admits(apart, &roster.hosts[host].running)) {
            continue;
        }
        let same: &mut u64 = listed.entry((length, apart)).or_default();
        if *same < if apart.is_some_and(|apart| !apart.by_node) { 1 } else { open / length } {
            *same += 1; // of chains of one length only the most valuable can be of use
            items.push(rank);
        }
    }
    if items.len() == kept {
        return false;
    }
    let value = |rank: u32| roster.waiting[rank as usize].demand.value;
    let lengths: Vec<usize> = items.iter().map(|&rank| roster.waiting[rank as usize].demand.length as usize).collect();
    let seats = lengths.iter().sum::<usize>().min(usize::try_from(open).unwrap_or(usize::MAX));
    if seats.saturating_mul(items.len()) > MOST_CELLS {
        return false;
    }
    let values: Vec<f64> = items.iter().map(|&rank| value(rank)).collect();
    let chosen = knapsack(&lengths, &values, &one_of(plan, &items), seats);
    let sum = |picked: &[usize]| picked.iter().map(|&item| values[item]).sum::<f64>();
    let before = values[..kept].iter().sum::<f64>();
    if sum(&chosen) <= before || close(sum(&chosen), before) {
        return false;
    }
    let ranks: Vec<u32> = chosen.iter().map(|&item| items[item]).collect();
    State::rebuilt(roster, host, &ranks, evaluations).map(|state| plan.put(host, state)).is_some()
}

/// Items of which a host takes one at most, each by itself where nothing keeps it apart; in the order of their firsts.
/// A group counts as one where a chain of it parts hosts; of those that part nodes, `State::rebuilt` says what fits.
fn one_of(plan: &Plan, items: &[u32]) -> Vec<Vec<usize>> {
    let apart = |item: usize| plan.roster.waiting[items[item] as usize].demand.apart;
    let parted: HashSet<u32> =
        (0..items.len()).filter_map(apart).filter(|apart| !apart.by_node).map(|apart| apart.group).collect();
    let mut known = HashMap::new();
    let mut found: Vec<Vec<usize>> = Vec::new();
    for item in 0..items.len() {
        if let Some(group) = apart(item).map(|apart| apart.group).filter(|group| parted.contains(group)) {
            let class = *known.entry(group).or_insert(found.len());
            if class < found.len() {
                found[class].push(item);
                continue;
            }
        }
        found.push(vec![item]);
    }
    found
}

/// Items of the greatest summed value within the seats, at most one of each class; equal sums prefer earlier items.
fn knapsack(lengths: &[usize], values: &[f64], classes: &[Vec<usize>], seats: usize) -> Vec<usize> {
    let mut best = vec![0.0f64; seats + 1]; // of the classes from here on, by seats
    let mut taken = vec![0u32; classes.len() * (seats + 1)]; // 0: none of the class, else 1 + its place there
    for (class, items) in classes.iter().enumerate().rev() {
        for room in (0..=seats).rev() {
            let (mut most, mut place) = (best[room], 0);
            for (index, &item) in items.iter().enumerate().rev().filter(|(_, item)| lengths[**item] <= room) {
                let with = best[room - lengths[item]] + values[item];
                if with >= most || close(with, most) {
                    (most, place) = (with, index as u32 + 1);
                }
            }
            best[room] = most;
            taken[class * (seats + 1) + room] = place;
        }
    }
    let mut room = seats;
    let mut chosen = Vec::new();
    for (class, items) in classes.iter().enumerate() {
        if let Some(place) = (taken[class * (seats + 1) + room] as usize).checked_sub(1) {
            chosen.push(items[place]);
            room -= lengths[items[place]];
        }
    }
    chosen
}

/// Seat an unplaced chain by moving others, none of which is given up.
fn make_room(plan: &mut Plan, chooser: &mut Chooser, rank: u32, evaluations: &mut u64) -> bool {
    let length = u64::from(plan.roster.waiting[rank as usize].demand.length);
    let doors = plan.roster.doors(rank as usize);
    for &(host, _) in doors {
        let host = host as usize;
        let missing = length.saturating_sub(plan.states[host].free);
        let newcomers: Vec<u32> = plan.states[host].newcomers().collect();
        for other in newcomers {
            if u64::from(plan.roster.waiting[other as usize].demand.length) < missing {
                continue;
            }
            if shift(plan, chooser, rank, host, other, evaluations)
                || trade(plan, rank, host, other, missing, evaluations)
            {
                return true;
            }
        }
    }
    false
}

/// `other` leaves the host for another one, `rank` takes its seats.
fn shift(plan: &mut Plan, chooser: &mut Chooser, rank: u32, host: usize, other: u32, evaluations: &mut u64) -> bool {
    let Some(choice) = chooser.choose(plan, other, Some(host), None, evaluations) else { return false };
    let roster = plan.roster;
    let stays = plan.states[host].newcomers().filter(|&one| one != other).chain([rank]);
    let here = State::rebuilt(roster, host, &stays.collect::<Vec<_>>(), evaluations);
    let there = plan.states[choice.host].with(roster, choice.host, other, choice.pattern);
    let (Some(here), Some(there)) = (here, there) else { return false };
    plan.put(host, here);
    plan.put(choice.host, there);
    true
}

/// `other` changes places with a shorter newcomer of another host that has seats for the difference.
fn trade(plan: &mut Plan, rank: u32, host: usize, other: u32, missing: u64, evaluations: &mut u64) -> bool {
    let roster = plan.roster;
    let length = |rank: u32| u64::from(roster.waiting[rank as usize].demand.length);
    for &(away, _) in roster.doors(other as usize) {
        let away = away as usize;
        let free = plan.states[away].free;
        if away == host || free < missing {
            continue;
        }
        let fits = |&shorter: &u32| {
            length(other) >= length(shorter) + missing
                && length(other) <= length(shorter) + free
                && roster.ingress(shorter as usize, host).is_some()
        };
        let Some(shorter) = plan.states[away].newcomers().find(fits) else { continue };
        let here = plan.states[host].newcomers().filter(|&one| one != other).chain([shorter, rank]);
        let here = State::rebuilt(roster, host, &here.collect::<Vec<_>>(), evaluations);
        let there = plan.states[away].newcomers().filter(|&one| one != shorter).chain([other]);
        let there = State::rebuilt(roster, away, &there.collect::<Vec<_>>(), evaluations);
        if let (Some(here), Some(there)) = (here, there) {
            plan.put(host, here);
            plan.put(away, there);
            return true;
        }
    }
    false
}
