//! The terms of one NF's drop, competitor by competitor.

use super::{Cause, Source};
use crate::instance::{Instance, Pattern, Side};
use crate::roles::{Role, roles};

/// A placed NF and its part in Eq. 9-11.
pub struct Seat {
    /// Index of its chain.
    pub chain: usize,
    /// Position in the chain.
    pub position: usize,
    /// Where it stands.
    pub node: u16,
    weight: f64,
    role: Role,
    run: usize, // index of its run's head among the seats
}

impl Seat {
    fn side<'a>(&self, instance: &'a Instance) -> &'a Side {
        let nf = &instance.chains[self.chain].nfs[self.position];
        if self.role.is_local() { &nf.local } else { &nf.remote }
    }
}

/// All placed NFs in the order of chains and positions.
pub fn seats(instance: &Instance, assignment: &[Option<Pattern>]) -> Vec<Seat> {
    let mut seats: Vec<Seat> = Vec::new();
    for (chain, (data, pattern)) in instance.chains.iter().zip(assignment).enumerate() {
        let mut run = seats.len();
        let pattern = pattern.as_deref().unwrap_or_default();
        for (position, (node, nf, role)) in roles(&data.nfs, data.ingress, pattern).enumerate() {
            if role.without_cache() {
                run = seats.len();
            }
            seats.push(Seat { chain, position, node, weight: nf.weight, role, run });
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
    let local = victim.role.is_local();
    // In R_k a remote run counts by its head only, and not against its own NFs (Eq. 11).
    let competes = together && (local || (other.role.leads() && other.run != victim.run));
    let llc = if competes && !victim.role.without_cache() { side.alpha * other.weight } else { 0.0 };
    let mem = if together || local { side.beta * other.weight } else { 0.0 };
    (llc, mem)
}

/// The parts that no NF causes: background, the constants 1, C.
pub fn other_causes(instance: &Instance, victim: &Seat, node_id: impl Fn(usize) -> String) -> Vec<Cause> {
    let side = victim.side(instance);
    let mut causes = Vec::new();
    for (node, &weight) in instance.background.iter().enumerate() {
        let together = node == victim.node as usize;
        let llc = if together && !victim.role.without_cache() { side.alpha * weight } else { 0.0 };
        let mem = if together || victim.role.is_local() { side.beta * weight } else { 0.0 };
        causes.push(Cause::new(Source::Background { node: node_id(node) }, llc, mem));
    }
    if victim.role.without_cache() {
        causes.push(Cause::new(
            if victim.role.is_local() { Source::Chaining } else { Source::Remote },
            side.alpha,
            0.0,
        ));
    }
    causes.push(Cause { fixed: side.c, ..Cause::new(Source::Fixed, 0.0, 0.0) });
    causes
}
