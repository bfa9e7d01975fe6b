//! A placement that changes a little at a time, with its value, score and sums always known.
//!
//! A change costs as much as there are NFs on the nodes it touches, instead of one evaluation of everything. Before
//! that, `forecast` says in the time of the changed chains alone how much the score can rise at most: the capacity of
//! every other chain is concave in the sums of weights, so its slope at the present bottleneck bounds what it gains.

use crate::instance::{Assignment, Instance};
use crate::linear::{Line, lines};
use crate::rank::Rank;

mod places;
mod sums;

use places::Places;
pub use sums::Change;
use sums::Sums;

const REFRESH_EVERY: u32 = 1 << 15; // changes until all sums are computed anew, so that rounding cannot add up

/// What an accepted chain adds to the score, and how fast that falls with the sums of its bottleneck's node.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    counted: f64, // value x min(rate, capacity)
    node: u16,
    slope: Line, // of the bottleneck, times value; zero where the rate is the limit
}

/// A placement under change.
#[derive(Debug, Clone)]
pub struct Standing<'a> {
    instance: &'a Instance,
    places: Places,
    lines: Vec<Line>, // of each NF
    shares: Vec<Share>,
    slopes: Vec<Line>, // per node: summed over the chains whose bottleneck stands there
    slope_server: f64,
    sums: Sums,
    value: f64,
    score: f64,
    stamps: Vec<u32>, // per chain: the last change that reached it
    stamp: u32,
    undo: Change,
}

impl<'a> Standing<'a> {
    /// Stand at an assignment that fits its instance's shape.
    pub fn new(instance: &'a Instance, assignment: &Assignment) -> Self {
        let (places, chains) = (Places::new(instance), instance.chains.len());
        let mut standing = Self {
            instance,
            lines: vec![Line::default(); places.nfs()],
            places,
            shares: vec![Share::default(); chains],
            slopes: vec![Line::default(); instance.nodes()],
            slope_server: 0.0,
            sums: Sums::new(instance),
            value: 0.0,
            score: 0.0,
            stamps: vec![0; chains],
            stamp: 0,
            undo: Change::default(),
        };
        for (chain, pattern) in assignment.iter().enumerate() {
            if let Some(pattern) = pattern {
                standing.seat(chain, pattern);
            }
        }
        standing.refresh();
        standing
    }

