//! The first aim: the most summed value of accepted chains that have room together.
//!
//! A chain may spread over any nodes its pins allow, so only free cores, pins and the limit on moves matter. `Seats` says
//! whether a set of chains fits, `Promise` what is still to be had; between them lies a depth-first search by falling
//! value a core, whose first dive is the greedy answer and is never cut.

mod promise;
mod seats;

use std::ops::ControlFlow;

use crate::control::Control;
use crate::instance::{Assignment, Instance};
use crate::rank::TOLERANCE;
use promise::Promise;
use seats::Seats;

/// Chains decided, and groups looked at for a path, in one search before it is cut: about a second.
const MOST_STEPS: u64 = 2_000_000;
/// Steps between two looks at the clock.
const LOOK_EVERY: u64 = 1024;

/// Which chains are placed.
#[derive(Debug, Clone, PartialEq)]
pub struct Acceptance {
    /// By chain, in the problem's order.
    pub accepted: Vec<bool>,
    /// Summed value of the accepted chains.
    pub value: f64,
    /// True if no feasible set is worth more.
    pub proven: bool,
    /// A placement of just these chains.
    pub seating: Assignment,
}

/// The most valuable set of chains that fits; a valid set, though perhaps not the best, whenever `control` says stop.
pub fn best_acceptance(instance: &Instance, control: &mut Control) -> Acceptance {
    let everyone = vec![true; instance.chains.len()];
    if let Some(seating) = seat(instance, &everyone) {
        let value = instance.chains.iter().map(|chain| chain.value).sum();
        return Acceptance { accepted: everyone, value, proven: true, seating };
    }
    let nobody = vec![false; instance.chains.len()];
    let mut best = Acceptance { seating: vec![None; nobody.len()], accepted: nobody, value: 0.0, proven: false };
    let mut search = Search::new(instance);
    best.proven = search.run(control, Goal::Better(0.0), |_, accepted, value, seats| {
        if value > best.value {
            best.accepted.copy_from_slice(accepted);
            (best.value, best.seating) = (value, seats.assignment(accepted));
        }
        ControlFlow::Continue(())
    });
    best
}

/// A placement of just these chains within free cores, pins and moves; None if there is none.
pub fn seat(instance: &Instance, accepted: &[bool]) -> Option<Assignment> {
    let need: u64 = instance
        .chains
        .iter()
        .zip(accepted)
        .filter(|(_, taken)| **taken)
        .map(|(chain, _)| chain.nfs.len() as u64)
        .sum();
    if need > total_free(instance) {
        return None;
    }
    let mut seats = Seats::new(instance);
    // Chains that run now go first: their cores are then taken where they are.
    let runs = |chain: usize| instance.chains[chain].initial.is_some();
    let order =
        (0..accepted.len()).filter(|&chain| runs(chain)).chain((0..accepted.len()).filter(|&chain| !runs(chain)));
    let seated = order.filter(|&chain| accepted[chain]).all(|chain| seats.add(chain));
    seated.then(|| seats.assignment(accepted))
}

/// Show every feasible set whose value equals `value` within `TOLERANCE`, up to exchange of chains that the model cannot
/// distinguish (`alike`); false if the search was cut.
pub fn each_equal(
    instance: &Instance,
    control: &mut Control,
    value: f64,
    alike: impl Fn(usize, usize) -> bool,
    mut visit: impl FnMut(&mut Control, Assignment) -> ControlFlow<()>,
) -> bool {
    let mut search = Search::new(instance);
    search.tell_apart(alike);
    let least = value - TOLERANCE * value.max(1.0);
    search.run(control, Goal::AtLeast(least), |control, accepted, _, seats| visit(control, seats.assignment(accepted)))
}

fn total_free(instance: &Instance) -> u64 {
    instance.free.iter().map(|&free| u64::from(free)).sum()
}

/// Which sets are of interest.
#[derive(Clone, Copy)]
enum Goal {
    /// Only those worth more than the best so far.
    Better(f64),
    /// All worth at least this.
    AtLeast(f64),
}

