//! The multipliers of the relaxation. For each kind of placement of each piece: its NFs' shares in its throughput, and
//! for each block of NFs that stand together off the ingress the price at which the ingress buys its seat from the
//! other nodes.

use super::piece::{self, Labels, Piece, blocks, softened};
use crate::instance::{Assignment, Instance};
use crate::linear::Line;
use crate::model::Weights;

/// An NF at a kind: its throughput as a line, less `reference`; what it adds to the sums.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seat {
    pub line: Line,
    /// About its throughput there: moving shares then hardly moves the best prices.
    pub reference: f64,
    pub weight: f64,
    pub heads: f64,
}

/// Multipliers: whatever they are, the bound is valid.
#[derive(Debug, Clone, Default)]
pub(super) struct Multipliers {
    /// Of each seat; with `rated` they sum to 1 in each kind and are not negative.
    pub share: Vec<f64>,
    /// Of each kind: the rate's share; zero where there is no rate.
    pub rated: Vec<f64>,
    /// Of each block, beyond the value of its shares at their references.
    pub price: Vec<f64>,
}

impl Multipliers {
    /// As many, all zero.
    pub(super) fn zeros(&self) -> Self {
        let zeros = |like: &Vec<f64>| vec![0.0; like.len()];
        Self { share: zeros(&self.share), rated: zeros(&self.rated), price: zeros(&self.price) }
    }
}

/// What the relaxation is about: pieces, kinds, seats.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub table: Vec<Vec<Labels>>,
    pub pieces: Vec<Piece>,
    pub seats: Vec<Seat>,
    pub blocks: usize,
}

impl Parts {
    /// The parts for the chains an assignment accepts, and multipliers as it suggests them: shares fall with the
    /// distance to the bottleneck, and a block's price falls by what it costs its neighbours.
    pub(super) fn new(instance: &Instance, assignment: &Assignment) -> (Self, Multipliers) {
        let weights = Weights::of(instance, assignment);
        let table = piece::table(instance);
        let pieces = piece::pieces(instance, assignment, &table);
        let mut multipliers = Multipliers { share: Vec::new(), rated: Vec::new(), price: Vec::new() };
        let mut seats = Vec::new();
        let pressure = pressure(instance, assignment, &weights);
        for piece in &pieces {
            let chain = &instance.chains[piece.chain];
            let ingress = usize::from(chain.ingress);
            let others = (instance.nodes() - 1).max(1) as f64;
            let elsewhere = |sums: &[f64]| (sums.iter().sum::<f64>() - sums[ingress]) / others;
            let (remote_all, remote_heads) = (elsewhere(&weights.all), elsewhere(&weights.heads));
            for &labels in &table[piece.length] {
                let first = seats.len();
                let mut prices = vec![0.0; blocks(labels)];
                for at in 0..piece.length {
                    let (mut line, heads) = piece::line(chain, piece, labels, at);
                    let weight = chain.nfs[piece.from + at].weight;
                    line.fixed -= line.server * weights.server; // the same for all that accept these chains
                    line.server = 0.0;
                    let reference = if labels[at] == 0 {
                        line.at(weights.all[ingress], weights.heads[ingress], 0.0)
                    } else {
                        prices[usize::from(labels[at]) - 1] -= weight * pressure.0 + heads * pressure.1;
                        line.at(remote_all, remote_heads, 0.0)
                    };
                    line.fixed -= reference;
                    seats.push(Seat { line, reference, weight, heads });
                }
                let figures: Vec<f64> = seats[first..].iter().map(|seat: &Seat| seat.reference).collect();
                let mut shares = softened(&[figures, vec![chain.rate]].concat());
                multipliers.rated.extend(shares.pop());
                multipliers.share.extend(shares);
                multipliers.price.extend(prices);
            }
        }
        (Self { table, pieces, seats, blocks: multipliers.price.len() }, multipliers)
    }

    /// The seats and the index of each kind of each piece.
    pub(super) fn each_kind(&self, mut each: impl FnMut(std::ops::Range<usize>, usize)) {
        for piece in &self.pieces {
            for kind in 0..self.table[piece.length].len() {
                let first = piece.seats + kind * piece.length;
                each(first..first + piece.length, piece.kinds + kind);
            }
        }
    }
}

/// What a unit of `M_k` and of `R_k` costs on a node that is not an ingress, on the mean.
fn pressure(instance: &Instance, assignment: &Assignment, weights: &Weights) -> (f64, f64) {
    let mut pressure = (0.0, 0.0);
    for (chain, pattern) in instance.chains.iter().zip(assignment) {
        let Some(pattern) = pattern else { continue };
        let slowest = crate::linear::lines(chain, pattern)
            .map(|(node, line)| {
                let k = usize::from(node);
                (node, line, line.at(weights.all[k], weights.heads[k], weights.server))
            })
            .min_by(|a, b| a.2.total_cmp(&b.2));
        if let Some((_, line, _)) = slowest.filter(|(node, _, mpps)| *node != chain.ingress && *mpps < chain.rate) {
            pressure.0 += chain.value * line.all;
            pressure.1 += chain.value * line.heads;
        }
    }
    let others = (instance.nodes() - 1).max(1) as f64;
    (pressure.0 / others, pressure.1 / others)
}

/// Make shares proportions again: the nearest point of the simplex.
pub(super) fn project(shares: &mut [f64], rated: &mut f64) {
    let has_rate = *rated > 0.0;
    let mut sorted: Vec<f64> = shares.iter().copied().chain(has_rate.then_some(*rated)).collect();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut sum, mut excess) = (0.0, 0.0);
    for (count, share) in sorted.iter().enumerate() {
        sum += share;
        let candidate = (sum - 1.0) / (count + 1) as f64;
        if share - candidate > 0.0 {
            excess = candidate;
        }
    }
    for share in shares {
        *share = (*share - excess).max(0.0);
    }
    if has_rate {
        *rated = (*rated - excess).max(f64::MIN_POSITIVE); // stays above zero: zero means no rate
    }
}
