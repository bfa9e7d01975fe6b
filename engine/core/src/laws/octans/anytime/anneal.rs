//! Simulated annealing (S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, Science 220, 1983) over the changes of `moves` and
//! `refill`.
//!
//! The lot of a proposal is drawn before it is judged, so a forecast that cannot reach the lot refuses it for certain:
//! only proposals that probably stay are computed in full. Accepted value is never given up; more of it always wins.

use super::dice::Dice;
use super::moves::Moves;
use super::refill::Refill;
use crate::control::Control;
use crate::incremental::{Change, Standing};
use crate::rank::{Rank, close};

const REFILL_EVERY: usize = 6; // proposals for one accept / reject exchange, where chains are rejected

/// Temperatures of a round, Mpps x value.
#[derive(Debug, Clone, Copy)]
pub struct Cooling {
    /// At its first proposal.
    pub hot: f64,
    /// At its last.
    pub cold: f64,
    /// How many there are.
    pub proposals: u64,
}

/// A placement under search, the best it has been, and what proposals need.
pub struct Search<'a> {
    /// Where it stands.
    pub standing: Standing<'a>,
    best: Vec<u16>,
    best_rank: Rank,
    unsaved: bool, // the best stands, and `best` is an earlier one
    dice: Dice,
    moves: Moves,
    refill: Refill,
    change: Change,
}

impl<'a> Search<'a> {
    /// Begin at a placement.
    pub fn new(standing: Standing<'a>, seed: u64) -> Self {
        let mut best = Vec::new();
        standing.save(&mut best);
        Self {
            best_rank: standing.rank(),
            best,
            unsaved: false,
            standing,
            dice: Dice::new(seed),
            moves: Moves::default(),
            refill: Refill::default(),
            change: Change::default(),
        }
    }

    /// The best rank so far.
    pub fn best_rank(&self) -> Rank {
        self.best_rank
    }

    /// Stand at the best so far.
    pub fn return_to_best(&mut self) {
        self.save_if_best();
        self.standing.load(&self.best);
    }

    /// One round from where it stands; ends early when `control` says so. The best is saved before it is left.
    pub fn anneal(&mut self, cooling: Cooling, control: &mut Control) {
        const STEP: u64 = 64; // proposals at one temperature
        let steps = cooling.proposals.div_ceil(STEP).max(1);
        let rate = (cooling.cold / cooling.hot).powf(1.0 / steps as f64);
        let mut heat = cooling.hot;
        for _ in 0..steps {
            for _ in 0..STEP {
                self.propose(heat);
            }
            heat *= rate;
            if self.unsaved {
                control.found(self.best_rank.score);
            }
            if control.count(STEP) {
                break;
            }
        }
        self.save_if_best();
    }

    fn propose(&mut self, heat: f64) {
        let refills = !self.standing.rejected().is_empty() && self.dice.below(REFILL_EVERY) == 0;
        let proposed = if refills {
            self.refill.propose(&self.standing, &mut self.dice, &mut self.change)
        } else {
            self.moves.propose(&self.standing, &mut self.dice, &mut self.change)
        };
        if !proposed {
            return;
        }
        let Some(forecast) = self.standing.forecast(&self.change) else { return };
        let before = self.standing.rank();
        let value = before.value + forecast.value;
        if !close(value, before.value) {
            if value > before.value {
                self.standing.apply(&self.change);
                self.note();
            }
            return;
        }
        let least = heat * self.dice.unit().ln();
        if forecast.score < least {
            return;
        }
        if forecast.score < 0.0 {
            self.save_if_best();
        }
        self.standing.apply(&self.change);
        let gain = self.standing.rank().score - before.score;
        if gain < least {
            self.standing.undo();
        } else if gain < 0.0 && self.unsaved {
            self.standing.undo();
            self.save_if_best();
            self.standing.apply(&self.change);
        }
        self.note();
    }

    /// Note a new best; it is saved before it is left, for most are left for a better one at once.
    fn note(&mut self) {
        if self.standing.rank().beats(&self.best_rank) {
            self.best_rank = self.standing.rank();
            self.unsaved = true;
        }
    }

    fn save_if_best(&mut self) {
        if std::mem::take(&mut self.unsaved) {
            self.standing.save(&mut self.best);
        }
    }
}
