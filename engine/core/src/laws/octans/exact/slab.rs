//! Dividing the search by how much weight one node ends up with, and the Lagrange multiplier of that weight.
//!
//! Chains that are not placed yet do not see each other in the bound: each takes its best pattern as if the watched node
//! (the busiest ingress) held only what is placed. Within a slab low <= `M_k` <= high of final sums they do: throughputs are
//! taken at `M_k` = low or more, and a multiplier on the sum keeps the chains from all taking, or all leaving, the node:
//! for any multiplier t, sum of gains <= sum over chains of max (gain - t x weight there) + t x (high if t > 0, else low).

use crate::instance::Instance;
use crate::laws::octans::exact::options::Options;

/// The watched node and who can put how much on it.
#[derive(Debug)]
pub struct Watch {
    /// The node.
    pub node: usize,
    /// Weight on it, by option.
    pub there: Vec<f64>,
    /// Least and most of a chain's options, by chain.
    pub range: Vec<(f64, f64)>,
    total: f64,
}

/// Bounds of the final `M_k` of the watched node, background included.
#[derive(Debug, Clone, Copy)]
pub struct Slab {
    /// At least this.
    pub low: f64,
    /// At most this.
    pub high: f64,
}

impl Watch {
    /// Watch the ingress of most weight, the first of equals.
    pub fn new(instance: &Instance, options: &Options, chains: &[usize]) -> Self {
        let mut arrives = vec![0.0; instance.nodes()];
        let mut total = instance.background.iter().sum();
        for &chain in chains {
            let chain = &instance.chains[chain];
            let weight: f64 = chain.nfs.iter().map(|nf| nf.weight).sum();
            arrives[chain.ingress as usize] += weight;
            total += weight;
        }
        let node = (0..arrives.len()).rev().max_by(|&a, &b| arrives[a].total_cmp(&arrives[b])).unwrap_or(0);
        let there = |option| {
            options.loads(option).iter().find(|load| load.node as usize == node).map_or(0.0, |load| load.sums[0])
        };
        let there: Vec<f64> = (0..options.len()).map(there).collect();
        let range = |chain| {
            let of_chain = || options.of(chain).map(|option| there[option as usize]);
            (of_chain().fold(f64::INFINITY, f64::min), of_chain().fold(0.0, f64::max))
        };
        let range = (0..options.chains()).map(range).collect();
        Self { node, there, range, total }
    }

    /// The slab of all placements.
    pub fn everything(&self, instance: &Instance) -> Slab {
        let background = instance.background[self.node];
        Slab {
            low: background + self.range.iter().map(|range| range.0).sum::<f64>(),
            high: background + self.range.iter().map(|range| range.1).sum::<f64>(),
        }
    }

    /// Least final `M_k` of every node within a slab: of two nodes, one has what the other has not.
    pub fn floor(&self, instance: &Instance, slab: Slab) -> Vec<f64> {
        let mut floor = instance.background.clone();
        floor[self.node] = slab.low;
        if let [first, second] = floor.as_mut_slice() {
            let other = if self.node == 0 { second } else { first };
            *other = other.max(self.total - slab.high);
        }
        floor
    }
}

/// Least bound over some multipliers, and its multiplier: the Lagrangian dual, by steps that shrink at each turn. `bound(t)` is convex: the bound without the slab's share, and the weight
/// the chains then put on the node. `low` and `high` are what they may put there.
pub fn best_multiplier(
    (low, high): (f64, f64),
    start: f64,
    (mut step, rounds): (f64, u32),
    enough: f64,
    mut bound: impl FnMut(f64) -> (f64, f64),
) -> (f64, f64) {
    let (mut multiplier, mut least) = (start, f64::INFINITY);
    let (mut next, mut before) = (start, 0.0);
    for _ in 0..rounds {
        let (gains, weight) = bound(next);
        let found = gains + next * if next > 0.0 { high } else { low };
        if found < least {
            (multiplier, least) = (next, found);
        }
        // Uphill is where the chains take too much, or too little; without a reason for a multiplier, towards 0.
        let uphill = if weight > high {
            1.0
        } else if weight < low {
            -1.0
        } else if next == 0.0 {
            break;
        } else {
            -next.signum()
        };
        if least <= enough {
            break;
        }
        if uphill * before < 0.0 {
            step *= 0.4;
        }
        before = uphill;
        let reached = next + uphill * step;
        next = if reached * next < 0.0 { 0.0 } else { reached };
    }
    (multiplier, least)
}
