//! Chains cut into pieces of at most three NFs, and the kinds of placement a piece can have: which of its NFs are
//! local, and which of the others stand together.
//!
//! Interchangeable nodes need no names: a kind labels each NF 0 (on the ingress) or by its block, blocks in order of
//! appearance. A piece of three has 15 kinds with 22 blocks. Cutting loses little and keeps the kinds few: a chain's
//! minimum is at most any mean of its pieces' minima, and a piece that begins inside a chain is judged at its best.

use crate::instance::{Assignment, Chain, Instance};
use crate::linear::Line;
use crate::model::{self, Weights};

const LONGEST: usize = 3; // NFs of a piece
const SOFTNESS: f64 = 0.03; // what is this much faster than the slowest counts 1/e of it at first

/// Where each NF of a piece stands: 0 local, else the number of its block.
pub(super) type Labels = [u8; LONGEST];

/// A stretch of an accepted chain.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub chain: usize,
    pub from: usize,
    pub length: usize,
    /// Its part of the chain's value.
    pub value: f64,
    /// Index of its first NF at its first kind in the list of seats, kinds outside.
    pub seats: usize,
    /// Index of its first kind in the list of rates' shares.
    pub kinds: usize,
    /// Index of its first block in the list of prices.
    pub blocks: usize,
}

/// All kinds of a piece of this many NFs with at most so many blocks.
pub(super) fn kinds(length: usize, most_blocks: usize) -> Vec<Labels> {
    let mut kinds = vec![[0; LONGEST]];
    for at in 0..length {
        let extend = |labels: &Labels| {
            let next = labels[..at].iter().copied().max().unwrap_or(0) + 1;
            let labels = *labels;
            (0..=next.min(most_blocks as u8)).map(move |label| {
                let mut longer = labels;
                longer[at] = label;
                longer
            })
        };
        kinds = kinds.iter().flat_map(extend).collect();
    }
    kinds
}

/// Number of blocks of a kind.
#[inline]
pub(super) fn blocks(labels: Labels) -> usize {
    usize::from(labels.into_iter().max().unwrap_or(0))
}

/// The pieces of all accepted chains. A chain's value goes to its pieces as the assignment's bottleneck suggests.
pub(super) fn pieces(instance: &Instance, assignment: &Assignment, table: &[Vec<Labels>]) -> Vec<Piece> {
    let weights = Weights::of(instance, assignment);
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut seats, mut of_kind, mut of_block) = (0, 0, 0);
    for (chain, (data, pattern)) in instance.chains.iter().zip(assignment).enumerate() {
        let Some(pattern) = pattern else { continue };
        let figures = model::chain_figures(data, pattern, &weights);
        let slowest: Vec<f64> =
            figures.nfs.chunks(LONGEST).map(|nfs| nfs.iter().map(|nf| nf.mpps).fold(f64::INFINITY, f64::min)).collect();
        for (number, part) in softened(&slowest).into_iter().enumerate() {
            let from = number * LONGEST;
            let length = LONGEST.min(data.nfs.len() - from);
            let kinds = &table[length];
            pieces.push(Piece {
                chain,
                from,
                length,
                value: data.value * part,
                seats,
                kinds: of_kind,
                blocks: of_block,
            });
            seats += length * kinds.len();
            of_kind += kinds.len();
            of_block += kinds.iter().map(|&labels| blocks(labels)).sum::<usize>();
        }
    }
    pieces
}

/// The table of kinds by length, for an instance.
pub(super) fn table(instance: &Instance) -> Vec<Vec<Labels>> {
    (0..=LONGEST).map(|length| kinds(length, instance.nodes() - 1)).collect()
}

/// Parts of one that fall with the distance to the least.
pub(super) fn softened(figures: &[f64]) -> Vec<f64> {
    let least = figures.iter().copied().fold(f64::INFINITY, f64::min);
    let scale = SOFTNESS * least.abs().max(1e-9);
    let parts: Vec<f64> =
        figures.iter().map(|figure| if figure.is_finite() { ((least - figure) / scale).exp() } else { 0.0 }).collect();
    let total: f64 = parts.iter().sum();
    parts.into_iter().map(|part| part / total).collect()
}

/// The line of an NF of a piece at a kind, and what it adds to `R_k`.
pub(super) fn line(chain: &Chain, piece: &Piece, labels: Labels, at: usize) -> (Line, f64) {
    let nf = &chain.nfs[piece.from + at];
    let (label, inside) = (labels[at], piece.from > 0);
    let first = (0..=at).rev().take_while(|&other| labels[other] == label).last().unwrap_or(at);
    let unknown = inside && first == 0; // where the run begins is not known
    if label == 0 {
        let side = &nf.local;
        let beta = side.ideal * side.beta;
        let line = if unknown && at == 0 {
            // An LLC term is never negative.
            Line { fixed: side.ideal * (1.0 - side.c) + beta * nf.weight, all: 0.0, heads: 0.0, server: beta }
        } else {
            Line::local(nf, at == first && at > 0)
        };
        return (line, nf.weight);
    }
    if unknown {
        // Its head is some NF up to the piece's first: the heaviest flatters most; so does beginning no run.
        let head = chain.nfs[..=piece.from].iter().map(|nf| nf.weight).fold(0.0, f64::max);
        let mut line = Line::remote(nf, Some(head));
        if at == 0 {
            let side = &nf.remote;
            line = Line { fixed: line.fixed - side.ideal * side.alpha * head, heads: 0.0, ..line };
        }
        return (line, 0.0);
    }
    let head = chain.nfs[piece.from + first].weight;
    (Line::remote(nf, (at > first).then_some(head)), if at == first { nf.weight } else { 0.0 })
}