    /// The instance.
    pub fn instance(&self) -> &'a Instance {
        self.instance
    }

    /// Accepted value and score.
    pub fn rank(&self) -> Rank {
        Rank { value: self.value, score: self.score }
    }

    /// Free cores of a node.
    #[inline]
    pub fn room(&self, node: u16) -> i64 {
        self.sums.room(node)
    }

    /// The nodes of a chain's NFs; None if it is rejected.
    #[inline]
    pub fn pattern(&self, chain: usize) -> Option<&[u16]> {
        self.places.pattern(chain)
    }

    /// The rejected chains, in no order.
    pub fn rejected(&self) -> &[u32] {
        self.places.rejected()
    }

    /// Remember where every NF stands, for `load`.
    pub fn save(&self, nodes: &mut Vec<u16>) {
        nodes.clone_from(self.places.nodes());
    }

    /// Stand where `save` stood.
    pub fn load(&mut self, nodes: &[u16]) {
        for chain in 0..self.instance.chains.len() {
            let then = self.places.saved(nodes, chain);
            if self.pattern(chain) != then {
                self.leave(chain);
                if let Some(then) = then {
                    self.seat(chain, then);
                }
            }
        }
        self.refresh();
    }

    /// The placement as others know it.
    pub fn assignment(&self) -> Assignment {
        (0..self.instance.chains.len()).map(|chain| self.pattern(chain).map(<[u16]>::to_vec)).collect()
    }

    /// What a change would do: the accepted value it adds, exactly, and the most it can add to the score. None if it
    /// breaks a node's capacity or the limit on moves. (Pins are the caller's.)
    pub fn forecast(&mut self, change: &Change) -> Option<Rank> {
        self.shift(change);
        let gain = self.sums.allowed(self.instance).then(|| {
            let mut gain = Rank { value: 0.0, score: self.sums.paid_since() };
            for &(node, old_all, old_heads) in self.sums.touched() {
                let slope = &self.slopes[node as usize];
                let (all, heads) = self.sums.of(node);
                gain.score -= slope.all * (all - old_all) + slope.heads * (heads - old_heads);
            }
            let more_server = self.sums.server_since();
            gain.score -= self.slope_server * more_server;
            for (chain, to) in change.iter() {
                let data = &self.instance.chains[chain];
                if self.pattern(chain).is_some() {
                    // Its own slope was counted with the others'.
                    let share = &self.shares[chain];
                    let (all, heads) = self.sums.since(share.node);
                    let counted_above = share.slope.all * all + share.slope.heads * heads;
                    gain.score += counted_above + share.slope.server * more_server - share.counted;
                    gain.value -= data.value;
                }
                if !to.is_empty() {
                    let capacity = lines(data, to).fold(f64::INFINITY, |least, (node, line)| {
                        let (all, heads) = self.sums.of(node);
                        least.min(line.at(all, heads, self.sums.server()))
                    });
                    gain.score += data.counted(capacity);
                    gain.value += data.value;
                }
            }
            gain
        });
        self.sums.restore();
        gain
    }

    /// Make a change that `forecast` allowed.
    pub fn apply(&mut self, change: &Change) {
        self.undo.clear();
        for (chain, _) in change.iter() {
            self.undo.push(chain, self.places.pattern(chain).unwrap_or_default());
        }
        self.make(change);
    }

    /// Take the last change back; once.
    pub fn undo(&mut self) {
        let change = std::mem::take(&mut self.undo);
        self.make(&change);
        self.undo = change;
        self.undo.clear();
    }

    fn make(&mut self, change: &Change) {
        self.shift(change);
        self.score += self.sums.paid_since();
        for (chain, to) in change.iter() {
            self.leave(chain);
            if !to.is_empty() {
                self.seat(chain, to);
            }
        }
        self.stamp += 1;
        let server_moved = self.sums.server_since() != 0.0;
        for (chain, _) in change.iter() {
            self.look_again(chain);
        }
        if server_moved {
            (0..self.shares.len()).for_each(|chain| self.look_again(chain));
        } else {
            for touched in 0..self.sums.touched().len() {
                let node = self.sums.touched()[touched].0;
                let mut spot = 0;
                while let Some(chain) = self.places.chain_on(node, spot) {
                    self.look_again(chain);
                    spot += 1;
                }
            }
        }
        self.sums.keep();
        if self.stamp >= REFRESH_EVERY {
            self.refresh();
        }
    }

    fn shift(&mut self, change: &Change) {
        for (chain, to) in change.iter() {
            let data = &self.instance.chains[chain];
            if let Some(from) = self.places.pattern(chain) {
                self.sums.add(data, from, -1.0);
            }
            if !to.is_empty() {
                self.sums.add(data, to, 1.0);
            }
        }
    }

    /// Take a chain's NFs off their nodes, and its value away; its share goes when it is looked at again.
    fn leave(&mut self, chain: usize) {
        if self.pattern(chain).is_none() {
            return;
        }
        self.value -= self.instance.chains[chain].value;
        self.places.leave(chain);
    }

    fn seat(&mut self, chain: usize, pattern: &[u16]) {
        let data = &self.instance.chains[chain];
        self.value += data.value;
        self.places.seat(chain, pattern);
        for (kept, (_, line)) in self.lines[self.places.range(chain)].iter_mut().zip(lines(data, pattern)) {
            *kept = line;
        }
    }

    /// Compute a chain's share anew, once a change.
    #[inline]
    fn look_again(&mut self, chain: usize) {
        if self.stamps[chain] == self.stamp {
            return;
        }
        self.stamps[chain] = self.stamp;
        let new = self.share(chain);
        let old = std::mem::replace(&mut self.shares[chain], new);
        self.score += new.counted - old.counted;
        self.slope_server += new.slope.server - old.slope.server;
        let slope = &mut self.slopes[old.node as usize];
        slope.all -= old.slope.all;
        slope.heads -= old.slope.heads;
        let slope = &mut self.slopes[new.node as usize];
        slope.all += new.slope.all;
        slope.heads += new.slope.heads;
    }

    #[inline]
    fn share(&self, chain: usize) -> Share {
        let Some(nodes) = self.places.pattern(chain) else { return Share::default() };
        let lines = &self.lines[self.places.range(chain)];
        let server = self.sums.server();
        let (mut least, mut at) = (f64::INFINITY, 0);
        for (position, (&node, line)) in nodes.iter().zip(lines).enumerate() {
            let (all, heads) = self.sums.of(node);
            let mpps = line.at(all, heads, server);
            if mpps < least {
                (least, at) = (mpps, position);
            }
        }
        let data = &self.instance.chains[chain];
        let line = &lines[at];
        let per = if least < data.rate { data.value } else { 0.0 };
        let slope = Line { fixed: 0.0, all: per * line.all, heads: per * line.heads, server: per * line.server };
        Share { counted: data.counted(least), node: nodes[at], slope }
    }

    /// Everything from scratch.
    fn refresh(&mut self) {
        let instance = self.instance;
        self.sums = Sums::new(instance);
        self.value = 0.0;
        for (chain, data) in instance.chains.iter().enumerate() {
            if let Some(nodes) = self.places.pattern(chain) {
                self.sums.add(data, nodes, 1.0);
                self.value += data.value;
            }
        }
        self.score = self.sums.paid_since();
        self.sums.keep();
        self.slopes.fill(Line::default());
        self.slope_server = 0.0;
        self.shares.fill(Share::default());
        self.stamps.fill(0);
        self.stamp = 1;
        (0..instance.chains.len()).for_each(|chain| self.look_again(chain));
    }
}
