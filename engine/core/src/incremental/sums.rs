//! The sums a change shifts: weights and free cores by node, the server's weight, NFs moved. A shift can be judged and
//! then kept, or restored exactly.

use crate::instance::{Chain, Instance};
use crate::roles::roles;

/// New nodes for some chains, each chain at most once. Reused, so that proposing a change allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct Change {
    chains: Vec<(u32, u32)>, // chain, end of its nodes
    nodes: Vec<u16>,
}

impl Change {
    /// Change nothing.
    pub fn clear(&mut self) {
        self.chains.clear();
        self.nodes.clear();
    }

    /// Put a chain on these nodes, one an NF; none: reject it.
    pub fn push(&mut self, chain: usize, nodes: &[u16]) {
        self.nodes.extend_from_slice(nodes);
        self.chains.push((chain as u32, self.nodes.len() as u32));
    }

    /// True if the chain is already part of the change.
    pub fn contains(&self, chain: usize) -> bool {
        self.chains.iter().any(|&(known, _)| known as usize == chain)
    }

    /// The chains and their new nodes; empty: rejected.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[u16])> {
        let mut from = 0;
        self.chains.iter().map(move |&(chain, end)| {
            let nodes = &self.nodes[from..end as usize];
            from = end as usize;
            (chain as usize, nodes)
        })
    }

    /// True if no chain changes.
    pub fn is_empty(&self) -> bool {
        self.chains.is_empty()
    }
}

#[derive(Debug, Clone, Copy)]
struct OfNode {
    all: f64,
    heads: f64,
    room: i64,
    touched: u32, // 1 + index in `touched`; 0: not touched
}

/// Sums of weights (own and foreign), free cores and moves; what they were before the current shift.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    nodes: Vec<OfNode>,
    server: f64,
    moved: u32,
    touched: Vec<(u16, f64, f64)>, // node, all and heads before
    rooms: Vec<i64>,               // of the touched nodes before
    server_before: f64,
    moved_before: u32,
    price: f64,
}

impl Sums {
    pub(super) fn new(instance: &Instance) -> Self {
        let node =
            |(&weight, &free): (&f64, &u32)| OfNode { all: weight, heads: weight, room: i64::from(free), touched: 0 };
        let server = instance.background.iter().sum();
        Self {
            nodes: instance.background.iter().zip(&instance.free).map(node).collect(),
            server,
            moved: 0,
            touched: Vec::new(),
            rooms: Vec::new(),
            server_before: server,
            moved_before: 0,
            price: instance.move_price,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, chain: &Chain, pattern: &[u16], sign: f64) {
        let mut total = 0.0;
        for (node, nf, role) in roles(&chain.nfs, chain.ingress, pattern) {
            let of = &mut self.nodes[node as usize];
            if of.touched == 0 {
                self.touched.push((node, of.all, of.heads));
                self.rooms.push(of.room);
                of.touched = self.touched.len() as u32;
            }
            of.all += sign * nf.weight;
            if role.leads() {
                of.heads += sign * nf.weight;
            }
            of.room -= sign as i64;
            total += nf.weight;
        }
        self.server += sign * total;
        let moves = chain.moves(pattern);
        self.moved = if sign > 0.0 { self.moved + moves } else { self.moved - moves };
    }

    /// `M_k` and `R_k`.
    #[inline]
    pub(super) fn of(&self, node: u16) -> (f64, f64) {
        let of = &self.nodes[node as usize];
        (of.all, of.heads)
    }

    #[inline]
    pub(super) fn room(&self, node: u16) -> i64 {
        self.nodes[node as usize].room
    }

    #[inline]
    pub(super) fn server(&self) -> f64 {
        self.server
    }

    pub(super) fn server_since(&self) -> f64 {
        // A chain that only moves takes its weight away and brings it back: what rounding leaves is no change.
        let since = self.server - self.server_before;
        if since.abs() <= 1e-12 * self.server.abs() { 0.0 } else { since }
    }

    /// By how much `M_k` and `R_k` have grown.
    #[inline]
    pub(super) fn since(&self, node: u16) -> (f64, f64) {
        let of = &self.nodes[node as usize];
        match of.touched {
            0 => (0.0, 0.0),
            touched => {
                let (_, all, heads) = self.touched[touched as usize - 1];
                (of.all - all, of.heads - heads)
            }
        }
    }

    /// What the moves of this shift add to the score.
    pub(super) fn paid_since(&self) -> f64 {
        self.price * (f64::from(self.moved_before) - f64::from(self.moved))
    }

    /// Nodes of this shift, with `M_k` and `R_k` before it.
    #[inline]
    pub(super) fn touched(&self) -> &[(u16, f64, f64)] {
        &self.touched
    }

    /// A shift may not overfill a node nor move more than allowed; what was wrong before may grow less wrong.
    #[inline]
    pub(super) fn allowed(&self, instance: &Instance) -> bool {
        let fits = |(&(node, ..), &before): (&(u16, f64, f64), &i64)| {
            let room = self.nodes[node as usize].room;
            room >= 0 || room >= before
        };
        (self.moved <= instance.max_moves || self.moved <= self.moved_before)
            && self.touched.iter().zip(&self.rooms).all(fits)
    }

    /// Back to before the shift, to the last bit.
    #[inline]
    pub(super) fn restore(&mut self) {
        for (&(node, all, heads), &room) in self.touched.iter().zip(&self.rooms) {
            self.nodes[node as usize] = OfNode { all, heads, room, touched: 0 };
        }
        self.server = self.server_before;
        self.moved = self.moved_before;
        self.touched.clear();
        self.rooms.clear();
    }

    /// The shift stays.
    #[inline]
    pub(super) fn keep(&mut self) {
        for &(node, ..) in &self.touched {
            self.nodes[node as usize].touched = 0;
        }
        if self.server_since() == 0.0 {
            self.server = self.server_before;
        }
        self.server_before = self.server;
        self.moved_before = self.moved;
        self.touched.clear();
        self.rooms.clear();
    }
}
