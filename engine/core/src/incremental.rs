//! A placement that changes a little at a time, with its value, score and sums always known.
//!
//! A change costs as much as there are NFs on the nodes it touches, instead of one evaluation of everything. Before
//! that, `forecast` tells in the time of the changed chains alone how much the score can rise at most: the capacity of
//! every other chain is concave in the sums of weights, so its slope at the present bottleneck bounds what it gains.

use crate::instance::{Assignment, Instance};
use crate::linear::{Line, lines};
use crate::rank::Rank;

mod sums;

pub use sums::Change;
use sums::Sums;

const NOWHERE: u16 = u16::MAX; // the node of a rejected chain's NFs
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
    first: Vec<u32>,    // index of each chain's first NF; one more at the end
    owner: Vec<u32>,    // chain of each NF
    node: Vec<u16>,     // of each NF
    lines: Vec<Line>,   // of each NF
    on: Vec<Vec<u32>>,  // NFs on each node
    spot: Vec<u32>,     // of each NF in `on`
    out: Vec<u32>,      // rejected chains
    out_spot: Vec<u32>, // of each rejected chain in `out`
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
        let mut first = vec![0];
        let mut owner = Vec::new();
        for (index, chain) in instance.chains.iter().enumerate() {
            owner.extend(std::iter::repeat_n(index as u32, chain.nfs.len()));
            first.push(owner.len() as u32);
        }
        let (nfs, nodes, chains) = (owner.len(), instance.nodes(), instance.chains.len());
        let mut standing = Self {
            instance,
            first,
            owner,
            node: vec![NOWHERE; nfs],
            lines: vec![Line::default(); nfs],
            on: vec![Vec::new(); nodes],
            spot: vec![0; nfs],
            out: (0..chains as u32).collect(),
            out_spot: (0..chains as u32).collect(),
            shares: vec![Share::default(); chains],
            slopes: vec![Line::default(); nodes],
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
        let nodes = &self.node[self.range(chain)];
        (nodes[0] != NOWHERE).then_some(nodes)
    }

    /// The rejected chains, in no order.
    pub fn rejected(&self) -> &[u32] {
        &self.out
    }

    /// Remember where every NF stands, for `load`.
    pub fn save(&self, nodes: &mut Vec<u16>) {
        nodes.clone_from(&self.node);
    }

    /// Stand where `save` stood.
    pub fn load(&mut self, nodes: &[u16]) {
        for chain in 0..self.instance.chains.len() {
            let range = self.range(chain);
            if self.node[range.clone()] != nodes[range.clone()] {
                self.leave(chain);
                if nodes[range.start] != NOWHERE {
                    self.seat(chain, &nodes[range]);
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
            let range = self.range(chain);
            let nodes = &self.node[range];
            self.undo.push(chain, if nodes[0] == NOWHERE { &[] } else { nodes });
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
                let node = self.sums.touched()[touched].0 as usize;
                for spot in 0..self.on[node].len() {
                    self.look_again(self.owner[self.on[node][spot] as usize] as usize);
                }
            }
        }
        self.sums.keep();
        if self.stamp >= REFRESH_EVERY {
            self.refresh();
        }
    }

    #[inline]
    fn range(&self, chain: usize) -> std::ops::Range<usize> {
        self.first[chain] as usize..self.first[chain + 1] as usize
    }

    fn shift(&mut self, change: &Change) {
        for (chain, to) in change.iter() {
            let range = self.first[chain] as usize..self.first[chain + 1] as usize;
            let data = &self.instance.chains[chain];
            let from = &self.node[range];
            if from[0] != NOWHERE {
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
        self.out_spot[chain] = self.out.len() as u32;
        self.out.push(chain as u32);
        for nf in self.range(chain) {
            let (list, spot) = (&mut self.on[self.node[nf] as usize], self.spot[nf]);
            list.swap_remove(spot as usize);
            if let Some(&moved) = list.get(spot as usize) {
                self.spot[moved as usize] = spot;
            }
            self.node[nf] = NOWHERE;
        }
    }

    fn seat(&mut self, chain: usize, pattern: &[u16]) {
        let first = self.first[chain] as usize;
        let data = &self.instance.chains[chain];
        self.value += data.value;
        let spot = self.out_spot[chain];
        self.out.swap_remove(spot as usize);
        if let Some(&moved) = self.out.get(spot as usize) {
            self.out_spot[moved as usize] = spot;
        }
        for (nf, (node, line)) in (first..).zip(lines(data, pattern)) {
            self.node[nf] = node;
            self.lines[nf] = line;
            let list = &mut self.on[node as usize];
            self.spot[nf] = list.len() as u32;
            list.push(nf as u32);
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
        let range = self.range(chain);
        let nodes = &self.node[range.clone()];
        if nodes[0] == NOWHERE {
            return Share::default();
        }
        let server = self.sums.server();
        let (mut least, mut at) = (f64::INFINITY, 0);
        for (position, (&node, line)) in nodes.iter().zip(&self.lines[range.clone()]).enumerate() {
            let (all, heads) = self.sums.of(node);
            let mpps = line.at(all, heads, server);
            if mpps < least {
                (least, at) = (mpps, position);
            }
        }
        let data = &self.instance.chains[chain];
        let line = &self.lines[range.start + at];
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
            let range = self.range(chain);
            if self.node[range.start] != NOWHERE {
                self.sums.add(data, &self.node[range], 1.0);
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
