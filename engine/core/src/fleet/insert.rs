//! The best nodes for one newcomer while everything else on the host stays: it gains value x its throughput - what the
//! others lose.
//!
//! Up to `MOST_PATTERNS` patterns: exact, depth first, cut by a bound that each seated NF can only lower. Longer chains:
//! descent from a few whole-chain placements by moving runs of NFs, which finds a local optimum only.

use crate::fleet::demand::Newcomer;
use crate::fleet::seats;
use crate::fleet::view::{Threats, View};
use crate::instance::{Nf, Pattern};
use crate::rank::TOLERANCE;
use crate::roles::{Role, roles};

/// Nodes to the power of NFs up to which the search is exact.
pub const MOST_PATTERNS: f64 = 4096.0;
const LONGEST_MOVE: usize = 8; // NFs that a step of the descent moves together

/// A placement of the newcomer.
#[derive(Debug, Clone, PartialEq)]
pub struct Insertion {
    /// The node of every NF.
    pub pattern: Pattern,
    /// Score with it - score without it.
    pub gain: f64,
}

/// The best insertion within `room` that gains more than `floor`; None if there is none. Counts judged patterns.
pub fn best(view: &View, room: &[u32], newcomer: Newcomer, floor: f64, evaluations: &mut u64) -> Option<Insertion> {
    let weight = newcomer.weight();
    let nodes = room.len();
    let mut order: Vec<u16> = (0..nodes as u16).filter(|&node| room[node as usize] > 0).collect();
    order.sort_by_key(|&node| node != newcomer.ingress);
    let threats = view.threats(weight);
    let mut search = Search {
        view,
        newcomer,
        server: view.weights.server + weight,
        identical_to: identical_to(view, room, &order, newcomer.ingress, &threats),
        threats,
        room: room.to_vec(),
        all: vec![0.0; nodes],
        heads: vec![0.0; nodes],
        pattern: Pattern::with_capacity(newcomer.nfs.len()),
        gain: floor,
        found: None,
        judged: 0,
    };
    if (order.len() as f64).powf(newcomer.nfs.len() as f64) <= MOST_PATTERNS {
        search.descend(&order, newcomer.rate, None);
    } else {
        search.polish(&order);
    }
    *evaluations += search.judged;
    search.found.map(|pattern| Insertion { pattern, gain: search.gain })
}

/// For each open node an earlier one that is its equal as long as the newcomer stands on neither.
fn identical_to(view: &View, room: &[u32], order: &[u16], ingress: u16, threats: &Threats) -> Vec<Option<u16>> {
    let figures = |node: u16| (view.weights.all[node as usize], view.weights.heads[node as usize]);
    let plain = |node: u16| node != ingress && !threats.on(node);
    let mut identical_to = vec![None; room.len()];
    for (index, &node) in order.iter().enumerate().filter(|(_, node)| plain(**node)) {
        let equal = |other: &&u16| {
            plain(**other) && figures(**other) == figures(node) && room[**other as usize] == room[node as usize]
        };
        identical_to[node as usize] = order[..index].iter().rev().find(equal).copied();
    }
    identical_to
}

struct Search<'a> {
    view: &'a View,
    newcomer: Newcomer<'a>,
    server: f64, // with the newcomer
    identical_to: Vec<Option<u16>>,
    threats: Threats,
    room: Vec<u32>,
    all: Vec<f64>,   // what the NFs of `pattern` add to M
    heads: Vec<f64>, // ... and to R
    pattern: Pattern,
    gain: f64,
    found: Option<Pattern>,
    judged: u64,
}

impl Search<'_> {
    /// Seat the next NF on every open node; `capacity`: the chain delivers no more, whatever follows; `before`: as of
    /// `Role::next`.
    fn descend(&mut self, order: &[u16], capacity: f64, before: Option<(u16, f64)>) {
        let position = self.pattern.len();
        let Some(nf) = self.newcomer.nfs.get(position) else {
            self.judge();
            return;
        };
        for &node in order {
            let k = node as usize;
            let identical_is_unused = self.identical_to[k].is_some_and(|other| !self.pattern.contains(&other));
            if self.room[k] == 0 || (identical_is_unused && !self.pattern.contains(&node)) {
                continue;
            }
            let sums = (self.all[k], self.heads[k]);
            let (role, head) = Role::next(nf, node, self.newcomer.ingress, before);
            self.add(nf, k, role);
            let capacity = capacity.min(self.mpps(nf, k, role));
            let bound = self.newcomer.value * capacity - self.threats.loss(&self.all, &self.heads);
            if bound > self.gain {
                self.room[k] -= 1;
                self.pattern.push(node);
                self.descend(order, capacity, Some((node, head)));
                self.pattern.pop();
                self.room[k] += 1;
            }
            (self.all[k], self.heads[k]) = sums;
        }
    }

    fn add(&mut self, nf: &Nf, k: usize, role: Role) {
        self.all[k] += nf.weight;
        if role.leads() {
            self.heads[k] += nf.weight;
        }
    }

    /// Throughput of one of its NFs on node k among what stands there and what has been added so far.
    fn mpps(&self, nf: &Nf, k: usize, role: Role) -> f64 {
        let (all, heads) = (self.view.weights.all[k] + self.all[k], self.view.weights.heads[k] + self.heads[k]);
        role.mpps(nf, all, heads, self.server)
    }

    /// Judge the complete pattern whose weights are added.
    fn judge(&mut self) {
        self.judged += 1;
        let mut capacity = self.newcomer.rate;
        for (node, nf, role) in roles(self.newcomer.nfs, self.newcomer.ingress, &self.pattern) {
            capacity = capacity.min(self.mpps(nf, node as usize, role));
        }
        let gain = self.newcomer.value * capacity - self.threats.loss(&self.all, &self.heads);
        if gain > self.gain {
            self.gain = gain;
            self.found = Some(self.pattern.clone());
        }
    }

    /// Descent from the fill and from every node that holds the whole chain.
    fn polish(&mut self, order: &[u16]) {
        let floor = std::mem::replace(&mut self.gain, f64::NEG_INFINITY);
        let length = self.newcomer.nfs.len();
        let whole = order.iter().filter(|&&node| self.room[node as usize] as usize >= length);
        let mut starts: Vec<Pattern> = whole.map(|&node| vec![node; length]).collect();
        starts.extend(seats::fill(&self.room, self.newcomer.ingress, length as u32));
        for start in &starts {
            self.judge_afresh(start);
        }
        while let Some(from) = self.found.clone() {
            let before = self.gain;
            for (start, node) in (0..length).flat_map(|start| order.iter().map(move |&node| (start, node))) {
                for end in start + 1..=length.min(start + LONGEST_MOVE) {
                    let mut next = from.clone();
                    next[start..end].fill(node);
                    self.judge_afresh(&next);
                }
            }
            if self.gain <= before + TOLERANCE * before.abs().max(1.0) {
                break;
            }
        }
        if self.gain <= floor {
            self.found = None;
        }
    }

    fn judge_afresh(&mut self, pattern: &[u16]) {
        self.all.fill(0.0);
        self.heads.fill(0.0);
        let mut used = vec![0; self.room.len()];
        for (node, nf, role) in roles(self.newcomer.nfs, self.newcomer.ingress, pattern) {
            used[node as usize] += 1;
            self.add(nf, node as usize, role);
        }
        if used.iter().zip(&self.room).all(|(used, room)| used <= room) {
            self.pattern = pattern.to_vec();
            self.judge();
        }
    }
}

#[cfg(test)]
mod tests;
