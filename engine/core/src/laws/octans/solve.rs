//! One door to all algorithms: `solve(problem, algorithm, options, watcher) -> SolveResult`.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::control::{Control, Ended, Limits, Watcher};
use crate::error::BadInput;
use crate::instance::{Assignment, Instance, assignment_of, placement_of};
use crate::laws::octans::{Algorithm, Outcome, Params};
use crate::model::{self, ChainFigures};
use crate::problem::{Placement, Problem};
use crate::rank::{Rank, close, moves, solo_bound, violations};
use crate::rejections::rejections_of;
use crate::result::{ChainResult, SolveResult, Status};

/// How to solve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Of algorithms that draw lots.
    pub seed: u64,
    /// What the algorithm is given beyond the problem.
    pub params: Params,
    /// When to end.
    pub limits: Limits,
    /// A placement to begin the search with (not the running one: that is `problem.initial`).
    pub start: Option<Placement>,
}

/// Place the chains of a checked problem.
pub fn solve<'a>(
    problem: &Problem,
    algorithm: Algorithm,
    options: &Options,
    watcher: Option<&'a mut Watcher<'a>>,
) -> Result<SolveResult, BadInput> {
    let began = Instant::now();
    algorithm.check(problem)?;
    let instance = Instance::new(problem);
    let start = options.start.as_ref().map(|start| assignment_of(problem, start, "start")).transpose()?;
    let mut control = Control::new(options.limits, watcher);
    let outcome = algorithm.run(&instance, options.params, options.seed, &mut control, start.as_ref())?;
    let outcome = with_reason(outcome, algorithm, &control);
    let seconds = began.elapsed().as_secs_f64();
    Ok(report(problem, &instance, algorithm.name(), outcome, control.evaluations(), seconds))
}

/// The outcome with the reason why nothing is proven: the algorithm's own, and what ended its search.
pub fn with_reason(outcome: Outcome, algorithm: Algorithm, control: &Control) -> Outcome {
    let ended = control.ended().filter(|_| algorithm.can_be_ended()).map(|ended| match ended {
        Ended::Time => "the search ended at its limit of time",
        Ended::Evaluations => "the search ended at its limit of evaluations",
        Ended::Watcher => "the search was cancelled",
    });
    let reasons: Vec<String> = outcome.unproven.iter().cloned().chain(ended.map(str::to_owned)).collect();
    Outcome { unproven: (!reasons.is_empty()).then(|| reasons.join("; ")), ..outcome }
}

/// What is reported of an outcome; `seconds` is wall time.
pub fn report(
    problem: &Problem,
    instance: &Instance,
    algorithm: &str,
    outcome: Outcome,
    evaluations: u64,
    seconds: f64,
) -> SolveResult {
    let chosen = choose(instance, outcome);
    let figures = model::evaluate(instance, &chosen.assignment);
    let rejected = rejections_of(problem, instance, &chosen.assignment);
    SolveResult {
        algorithm: algorithm.to_owned(),
        status: status(&chosen.assignment, chosen.proven),
        objective: objective(instance, &figures),
        score: Rank::of(instance, &chosen.assignment).score,
        bound: chosen.bound,
        unproven: chosen.unproven,
        assignment: placement_of(problem, &chosen.assignment),
        rejected,
        moves: moves(instance, &chosen.assignment),
        chains: chain_results(problem, instance, &figures),
        evaluations,
        seconds,
    }
}

/// What is returned of what was found: the margin rule, and the best bound known.
pub fn choose(instance: &Instance, outcome: Outcome) -> Outcome {
    let solo = solo_bound(instance, &outcome.assignment);
    let score = Rank::of(instance, &outcome.assignment).score;
    let proven = outcome.proven || (!outcome.assignment.contains(&None) && close(score, solo));
    let bound = if proven { score } else { outcome.bound.map_or(solo, |bound| bound.min(solo)).max(score) };
    let assignment = keep_unless_worth_it(instance, outcome.assignment);
    Outcome { assignment, bound: Some(bound), proven, unproven: outcome.unproven.filter(|_| !proven) }
}

/// The margin rule: the initial placement stays unless it is beaten by the margin.
///
/// It may stay only where it is feasible, no chain of it is gone, and every chain that was found a place has one in it.
fn keep_unless_worth_it(instance: &Instance, found: Assignment) -> Assignment {
    let initial = instance.initial();
    let newly_placed = found.iter().zip(&initial).any(|(now, before)| now.is_some() && before.is_none());
    if !instance.may_keep_initial || newly_placed || !violations(instance, &initial).is_empty() {
        return found;
    }
    let (now, before) = (Rank::of(instance, &found), Rank::of(instance, &initial));
    let worth_it =
        now.beats(&before) && (!close(now.value, before.value) || now.score > before.score + instance.margin);
    if worth_it { found } else { initial }
}

/// How good an assignment is known to be.
pub fn status(assignment: &Assignment, proven: bool) -> Status {
    if !assignment.is_empty() && assignment.iter().all(Option::is_none) {
        return Status::Infeasible;
    }
    if proven || assignment.is_empty() { Status::Optimal } else { Status::Feasible }
}

/// Unclamped sum of the counted throughputs, Mpps.
pub fn objective(instance: &Instance, figures: &[Option<ChainFigures>]) -> f64 {
    let counted =
        instance.chains.iter().zip(figures).filter_map(|(chain, found)| Some(found.as_ref()?.capacity.min(chain.rate)));
    counted.sum()
}

/// What the accepted chains deliver.
pub fn chain_results(
    problem: &Problem,
    instance: &Instance,
    figures: &[Option<ChainFigures>],
) -> BTreeMap<String, ChainResult> {
    let results = problem.chains.iter().zip(&instance.chains).zip(figures).filter_map(|((named, chain), found)| {
        let found = found.as_ref()?;
        let mpps = delivered(chain.rate, found);
        Some((named.id.clone(), ChainResult { mpps, bottleneck: found.bottleneck }))
    });
    results.collect()
}

/// What a chain that is offered `rate` delivers, Mpps: clamped to [0, ideal throughput of its bottleneck].
pub fn delivered(rate: f64, found: &ChainFigures) -> f64 {
    found.capacity.min(rate).min(found.nfs[found.bottleneck].ideal).max(0.0)
}
