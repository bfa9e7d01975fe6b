//! Which NFs fit together: a flow of NFs, grouped by what distinguishes them, into the free cores of the nodes.
//!
//! Groups are (allowed nodes, node it runs on now). One NF is added at a time along a cheapest augmenting path, where a
//! path costs the moves it adds, so the flow has the fewest moves of all at every time (successive shortest paths); a set
//! of chains is feasible if and only if all of its NFs can be added.

use std::collections::{HashMap, VecDeque};

use crate::instance::{Assignment, Instance};

const NOWHERE: u16 = u16::MAX;
const NO_SEAT: usize = usize::MAX;

/// NFs that may be exchanged for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Group {
    allowed: u32, // index into `Instance::allowed_sets`
    home: u16,    // where it runs now; NOWHERE if moving is free
}

/// A change of the flow, for taking it back.
#[derive(Debug, Clone, Copy)]
struct Step {
    group: u32,
    from: u16, // NOWHERE: the NF was new
    to: u16,
}

/// Chains that have seats, as counts by group and node.
#[derive(Debug, Clone)]
pub struct Seats<'a> {
    instance: &'a Instance,
    groups: Vec<Group>,
    group_of: Vec<Vec<u32>>, // by chain and NF
    count: Vec<u32>,         // by group x nodes + node
    room: Vec<u32>,
    moves: u32,
    journal: Vec<Step>,
    effort: u64,
    first_open: Vec<(u64, usize)>, // by group: in this epoch no node before this one in its set has room
    epoch: u64,                    // a new one begins whenever seats are given back
}

impl<'a> Seats<'a> {
    /// Nobody has a seat yet.
    pub fn new(instance: &'a Instance) -> Self {
        let counted = instance.max_moves != u32::MAX; // otherwise moves are free as far as feasibility goes
        let mut index = HashMap::new();
        let mut groups = Vec::new();
        let mut group_of = Vec::with_capacity(instance.chains.len());
        for chain in &instance.chains {
            let homes = chain.initial.as_ref().filter(|_| counted);
            let of_chain = chain.nfs.iter().enumerate().map(|(position, nf)| {
                let home = homes.map_or(NOWHERE, |homes| homes[position]);
                let group = Group { allowed: nf.allowed, home };
                *index.entry(group).or_insert_with(|| {
                    groups.push(group);
                    groups.len() as u32 - 1
                })
            });
            group_of.push(of_chain.collect());
        }
        Self {
            instance,
            count: vec![0; groups.len() * instance.nodes()],
            room: instance.free.clone(),
            moves: 0,
            journal: Vec::new(),
            effort: 0,
            first_open: vec![(0, 0); groups.len()],
            epoch: 0,
            groups,
            group_of,
        }
    }

    /// The groups of a chain's NFs, rising: chains that agree here are interchangeable as far as feasibility goes.
    pub fn kind(&self, chain: usize) -> Vec<u32> {
        let mut kind = self.group_of[chain].clone();
        kind.sort_unstable();
        kind
    }

    /// Work done in searching for augmenting paths: groups looked at on nodes.
    pub fn effort(&self) -> u64 {
        self.effort
    }

    /// Mark to go back to with `undo`.
    pub fn mark(&self) -> usize {
        self.journal.len()
    }

    /// Take back all that was added since the mark.
    pub fn undo(&mut self, mark: usize) {
        self.epoch += u64::from(self.journal.len() > mark);
        while self.journal.len() > mark {
            let Some(step) = self.journal.pop() else { return };
            self.shift(Step { group: step.group, from: step.to, to: step.from });
        }
    }

    /// Seat a chain; false, and all as it was, if that cannot be.
    pub fn add(&mut self, chain: usize) -> bool {
        let mark = self.mark();
        for position in 0..self.group_of[chain].len() {
            if !self.add_nf(self.group_of[chain][position]) {
                self.undo(mark);
                return false;
            }
        }
        true
    }

