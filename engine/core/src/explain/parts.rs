//! The terms of one NF's drop, competitor by competitor.

use super::{Cause, Source};
use crate::instance::{Instance, Pattern, Side};

/// A placed NF and its part in Eq. 9-11.
pub struct Seat {
    /// Index of its chain.
    pub chain: usize,
    /// Position in the chain.
    pub position: usize,
    /// Where it stands.
    pub node: u16,
    weight: f64,
    local: bool,
    head: bool, // first of a run
    run: usize, // index of its run's head among the seats
}

impl Seat {
    fn side<'a>(&self, instance: &'a Instance) -> &'a Side {
        let nf = &instance.chains[self.chain].nfs[self.position];
        if self.local { &nf.local } else { &nf.remote }
    }

    /// Its llc is the constant 1: its packets come from another node.
    fn without_cache(&self) -> bool {
        self.head && (self.position > 0 || !self.local)
    }
}

/// All placed NFs in the order of chains and positions.
pub fn seats(instance: &Instance, assignment: &[Option<Pattern>]) -> Vec<Seat> {
    let mut seats: Vec<Seat> = Vec::new();
    for (chain, (data, pattern)) in instance.chains.iter().zip(assignment).enumerate() {
        let (mut before, mut run) = (u16::MAX, 0);
        for (position, (nf, &node)) in data.nfs.iter().zip(pattern.iter().flatten()).enumerate() {
            let head = node != before;
            if head {
                run = seats.len();
            }
            seats.push(Seat { chain, position, node, weight: nf.weight, local: node == data.ingress, head, run });
            before = node;
        }
    }
    seats
}

/// What `other` adds to the victim's drop: by the cache, by memory or interconnect.
pub fn harm(instance: &Instance, victim: &Seat, other: &Seat) -> (f64, f64) {
    if (victim.chain, victim.position) == (other.chain, other.position) {
        return (0.0, 0.0);
    }
    let side = victim.side(instance);
    let together = victim.node == other.node;
    // In R_k a remote run counts by its head only, and not against its own NFs (Eq. 11).
    let competes = together && (victim.local || ((other.local || other.head) && other.run != victim.run));
    let llc = if competes && !victim.without_cache() { side.alpha * other.weight } else { 0.0 };
    let mem = if together || victim.local { side.beta * other.weight } else { 0.0 };
    (llc, mem)
}

/// The parts that no NF causes: background, the constants 1, C.
pub fn other_causes(instance: &Instance, victim: &Seat, node_id: impl Fn(usize) -> String) -> Vec<Cause> {
    let side = victim.side(instance);
    let mut causes = Vec::new();
    for (node, &weight) in instance.background.iter().enumerate() {
        let together = node == victim.node as usize;
        let llc = if together && !victim.without_cache() { side.alpha * weight } else { 0.0 };
        let mem = if together || victim.local { side.beta * weight } else { 0.0 };
        causes.push(Cause::new(Source::Background { node: node_id(node) }, llc, mem));
    }
    if victim.without_cache() {
        causes.push(Cause::new(if victim.local { Source::Chaining } else { Source::Remote }, side.alpha, 0.0));
    }
    causes.push(Cause { fixed: side.c, ..Cause::new(Source::Fixed, 0.0, 0.0) });
    causes
}
