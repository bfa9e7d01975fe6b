//! Octans' throughput model, computed from scratch for one placement (Octans, Sec. IV-B, Eq. 7 and 9-11); `roles` has
//! the equations.
//!
//! Decided where the paper leaves room:
//! - weight(NF) = 1 / stalls; `M_k` = sum of the weights on node k and its background;
//! - a run is a maximal stretch of consecutive NFs of one chain on one node, its head the first of them;
//! - `R_k` = weights of the heads of remote runs on k + weights of NFs that are local there + background: a chain that
//!   prefetches into the LLC counts as one competitor, by its first NF;
//! - local NF: llc = 1 if its upstream NF stands elsewhere, else `M_k` - w; mem = sum of all M - w;
//! - remote NF: llc = 1 for a head, else `R_k` - `w_head`; mem = `M_k` - w;
//! - drop = alpha llc + beta mem + c; throughput = ideal (1 - drop); nothing is clamped here.

use crate::instance::{Chain, Instance, Nf, Pattern, Side};
use crate::roles::roles;

/// Sums of weights on each node.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// `M_k`: all weights.
    pub all: Vec<f64>,
    /// `R_k`: heads of remote runs and all local NFs.
    pub heads: Vec<f64>,
    /// Sum of `M_k` over all nodes.
    pub server: f64,
}

impl Weights {
    /// The sums for an assignment.
    pub fn of(instance: &Instance, assignment: &[Option<Pattern>]) -> Self {
        let placed = instance.chains.iter().zip(assignment);
        let placed = placed.filter_map(|(chain, pattern)| Some((&*chain.nfs, chain.ingress, pattern.as_deref()?)));
        Self::sum(&instance.background, placed)
    }

    /// The sums for chains (NFs, ingress, pattern) beside the foreign weight on each node.
    pub fn sum<'a>(background: &[f64], placed: impl Iterator<Item = (&'a [Nf], u16, &'a [u16])>) -> Self {
        let (mut all, mut heads) = (background.to_vec(), background.to_vec());
        for (nfs, ingress, pattern) in placed {
            for (node, nf, role) in roles(nfs, ingress, pattern) {
                all[node as usize] += nf.weight;
                if role.leads() {
                    heads[node as usize] += nf.weight;
                }
            }
        }
        let server = all.iter().sum();
        Self { all, heads, server }
    }
}

/// What the model says of one NF.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NfFigures {
    /// Unclamped.
    pub mpps: f64,
    /// Throughput without competitors on this kind of node.
    pub ideal: f64,
    /// Competing level on the last-level cache.
    pub llc: f64,
    /// Competing level on the memory controller (local) or the interconnect (remote).
    pub mem: f64,
    /// alpha x llc: share of the ideal throughput lost to the LLC.
    pub llc_drop: f64,
    /// beta x mem.
    pub mem_drop: f64,
    /// c.
    pub fixed_drop: f64,
}

/// What the model says of one accepted chain.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainFigures {
    /// In the order of the chain.
    pub nfs: Vec<NfFigures>,
    /// Position of the slowest NF, the earliest of equals.
    pub bottleneck: usize,
    /// Throughput of the slowest NF, Mpps, unclamped.
    pub capacity: f64,
}

/// Figures of every accepted chain; None for a rejected one.
pub fn evaluate(instance: &Instance, assignment: &[Option<Pattern>]) -> Vec<Option<ChainFigures>> {
    let weights = Weights::of(instance, assignment);
    let figures =
        |(chain, pattern): (&Chain, &Option<Pattern>)| Some(chain_figures(chain, pattern.as_ref()?, &weights));
    instance.chains.iter().zip(assignment).map(figures).collect()
}

/// The figures of one chain among given sums of weights, its own included.
pub fn chain_figures(chain: &Chain, pattern: &[u16], weights: &Weights) -> ChainFigures {
    let mut nfs = Vec::with_capacity(pattern.len());
    walk(chain, pattern, weights, |_, side, llc, mem| {
        nfs.push(NfFigures {
            mpps: side.mpps(llc, mem),
            ideal: side.ideal,
            llc,
            mem,
            llc_drop: side.alpha * llc,
            mem_drop: side.beta * mem,
            fixed_drop: side.c,
        });
    });
    let (bottleneck, capacity) = slowest(&nfs);
    ChainFigures { nfs, bottleneck, capacity }
}

/// Visit the NFs of one chain in order: `visit(position, side it stands on, llc, mem)`.
#[inline]
pub fn walk(chain: &Chain, pattern: &[u16], weights: &Weights, mut visit: impl FnMut(usize, &Side, f64, f64)) {
    for (position, (node, nf, role)) in roles(&chain.nfs, chain.ingress, pattern).enumerate() {
        let k = node as usize;
        let (side, llc, mem) = role.levels(nf, weights.all[k], weights.heads[k], weights.server);
        visit(position, side, llc, mem);
    }
}

fn slowest(nfs: &[NfFigures]) -> (usize, f64) {
    let mut found = (0, f64::INFINITY);
    for (position, nf) in nfs.iter().enumerate() {
        if nf.mpps < found.1 {
            found = (position, nf.mpps);
        }
    }
    found
}
