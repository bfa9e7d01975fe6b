//! The most packets by loads that a fitted model predicts: all assignments where they are few, else annealing.

use crate::control::Control;
use crate::laws::sfc2cpu::annealing::{Annealing, Judged};
use crate::laws::sfc2cpu::heuristics::{first_fit_decreasing, longest_first};
use crate::laws::sfc2cpu::ideal::{Demand, extended, literal};
use crate::laws::sfc2cpu::inflation::{Model, Predictor};
use crate::laws::sfc2cpu::min_max;
use crate::laws::sfc2cpu::problem::{Assignment, Problem, Traffic};
use crate::laws::sfc2cpu::rebalance::rebalance;
use crate::laws::sfc2cpu::worth::Worth;

/// Most assignments that are all tried.
const FEW: f64 = 50_000.0;
/// Steps of a search that nobody limits. A judgement of n VNFs counts as 1 + n^2 / 256: it looks at all pairs. Less than
/// a second.
pub const STEPS: u64 = 1_000_000;
const PAIRS_A_STEP: u64 = 256;
/// Steps of annealing, at most; as many are left for going downhill.
const ANNEALING: u64 = 30_000;
/// Steps of the search for a flat start.
const FLATTENING: u64 = 200_000;

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The best that was met.
    pub assignment: Assignment,
    /// As predicted.
    pub worth: Worth,
    /// Packets a second: by the model no assignment serves more.
    pub bound: f64,
}

/// The best that is met.
pub fn assign(problem: &Problem, traffic: &Traffic, model: &Model, seed: u64, control: &mut Control) -> Found {
    let offered: f64 = traffic.chains.iter().map(|chain| traffic.offered(chain)).sum();
    let mut predictor = Predictor::new(problem, traffic, model);
    let mut judge = |at: &[usize]| {
        let demand = Demand { loads: predictor.loads(at), cores: problem.cores.len(), gamma: problem.gamma };
        let served = if model.extended { extended(demand, traffic, at) } else { literal(demand, traffic, at) };
        Worth::of(problem, at, &served)
    };
    let free = (0..problem.loads.len()).filter(|&vnf| problem.is_open(vnf, problem.max_moves)).count();
    if (problem.cores.len() as f64).powf(free as f64) <= FEW {
        let Judged { assignment, worth } = all(problem, &mut judge, control);
        return Found { assignment, worth, bound: if control.stopped() { offered } else { worth.served_pps } };
    }
    let starts = starts(problem);
    let first = starts[0].clone();
    let weight = 1 + (problem.loads.len() as u64).pow(2) / PAIRS_A_STEP;
    let mut annealing = Annealing { problem, offered_pps: offered, judge: &mut judge, weight, control };
    let found = annealing.search(starts, ANNEALING.min(STEPS / 2 / weight), seed);
    let Judged { assignment, worth } = found.unwrap_or_else(|| Judged { worth: judge(&first), assignment: first });
    Found { assignment, worth, bound: offered }
}

fn starts(problem: &Problem) -> Vec<Assignment> {
    let mut brief = Control::new(crate::control::Limits { time: None, evaluations: Some(FLATTENING) }, None);
    let mut found = vec![min_max::assign(problem, &mut brief).assignment];
    for mut ruled in [longest_first(problem), first_fit_decreasing(problem)] {
        rebalance(problem, &mut ruled);
        found.push(ruled);
    }
    found
}

/// Every assignment of what may go anywhere, the lowest cores first.
fn all(problem: &Problem, judge: &mut impl FnMut(&[usize]) -> Worth, control: &mut Control) -> Judged {
    let free: Vec<usize> = (0..problem.loads.len()).filter(|&vnf| problem.is_open(vnf, problem.max_moves)).collect();
    let mut assignment: Assignment = problem.placed.iter().map(|core| core.unwrap_or_default()).collect();
    free.iter().for_each(|&vnf| assignment[vnf] = 0);
    let mut best: Option<Judged> = None;
    loop {
        if problem.allows(&assignment) {
            let worth = judge(&assignment);
            if best.as_ref().is_none_or(|known| worth.beats(&known.worth)) {
                best = Some(Judged { assignment: assignment.clone(), worth });
            }
        }
        // The next one, as an odometer counts: the last VNF fastest.
        let Some(turn) = free.iter().rposition(|&vnf| assignment[vnf] + 1 < problem.cores.len()) else { break };
        assignment[free[turn]] += 1;
        free[turn + 1..].iter().for_each(|&vnf| assignment[vnf] = 0);
        if control.count(1) && best.is_some() {
            break;
        }
    }
    best.unwrap_or_else(|| Judged { worth: judge(&assignment), assignment })
}