/// Depth first over the chains in `order`, accepting before rejecting.
struct Search<'a> {
    instance: &'a Instance,
    seats: Seats<'a>,
    order: Vec<usize>,
    like_previous: Vec<bool>, // by position: exchangeable with the chain before it, so rejected if that one is
    promise: Promise,
}

impl<'a> Search<'a> {
    #[expect(clippy::float_cmp, reason = "only chains of exactly equal value are exchangeable")]
    fn new(instance: &'a Instance) -> Self {
        let mut seats = Seats::new(instance);
        let mut order: Vec<usize> = Vec::with_capacity(instance.chains.len());
        for chain in 0..instance.chains.len() {
            if seats.add(chain) {
                order.push(chain);
                seats.undo(0);
            }
        }
        let kinds: Vec<Vec<u32>> = (0..instance.chains.len()).map(|chain| seats.kind(chain)).collect();
        let density = |chain: usize| {
            let chain = &instance.chains[chain];
            chain.value / chain.nfs.len() as f64
        };
        order.sort_by(|&a, &b| density(b).total_cmp(&density(a)).then_with(|| kinds[a].cmp(&kinds[b])));
        let items: Vec<(f64, u32)> = order
            .iter()
            .map(|&chain| (instance.chains[chain].value, instance.chains[chain].nfs.len() as u32))
            .collect();
        let alike = |pair: &[usize]| {
            kinds[pair[0]] == kinds[pair[1]] && instance.chains[pair[0]].value == instance.chains[pair[1]].value
        };
        let like_previous = std::iter::once(false).chain(order.windows(2).map(alike)).collect();
        Self { instance, seats, promise: Promise::new(&items, total_free(instance)), order, like_previous }
    }

    /// Chains that differ by this test are no longer exchangeable.
    fn tell_apart(&mut self, alike: impl Fn(usize, usize) -> bool) {
        for position in 1..self.order.len() {
            self.like_previous[position] &= alike(self.order[position - 1], self.order[position]);
        }
    }

    /// True if all was seen. Iterative: chains may be many.
    fn run(
        &mut self,
        control: &mut Control,
        mut goal: Goal,
        mut visit: impl FnMut(&mut Control, &[bool], f64, &Seats) -> ControlFlow<()>,
    ) -> bool {
        let mut accepted = vec![false; self.instance.chains.len()];
        let mut trail: Vec<(usize, usize, f64)> = Vec::new(); // accepted position, seats before it, value before it
        let (mut position, mut value, mut left) = (0, 0.0, total_free(self.instance));
        let (mut steps, mut next_look) = (0u64, 0);
        let mut dived = matches!(goal, Goal::AtLeast(_));
        loop {
            steps += 1;
            let work = steps + self.seats.effort();
            if dived && work >= next_look {
                next_look = work + LOOK_EVERY;
                if work > MOST_STEPS || control.look() {
                    return false;
                }
            }
            let upper_bound = value + self.promise.most(position, left);
            let hopeless = match goal {
                Goal::Better(best) => dived && upper_bound <= best + TOLERANCE * best.max(1.0),
                Goal::AtLeast(least) => upper_bound < least,
            };
            if !hopeless && position < self.order.len() {
                let chain = self.order[position];
                let excluded = self.like_previous[position] && !accepted[self.order[position - 1]];
                let mark = self.seats.mark();
                let enough = left >= self.instance.chains[chain].nfs.len() as u64;
                if enough && !excluded && self.seats.add(chain) {
                    trail.push((position, mark, value));
                    accepted[chain] = true;
                    value += self.instance.chains[chain].value;
                    left -= self.instance.chains[chain].nfs.len() as u64;
                }
                position += 1;
                continue;
            }
            if !hopeless {
                dived = true;
                if let Goal::Better(best) = &mut goal {
                    *best = best.max(value);
                }
                if visit(control, &accepted, value, &self.seats).is_break() {
                    return false;
                }
            }
            let Some((last, mark, before)) = trail.pop() else { return true };
            self.seats.undo(mark);
            accepted[self.order[last]] = false;
            left += self.instance.chains[self.order[last]].nfs.len() as u64;
            (position, value) = (last + 1, before);
        }
    }
}
