//! One host solved by the chosen algorithm, never worse than what the search over the fleet has found for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::control::{Control, Limits, Progress};
use crate::fleet::demand::Seated;
use crate::fleet::host_problem::{Running, assignment, host_problem};
use crate::fleet::roster::Roster;
use crate::fleet::state::State;
use crate::instance::{Assignment, Instance, assignment_of};
use crate::laws::octans::solve::{report, with_reason};
use crate::laws::octans::{Algorithm, Outcome, Params};
use crate::problem::Problem;
use crate::rank::{Rank, close, violations};
use crate::result::{SolveResult, Status};

/// The name in a result for nodes that the search over the fleet has found itself.
pub const INSERTION: &str = "insertion";

const KEPT: &str = "chains that are kept apart by node keep the nodes that were found for them first";

/// How hosts are solved.
#[derive(Debug, Clone, Copy)]
pub struct Means<'a> {
    /// None: `Algorithm::automatic` for each host.
    pub algorithm: Option<Algorithm>,
    /// Of algorithms that draw lots.
    pub seed: u64,
    /// True once the solve shall end.
    pub cancelled: &'a AtomicBool,
}

/// A placement of all chains of a host.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// As it is reported.
    pub result: SolveResult,
    /// In the order of the state it was made from.
    pub seated: Vec<Seated>,
}

/// What the algorithm found for one host.
#[derive(Debug, Clone)]
pub struct Solved {
    /// Running chains where they are.
    pub pinned: Attempt,
    /// Running chains at other nodes, where that pays by the margin.
    pub moved: Option<Attempt>,
}

/// Solve one host, each of at most two problems within `limits`; None where nothing is predicted.
pub fn solve_host(roster: &Roster, host: usize, state: &State, means: Means, limits: Limits) -> Option<Solved> {
    let ranks: Vec<u32> = state.newcomers().collect();
    let at_home =
        |state: &State| roster.hosts[host].running.iter().eq(&state.seated[..roster.hosts[host].running.len()]);
    let home = if at_home(state) { state.clone() } else { State::rebuilt(roster, host, &ranks, &mut 0)? };
    let problem = host_problem(roster, host, &home, Running::Pinned)?;
    let mut pinned = attempt((roster, host), &problem, &home, assignment(&home), means, limits)?;
    if !roster.hosts[host].may_move() || roster.request.max_moves == Some(0) || roster.hosts[host].running.is_empty() {
        return Some(Solved { pinned, moved: None });
    }
    let found = resolve_moving(roster, host, &home, &pinned, roster.request.max_moves, means, limits)?;
    pinned.result.evaluations += found.result.evaluations;
    // The margin rule: also where newcomers are placed, running chains stay unless moving them gains more than it.
    if found.result.moves > 0 && worth_it(roster, &found, &pinned) {
        return Some(Solved { pinned, moved: Some(found) });
    }
    pinned.result.bound = found.result.bound.map(|bound| bound.max(pinned.result.score));
    pinned.result.status = found.result.status;
    pinned.result.unproven = found.result.unproven;
    Some(Solved { pinned, moved: None })
}

/// Solve with running chains free to move, from the best placement that leaves them where they are.
pub fn resolve_moving(
    roster: &Roster,
    host: usize,
    home: &State,
    pinned: &Attempt,
    max_moves: Option<u32>,
    means: Means,
    limits: Limits,
) -> Option<Attempt> {
    let problem = host_problem(roster, host, home, Running::Free(max_moves))?;
    let start = pinned.seated.iter().map(|chain| Some(chain.pattern.clone())).collect();
    attempt((roster, host), &problem, home, start, means, limits)
}

/// True if moving running chains gains more than the margin.
pub fn worth_it(roster: &Roster, moved: &Attempt, pinned: &Attempt) -> bool {
    let (now, before) = (moved.result.score, pinned.result.score);
    now > before + roster.request.margin_mpps && !close(now, before)
}

