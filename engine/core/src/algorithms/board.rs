//! A placement whose NFs come over to the local node and go back again, with everything that hangs on it kept up to date.

use crate::instance::{Assignment, Chain, Instance};
use crate::model::Weights;
use crate::rank::moves;

/// The placement that a search of subchains stands at.
pub struct Board<'a> {
    instance: &'a Instance,
    /// Node of every NF.
    pub assignment: Assignment,
    /// Sums of weights on each node.
    pub weights: Weights,
    /// Summed value of the accepted chains.
    pub value: f64,
    /// NFs whose node differs from where they run now.
    pub moves: u32,
    /// Of the assignment; equal assignments have equal hashes.
    pub hash: u64,
    room: Vec<u32>,
    patterns: Vec<u16>, // a stack: the pattern of the chain before each move on the way here
    sums: Vec<f64>,     // a stack: the sums of weights before each; kept, for sums that are undone by sums drift
}

/// What `come_over` needs to be undone, beside the stacks.
#[derive(Clone, Copy)]
pub struct Undo {
    chain: usize,
    moves: u32,
    hash: u64,
}

impl<'a> Board<'a> {
    /// A board with an assignment within capacity.
    pub fn new(instance: &'a Instance, assignment: &Assignment) -> Self {
        let mut board = Self {
            instance,
            assignment: assignment.clone(),
            weights: Weights::of(instance, assignment),
            value: 0.0,
            moves: moves(instance, assignment),
            hash: 0,
            room: instance.free.clone(),
            patterns: Vec::new(),
            sums: Vec::new(),
        };
        for (chain, pattern) in assignment.iter().enumerate() {
            let Some(pattern) = pattern else { continue };
            board.value += instance.chains[chain].value;
            for (position, &node) in pattern.iter().enumerate() {
                board.room[node as usize] -= 1;
                board.hash ^= key(chain, position, node);
            }
        }
        board
    }

    /// True for an NF that stands on a remote node and may stand on its chain's local one.
    pub fn can_come(&self, chain: usize, position: usize) -> bool {
        let data = &self.instance.chains[chain];
        let remote = self.assignment[chain].as_ref().is_some_and(|pattern| pattern[position] != data.ingress);
        remote && self.instance.allowed(&data.nfs[position]).binary_search(&data.ingress).is_ok()
    }

    /// Move the NFs of a chain that can come from positions below `end`; None, and nothing moved, if none of them can
    /// or the local node lacks cores.
    pub fn come_over(&mut self, chain: usize, end: usize) -> Option<Undo> {
        let data = &self.instance.chains[chain];
        let local = data.ingress;
        let coming = (0..end).filter(|&position| self.can_come(chain, position)).count() as u32;
        if coming == 0 || coming > self.room[local as usize] {
            return None;
        }
        let mut pattern = self.assignment[chain].take()?;
        let undo = Undo { chain, moves: self.moves, hash: self.hash };
        self.patterns.extend(&pattern);
        self.sums.extend(&self.weights.all);
        self.sums.extend(&self.weights.heads);
        self.moves -= data.moves(&pattern);
        add_heads(&mut self.weights.heads, data, &pattern, -1.0);
        for (position, node) in pattern.iter_mut().enumerate().take(end) {
            let nf = &data.nfs[position];
            if *node == local || self.instance.allowed(nf).binary_search(&local).is_err() {
                continue;
            }
            self.hash ^= key(chain, position, *node) ^ key(chain, position, local);
            self.weights.all[*node as usize] -= nf.weight;
            self.weights.all[local as usize] += nf.weight;
            self.room[*node as usize] += 1;
            *node = local;
        }
        self.room[local as usize] -= coming;
        add_heads(&mut self.weights.heads, data, &pattern, 1.0);
        self.moves += data.moves(&pattern);
        self.assignment[chain] = Some(pattern);
        Some(undo)
    }

    /// Undo the latest `come_over`.
    pub fn go_back(&mut self, undo: Undo) {
        let Some(pattern) = self.assignment[undo.chain].as_mut() else { return };
        let nodes = self.room.len();
        let sums = self.sums.len() - 2 * nodes;
        self.weights.all.copy_from_slice(&self.sums[sums..sums + nodes]);
        self.weights.heads.copy_from_slice(&self.sums[sums + nodes..]);
        self.sums.truncate(sums);
        let before = self.patterns.len() - pattern.len();
        for (now, then) in pattern.iter_mut().zip(self.patterns.drain(before..)) {
            self.room[*now as usize] += 1;
            self.room[then as usize] -= 1;
            *now = then;
        }
        self.moves = undo.moves;
        self.hash = undo.hash;
    }
}

/// Add (`sign` 1) or take away (-1) what a chain contributes to `R_k`.
fn add_heads(heads: &mut [f64], chain: &Chain, pattern: &[u16], sign: f64) {
    let mut before = u16::MAX;
    for (nf, &node) in chain.nfs.iter().zip(pattern) {
        if node == chain.ingress || node != before {
            heads[node as usize] += sign * nf.weight;
        }
        before = node;
    }
}

/// The key of one seat (Zobrist hashing: a placement's hash is the exclusive or of its seats' keys), by the finaliser of
/// splitmix64. Among a million placements two share a hash with a chance of one in thirty million.
fn key(chain: usize, position: usize, node: u16) -> u64 {
    let seat = (chain as u64) << 32 | (position as u64) << 16 | u64::from(node);
    let mut mixed = (seat + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