    fn add_nf(&mut self, group: u32) -> bool {
        let instance = self.instance;
        let Group { allowed, home } = self.groups[group as usize];
        let allowed = &instance.allowed_sets[allowed as usize];
        // Within an epoch there are additions only: a full node stays full, and a group that found no seat finds none.
        let (epoch, open) = &mut self.first_open[group as usize];
        if *epoch != self.epoch {
            (*epoch, *open) = (self.epoch, 0);
        }
        if *open == NO_SEAT {
            return false;
        }
        if home == NOWHERE {
            while allowed.get(*open).is_some_and(|&node| self.room[node as usize] == 0) {
                *open += 1;
            }
            if let Some(&node) = allowed.get(*open) {
                self.take(Step { group, from: NOWHERE, to: node });
                return true;
            }
        } else if self.room[home as usize] > 0 && allowed.binary_search(&home).is_ok() {
            self.take(Step { group, from: NOWHERE, to: home });
            return true;
        }
        let seated = self.augment(group);
        if !seated {
            self.first_open[group as usize].1 = NO_SEAT;
        }
        seated
    }

    /// Seat an NF where others must make room, or where it must move, at the fewest moves.
    fn augment(&mut self, group: u32) -> bool {
        let nodes = self.room.len();
        let instance = self.instance;
        let mut cost = vec![i64::MAX; nodes];
        let mut into: Vec<Step> = vec![Step { group, from: NOWHERE, to: NOWHERE }; nodes];
        let mut queue = VecDeque::new();
        for &to in &instance.allowed_sets[self.groups[group as usize].allowed as usize] {
            cost[to as usize] = self.price(group, to);
            into[to as usize] = Step { group, from: NOWHERE, to };
            queue.push_back(to);
        }
        while let Some(from) = queue.pop_front() {
            for other in 0..self.groups.len() as u32 {
                if self.count[other as usize * nodes + from as usize] == 0 {
                    continue;
                }
                self.effort += 1;
                let leaving = cost[from as usize] - self.price(other, from);
                for &to in &instance.allowed_sets[self.groups[other as usize].allowed as usize] {
                    let reached = leaving + self.price(other, to);
                    if reached < cost[to as usize] {
                        cost[to as usize] = reached;
                        into[to as usize] = Step { group: other, from, to };
                        queue.push_back(to);
                    }
                }
            }
        }
        let open = (0..nodes).filter(|&node| self.room[node] > 0 && cost[node] < i64::MAX);
        let Some(end) = open.min_by_key(|&node| cost[node]) else { return false };
        if i64::from(self.moves) + cost[end] > i64::from(instance.max_moves) {
            return false;
        }
        let mut node = end as u16;
        while node != NOWHERE {
            let step = into[node as usize];
            self.take(step);
            node = step.from;
        }
        true
    }

    /// Moves of an NF of this group on this node.
    fn price(&self, group: u32, node: u16) -> i64 {
        let home = self.groups[group as usize].home;
        i64::from(home != NOWHERE && home != node)
    }

    fn take(&mut self, step: Step) {
        self.journal.push(step);
        self.shift(step);
    }

    fn shift(&mut self, step: Step) {
        let nodes = self.room.len();
        for (node, seated) in [(step.from, false), (step.to, true)] {
            if node == NOWHERE {
                continue;
            }
            let price = self.price(step.group, node) as u32;
            let count = &mut self.count[step.group as usize * nodes + node as usize];
            let room = &mut self.room[node as usize];
            if seated {
                (*count, *room, self.moves) = (*count + 1, *room - 1, self.moves + price);
            } else {
                (*count, *room, self.moves) = (*count - 1, *room + 1, self.moves - price);
            }
        }
    }

    /// Nodes for the NFs of the seated chains, which the caller names.
    pub fn assignment(&self, accepted: &[bool]) -> Assignment {
        let nodes = self.room.len();
        let mut left = self.count.clone();
        let mut assignment: Assignment = vec![None; accepted.len()];
        // The node a group hands out next; kept while it lasts, so that chains stay together where that is free.
        let mut next: Vec<usize> = vec![0; self.groups.len()];
        for (chain, _) in accepted.iter().enumerate().filter(|(_, taken)| **taken) {
            let seat = |&group: &u32| {
                let (row, node) = (group as usize * nodes, &mut next[group as usize]);
                while *node + 1 < nodes && left[row + *node] == 0 {
                    *node += 1;
                }
                left[row + *node] -= 1;
                *node as u16
            };
            assignment[chain] = Some(self.group_of[chain].iter().map(seat).collect());
        }
        assignment
    }
}