/// A result for what stands on a host, without a search; None where nothing is predicted.
pub fn standing(roster: &Roster, host: usize, state: &State) -> Option<SolveResult> {
    let mut problem = host_problem(roster, host, state, Running::Free(None))?;
    problem.margin_mpps = 0.0; // what moved before has passed the margin
    let instance = Instance::new(&problem);
    let outcome = Outcome::found(assignment(state));
    Some(as_far_as_kept(roster, host, state, report(&problem, &instance, INSERTION, outcome, 0, 0.0)))
}

fn attempt(
    (roster, host): (&Roster, usize),
    problem: &Problem,
    state: &State,
    start: Assignment,
    means: Means,
    limits: Limits,
) -> Option<Attempt> {
    let began = Instant::now();
    let instance = Instance::new(problem);
    let mut watcher = |_: Progress| means.cancelled.load(Ordering::Relaxed);
    let mut control = Control::new(limits, Some(&mut watcher));
    let algorithm = means.algorithm.unwrap_or_else(|| Algorithm::automatic(&instance));
    let algorithm = if algorithm.check(problem).is_ok() { algorithm } else { Algorithm::OctansExtended };
    let mut run =
        |algorithm: Algorithm| algorithm.run(&instance, Params::Default, means.seed, &mut control, Some(&start));
    // Exhaustive search refuses what is too large for it; the host's result names who has solved it instead.
    let (name, outcome) = if let Ok(outcome) = run(algorithm) {
        (algorithm.name(), outcome)
    } else {
        let other = Algorithm::automatic(&instance);
        (other.name(), run(other).ok()?)
    };
    let outcome = with_reason(outcome, algorithm, &control);
    let (name, outcome) = better(&instance, start, name, outcome);
    let result = report(problem, &instance, name, outcome, control.evaluations(), began.elapsed().as_secs_f64());
    let result = as_far_as_kept(roster, host, state, result);
    let found = assignment_of(problem, &result.assignment, "assignment").ok()?;
    let seated = state.seated.iter().zip(found);
    let seated = seated.map(|(chain, pattern)| Some(Seated { pattern: pattern?, ..chain.clone() }));
    let seated: Vec<Seated> = seated.collect::<Option<_>>()?;
    Some(Attempt { result, seated })
}

/// Chains that are kept apart by node were pinned: what is proved holds for the nodes they have and for no others, so
/// that the bound is what all would carry if each were alone.
fn as_far_as_kept(roster: &Roster, host: usize, state: &State, result: SolveResult) -> SolveResult {
    if !state.keeps_nodes() {
        return result;
    }
    let bound = state.solo_bound(roster, host).max(result.score);
    SolveResult { status: Status::Feasible, bound: Some(bound), unproven: Some(KEPT.to_owned()), ..result }
}

/// The start, if it ranks higher or places a chain that the outcome does not.
fn better(instance: &Instance, start: Assignment, name: &'static str, outcome: Outcome) -> (&'static str, Outcome) {
    let places_more = outcome.assignment.contains(&None);
    let ranks_higher = || Rank::of(instance, &start).beats(&Rank::of(instance, &outcome.assignment));
    if !violations(instance, &start).is_empty() || !(places_more || ranks_higher()) {
        return (name, outcome);
    }
    let bound = outcome.bound.filter(|_| !places_more);
    (INSERTION, Outcome { bound, unproven: outcome.unproven, ..Outcome::found(start) })
}

/// The result of a host whose chains were seated by the fill rule, because nothing is predicted there.
pub fn filled(roster: &Roster, host: usize, state: &State) -> SolveResult {
    let nodes = &roster.hosts[host].asked.nodes;
    let assignment = state.seated.iter().enumerate().map(|(index, chain)| {
        let (id, ..) = crate::fleet::host_problem::named(roster, host, index, chain);
        (id.to_owned(), chain.pattern.iter().map(|&node| nodes[node as usize].id.clone()).collect())
    });
    SolveResult {
        algorithm: Algorithm::NodeFirst.name().to_owned(),
        status: Status::Feasible,
        objective: 0.0,
        score: 0.0,
        bound: None,
        unproven: None,
        assignment: assignment.collect(),
        rejected: Vec::new(),
        moves: 0,
        chains: std::collections::BTreeMap::new(),
        evaluations: 0,
        seconds: 0.0,
    }
}
