//! What is better: more packets served; of equals, the least full fullest core; of these, fewer moves.

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
}

impl Worth {
    /// Of what a model says is served.
    pub fn of(problem: &Problem, assignment: &[usize], served: &Served) -> Self {
        Self { served_pps: served.total_pps, max_load: greatest(&served.load), moves: problem.moves(assignment) }
    }

    /// Better than the other one?
    pub fn beats(&self, other: &Self) -> bool {
        let close = |one: f64, other: f64| (one - other).abs() <= EPSILON * one.abs().max(other.abs());
        let by = |one: f64, other: f64| if close(one, other) { Ordering::Equal } else { one.total_cmp(&other) };
        let order = by(self.served_pps, other.served_pps)
            .then(by(other.max_load, self.max_load))
            .then(other.moves.cmp(&self.moves));
        order == Ordering::Greater
    }

    /// One number to go downhill by: packets lost first, the fullest core second.
    pub fn energy(&self, offered_pps: f64) -> f64 {
        (offered_pps - self.served_pps) / offered_pps + 0.02 * self.max_load + 1e-6 * self.moves as f64
    }
}
