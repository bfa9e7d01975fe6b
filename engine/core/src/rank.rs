//! The order of aims: first the summed value of the accepted chains, then the score.
//!
//! score = sum of value x counted throughput - price x moved NFs. A move is an NF whose node differs from the initial
//! placement; the NFs of a new chain move for nothing.

use crate::instance::{Instance, Pattern, Side};
use crate::model;

/// Two scores closer than this (relative, or absolute below 1) are equal.
pub const TOLERANCE: f64 = 1e-9;

/// How good a placement is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rank {
    /// Summed value of the accepted chains.
    pub value: f64,
    /// Mpps x value - price x moves.
    pub score: f64,
}

impl Rank {
    /// The rank of an assignment; one evaluation of the model.
    pub fn of(instance: &Instance, assignment: &[Option<Pattern>]) -> Self {
        let mut rank = Self { value: 0.0, score: -instance.move_price * f64::from(moves(instance, assignment)) };
        for (chain, figures) in instance.chains.iter().zip(model::evaluate(instance, assignment)) {
            if let Some(figures) = figures {
                rank.value += chain.value;
                rank.score += chain.counted(figures.capacity);
            }
        }
        rank
    }

    /// True if better by more than rounding.
    pub fn beats(&self, other: &Self) -> bool {
        if !close(self.value, other.value) {
            return self.value > other.value;
        }
        self.score > other.score && !close(self.score, other.score)
    }
}

/// Equal within `TOLERANCE`.
pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0)
}

/// NFs whose node differs from the initial placement.
pub fn moves(instance: &Instance, assignment: &[Option<Pattern>]) -> u32 {
    instance.chains.iter().zip(assignment).map(|(chain, now)| now.as_ref().map_or(0, |now| chain.moves(now))).sum()
}

/// A rule that an assignment breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// An NF stands on a node that its pins exclude.
    Pin {
        /// Index of the chain.
        chain: usize,
        /// Position of the NF.
        position: usize,
        /// Where it stands.
        node: u16,
    },
    /// A node holds more NFs than it has free cores.
    Capacity {
        /// Index of the node.
        node: usize,
        /// NFs on it.
        need: u32,
    },
    /// More moves than allowed.
    Moves(u32),
}

/// What an assignment breaks; empty if nothing.
pub fn violations(instance: &Instance, assignment: &[Option<Pattern>]) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut used = vec![0u32; instance.nodes()];
    for (chain, (data, pattern)) in instance.chains.iter().zip(assignment).enumerate() {
        for (position, (nf, &node)) in data.nfs.iter().zip(pattern.iter().flatten()).enumerate() {
            used[node as usize] += 1;
            if instance.allowed(nf).binary_search(&node).is_err() {
                found.push(Violation::Pin { chain, position, node });
            }
        }
    }
    let full = used.iter().zip(&instance.free).enumerate().filter(|(_, (need, free))| need > free);
    found.extend(full.map(|(node, (&need, _))| Violation::Capacity { node, need }));
    let moved = moves(instance, assignment);
    if moved > instance.max_moves {
        found.push(Violation::Moves(moved));
    }
    found
}

/// No placement that accepts the same chains can score more: each chain as if it had the host to itself.
///
/// llc, mem and the price of moves are never negative, so throughput <= ideal (1 - c) on the better kind of node.
pub fn solo_bound(instance: &Instance, assignment: &[Option<Pattern>]) -> f64 {
    let mut bound = 0.0;
    for (chain, _) in instance.chains.iter().zip(assignment).filter(|(_, pattern)| pattern.is_some()) {
        let mut capacity = f64::INFINITY;
        for nf in &chain.nfs {
            let allowed = instance.allowed(nf);
            let local = allowed.binary_search(&chain.ingress).is_ok();
            let remote = allowed.len() > usize::from(local);
            let best = |stands: bool, side: &Side| if stands { side.mpps(0.0, 0.0) } else { f64::NEG_INFINITY };
            capacity = capacity.min(best(local, &nf.local).max(best(remote, &nf.remote)));
        }
        bound += chain.counted(capacity);
    }
    bound
}
