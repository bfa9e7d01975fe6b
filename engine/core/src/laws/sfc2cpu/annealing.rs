//! Annealing over assignments, by whatever judges them; then down to where no move and no exchange is better.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::control::Control;
use crate::laws::sfc2cpu::problem::{Assignment, Problem};
use crate::laws::sfc2cpu::worth::Worth;

/// Energy at which the search begins and ends; a packet in a hundred lost is 0.01.
const HOT: f64 = 0.03;
const COLD: f64 = 0.0003;

/// An assignment and what it is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The core of each VNF.
    pub assignment: Assignment,
    /// By the judge.
    pub worth: Worth,
}

/// Finds better assignments.
pub struct Annealing<'a, 'c, F> {
    /// What is to be assigned.
    pub problem: &'a Problem,
    /// Packets a second that come to all chains.
    pub offered_pps: f64,
    /// What an assignment is worth.
    pub judge: F,
    /// Steps that judging one counts as.
    pub weight: u64,
    /// When to end.
    pub control: &'a mut Control<'c>,
}

impl<F: FnMut(&[usize]) -> Worth> Annealing<'_, '_, F> {
    /// The best of the starts, so many steps of annealing from it, and what is downhill of both.
    pub fn search(&mut self, starts: Vec<Assignment>, steps: u64, seed: u64) -> Option<Judged> {
        let mut best: Option<Judged> = None;
        for assignment in starts {
            let worth = (self.judge)(&assignment);
            if best.as_ref().is_none_or(|known| worth.beats(&known.worth)) {
                best = Some(Judged { assignment, worth });
            }
        }
        let mut best = best?;
        self.descend(&mut best);
        let mut found = self.anneal(&best, steps, seed);
        self.descend(&mut found);
        Some(if found.worth.beats(&best.worth) { found } else { best })
    }

    fn anneal(&mut self, start: &Judged, steps: u64, seed: u64) -> Judged {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut at, mut best) = (start.assignment.clone(), start.clone());
        let mut energy = start.worth.energy(self.offered_pps);
        for step in 0..steps {
            if self.control.count(self.weight) {
                break;
            }
            let heat = HOT * (COLD / HOT).powf(step as f64 / steps as f64);
            let before = self.change(&mut at, &mut dice);
            let worth = (self.judge)(&at);
            let after = worth.energy(self.offered_pps);
            let luck = (dice.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            if !self.problem.allows(&at) || luck >= ((energy - after) / heat).exp() {
                for (vnf, core) in before {
                    at[vnf] = core;
                }
                continue;
            }
            energy = after;
            if worth.beats(&best.worth) {
                best = Judged { assignment: at.clone(), worth };
                self.control.found(worth.served_pps);
            }
        }
        best
    }

    /// Another core for one VNF, or the cores of two exchanged. What they had before, the last change first.
    fn change(&self, at: &mut [usize], dice: &mut Xoshiro256PlusPlus) -> [(usize, usize); 2] {
        let mut below = |most: usize| (dice.next_u64() % most as u64) as usize;
        let (one, other) = (below(at.len()), below(at.len()));
        let before = [(other, at[other]), (one, at[one])];
        if at[one] != at[other] && below(2) == 0 {
            at.swap(one, other);
        } else {
            at[one] = below(self.problem.cores.len());
        }
        before
    }

    /// Move after move, and exchange after exchange, as long as one is better.
    pub fn descend(&mut self, found: &mut Judged) {
        let vnfs = found.assignment.len();
        while !self.control.stopped() {
            let before = found.worth;
            for one in 0..vnfs {
                for core in 0..self.problem.cores.len() {
                    self.attempt(found, |at| at[one] = core);
                }
                for other in one + 1..vnfs {
                    self.attempt(found, |at| at.swap(one, other));
                }
            }
            if !found.worth.beats(&before) {
                return;
            }
        }
    }

    fn attempt(&mut self, found: &mut Judged, change: impl Fn(&mut [usize])) {
        let mut at = found.assignment.clone();
        change(&mut at);
        if at == found.assignment || !self.problem.allows(&at) || self.control.count(self.weight) {
            return;
        }
        let worth = (self.judge)(&at);
        if worth.beats(&found.worth) {
            *found = Judged { assignment: at, worth };
        }
    }
}
