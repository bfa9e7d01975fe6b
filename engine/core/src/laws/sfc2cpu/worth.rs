//! What is better: more packets served; of equals, the least full fullest core; of these, fewer moves; of these, loads
//! that are more evenly spread.
//!
//! Where one VNF fills a core by itself, the fullest core says nothing of the others; packets wait longer on a core that
//! is fuller than it need be. Evenness comes last: a move costs packets, and nothing is lost on a core that is not full.

use std::cmp::Ordering;

use crate::laws::sfc2cpu::ideal::Served;
use crate::laws::sfc2cpu::problem::{Problem, greatest};

/// Relative: less is no difference.
const EPSILON: f64 = 1e-9;

/// Of an assignment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worth {
    /// Packets a second out of all chains.
    pub served_pps: f64,
    /// What the fullest core is asked for.
    pub max_load: f64,
    /// VNFs that stand elsewhere than before.
    pub moves: usize,
    /// Sum of squares of what cores are asked for: the less, the more evenly loads are spread.
    pub unevenness: f64,
}

impl Worth {
    /// Of what a model says is served.
    pub fn of(problem: &Problem, assignment: &[usize], served: &Served) -> Self {
        Self {
            served_pps: served.total_pps,
            max_load: greatest(&served.load),
            moves: problem.moves(assignment),
            unevenness: served.load.iter().map(|load| load * load).sum(),
        }
    }

    /// Better than the other one?
    pub fn beats(&self, other: &Self) -> bool {
        let close = |one: f64, other: f64| (one - other).abs() <= EPSILON * one.abs().max(other.abs());
        let by = |one: f64, other: f64| if close(one, other) { Ordering::Equal } else { one.total_cmp(&other) };
        let order = by(self.served_pps, other.served_pps)
            .then(by(other.max_load, self.max_load))
            .then(other.moves.cmp(&self.moves))
            .then(by(other.unevenness, self.unevenness));
        order == Ordering::Greater
    }

    /// One number to go downhill by: packets lost first, the fullest core second.
    pub fn energy(&self, offered_pps: f64) -> f64 {
        (offered_pps - self.served_pps) / offered_pps + 0.02 * self.max_load + 1e-6 * self.moves as f64
    }
}
