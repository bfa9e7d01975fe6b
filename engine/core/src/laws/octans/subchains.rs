//! The second step of Algorithm 1 (Octans, Sec. IV-C, lines 5-21): from an initial placement, move subchains from remote
//! nodes to the local one, depth first. `octans` and `octans_extended` share it; they differ in where it begins.
//!
//! Decided where the paper leaves room:
//! - the bottleneck is the slowest NF among those of the chain that are still remote, the earliest of equals: a local NF
//!   has nowhere to go;
//! - a subchain reaches from the first remote NF to the bottleneck inclusive: without the bottleneck itself the slowest
//!   NF would stay where it is slow (`Params::inclusive`);
//! - what stays behind stays eligible, so a chain may come over in several steps; nothing ever moves back;
//! - an NF that may not stand on the local node is neither bottleneck nor moved.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use serde::{Deserialize, Serialize};

use crate::control::Control;
use crate::instance::{Assignment, Instance};
use crate::laws::octans::board::Board;
use crate::model::walk;
use crate::rank::Rank;

/// Placements the memo holds at most, about 80 MB; any beyond are searched again when they come again.
const MOST_REMEMBERED: usize = 1 << 22;
const NONE_REMOTE: u16 = u16::MAX;

/// How Algorithm 1 is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Remember visited placements: the same result with fewer evaluations. The paper does not.
    pub memo: bool,
    /// A subchain includes its bottleneck NF.
    pub inclusive: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { memo: true, inclusive: true }
    }
}

/// A search that begins at many placements, and the best of all it has seen.
pub struct Search<'a, 'b, 'c> {
    instance: &'a Instance,
    control: &'b mut Control<'c>,
    params: Params,
    best: Option<(Rank, Assignment)>,
    board: Board<'a>,
    bottlenecks: Vec<u16>, // a stack: those of every chain, for each placement on the way here
    seen: HashSet<u64, BuildHasherDefault<AlreadyMixed>>,
}

impl<'a, 'b, 'c> Search<'a, 'b, 'c> {
    /// `best`: a feasible placement to beat.
    pub fn new(instance: &'a Instance, control: &'b mut Control<'c>, params: Params, best: Option<Assignment>) -> Self {
        let best = best.map(|assignment| (Rank::of(instance, &assignment), assignment));
        if let Some((rank, _)) = &best {
            control.found(rank.score);
        }
        let board = Board::new(instance);
        Self { instance, control, params, best, board, bottlenecks: Vec::new(), seen: HashSet::default() }
    }

    /// Judge an initial placement within capacity and pins, and all that moving subchains makes of it.
    pub fn begin(&mut self, initial: &Assignment) {
        self.board.begin(initial);
        if !self.control.stopped() && self.is_new(self.board.hash) {
            self.descend();
        }
    }

    /// Count work that is no evaluation as one, and look at the clock.
    pub fn tick(&mut self) {
        self.control.count(1);
        self.control.look();
    }

    /// True once the search shall end.
    pub fn stopped(&self) -> bool {
        self.control.stopped()
    }

    /// Summed value of the best placement so far; negative before the first.
    pub fn best_value(&self) -> f64 {
        self.best.as_ref().map_or(-1.0, |(rank, _)| rank.value)
    }

    /// The best of all; None where nothing was within the limits.
    pub fn into_best(self) -> Option<Assignment> {
        self.best.map(|(_, assignment)| assignment)
    }

    /// Lines 9-16: evaluate this placement, then move the subchain of each chain in turn.
    fn descend(&mut self) {
        let mine = self.bottlenecks.len();
        self.evaluate();
        if !self.control.count(1) {
            for chain in 0..self.instance.chains.len() {
                let bottleneck = self.bottlenecks[mine + chain];
                if bottleneck == NONE_REMOTE {
                    continue;
                }
                let end = usize::from(bottleneck) + usize::from(self.params.inclusive); // line 12
                let Some(hash) = self.board.ahead(chain, end).filter(|&hash| self.is_new(hash)) else { continue };
                let undo = self.board.come_over(chain, end, hash); // line 14
                self.descend();
                self.board.go_back(&undo);
                if self.control.stopped() {
                    break;
                }
            }
        }
        self.bottlenecks.truncate(mine);
    }

    /// Lines 17-21, and line 11 for every chain on the way: one pass over all NFs.
    fn evaluate(&mut self) {
        let board = &self.board;
        let mut score = -self.instance.move_price * f64::from(board.moves);
        for (index, (chain, pattern)) in self.instance.chains.iter().zip(&board.assignment).enumerate() {
            let (mut bottleneck, mut slowest, mut capacity) = (NONE_REMOTE, f64::INFINITY, f64::INFINITY);
            if let Some(pattern) = pattern {
                walk(chain, pattern, &board.weights, |position, side, llc, mem| {
                    let mpps = side.mpps(llc, mem);
                    capacity = capacity.min(mpps);
                    if mpps < slowest && board.can_come(index, position) {
                        (bottleneck, slowest) = (position as u16, mpps);
                    }
                });
                score += chain.counted(capacity);
            }
            self.bottlenecks.push(bottleneck);
        }
        let rank = Rank { value: board.value, score };
        let allowed = board.moves <= self.instance.max_moves;
        if allowed && self.best.as_ref().is_none_or(|(best, _)| rank.beats(best)) {
            self.best = Some((rank, board.assignment.clone()));
            self.control.found(score);
        }
    }

    /// True unless the memo knows this placement; it does from now on.
    fn is_new(&mut self, hash: u64) -> bool {
        if !self.params.memo {
            return true;
        }
        if self.seen.len() < MOST_REMEMBERED { self.seen.insert(hash) } else { !self.seen.contains(&hash) }
    }
}

/// Hashes of placements are mixed well already: the table takes them as they are.
#[derive(Default)]
struct AlreadyMixed(u64);

impl Hasher for AlreadyMixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
