//! The proven optimum: most accepted value first, then the highest score, with every feature of the problem.
//!
//! Read in this order: `options` and `rows` (patterns as linear functions), `state` (a partial placement and its bound),
//! `symmetry`, `incumbent` (a good start), `slab` (how unplaced chains
//! see each other), `search` (branch and bound). What is too large for it is searched as `anytime` does.

mod incumbent;
mod options;
mod rows;
mod search;
mod slab;
mod state;
mod symmetry;

use std::ops::ControlFlow;

use crate::acceptance::{best_acceptance, each_equal};
use crate::control::Control;
use crate::instance::{Assignment, Instance};
use crate::laws::octans::{Outcome, anytime};
use crate::rank::{Rank, TOLERANCE, violations};
use options::Options;
pub use options::{MOST_CHAINS, MOST_OPTIONS};
use search::{Search, Task};
use slab::Watch;
use state::State;
use symmetry::{Classes, are_alike, identical_to};

/// The best placement and the proof of it, or the best so far and a bound when `control` says stop.
///
/// Proven within 1e-9 relative. Where patterns are too many to write down, `anytime` searches, with `seed`, as long as it
/// may: nothing is proven then but by its bound, and the outcome says why.
pub fn run(instance: &Instance, seed: u64, control: &mut Control, start: Option<&Assignment>) -> Outcome {
    let accepted = best_acceptance(instance, control);
    let chains = accepted_by(&accepted.seating);
    if !Options::are_few(instance, &chains) {
        return beyond_proof(instance, seed, control, start, &accepted.seating);
    }
    let mut best = Outcome::found(accepted.seating.clone());
    let mut rank = Rank::of(instance, &best.assignment);
    control.found(rank.score);
    let negligible = TOLERANCE * accepted.value.max(1.0);
    let only_set =
        accepted.accepted.iter().all(|taken| *taken) && instance.chains.iter().all(|chain| chain.value > negligible);
    if only_set {
        return place(instance, accepted.seating, f64::NEG_INFINITY, start, control);
    }
    let mut all_proven = accepted.proven;
    let mut first = true;
    let visit = |control: &mut Control, seating: Assignment| {
        let found = place(instance, seating, if first { f64::NEG_INFINITY } else { rank.score }, start, control);
        all_proven &= found.proven;
        let found_rank = Rank::of(instance, &found.assignment);
        if first || found_rank.beats(&rank) {
            (best, rank, first) = (found, found_rank, false);
        }
        if control.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let all_seen = each_equal(instance, control, accepted.value, |a, b| are_alike(instance, a, b), visit);
    best.proven = all_proven && all_seen;
    if best.unproven.is_none() && !best.proven && !control.stopped() {
        best.unproven = Some("the sets of chains that fit are too many to compare them all".to_owned());
    }
    control.found(rank.score);
    best
}

fn accepted_by(seating: &Assignment) -> Vec<usize> {
    (0..seating.len()).filter(|&chain| seating[chain].is_some()).collect()
}

/// The best that `anytime` finds from the better of `start` and `seating`, two placements.
fn beyond_proof(
    instance: &Instance,
    seed: u64,
    control: &mut Control,
    start: Option<&Assignment>,
    seating: &Assignment,
) -> Outcome {
    let reason = too_many(instance, &accepted_by(seating));
    let usable = start.filter(|start| violations(instance, start).is_empty());
    let known = usable.filter(|start| Rank::of(instance, start).beats(&Rank::of(instance, seating))).unwrap_or(seating);
    Outcome { unproven: Some(reason), ..anytime::search(instance, seed, control, Some(known)) }
}

/// Why there is no proof where `Options::are_few` says no.
fn too_many(instance: &Instance, chains: &[usize]) -> String {
    format!(
        "too large for a proof: {} chains on {} nodes, where at most {MOST_CHAINS} chains with {MOST_OPTIONS} ways to \
         place each by itself are searched to the end; searched as 'anytime' does",
        chains.len(),
        instance.nodes()
    )
}

/// The best placement of the chains that `seating` accepts; `seating` itself if none scores more than `known`.
fn place(
    instance: &Instance,
    seating: Assignment,
    known: f64,
    start: Option<&Assignment>,
    control: &mut Control,
) -> Outcome {
    let chains = accepted_by(&seating);
    if chains.is_empty() {
        return Outcome { bound: Some(0.0), proven: true, ..Outcome::found(seating) };
    }
    if !Options::are_few(instance, &chains) {
        return Outcome { unproven: Some(too_many(instance, &chains)), ..Outcome::found(seating) };
    }
    let classes = Classes::new(instance, &chains);
    let options = Options::new(instance, &chains, &classes);
    let (best, score) =
        begin(instance, &options, &chains, &[Some(&seating), start, Some(&instance.initial())], control);
    let least_moves = |chain| options.of(chain).map(|option| options.choice(option).moves).min().unwrap_or(0);
    let weight = |&chain: &usize| instance.chains[chain].nfs.iter().map(|nf| nf.weight).sum();
    let task = Task {
        instance,
        options: &options,
        classes: &classes,
        watch: &Watch::new(instance, &options, &chains),
        identical_to: &identical_to(instance, &chains),
        weight: &chains.iter().map(weight).collect::<Vec<f64>>(),
        least_moves: &(0..chains.len()).map(least_moves).collect::<Vec<u32>>(),
    };
    let mut search = if score > known {
        control.found(score);
        Search::new(&task, control, best, score)
    } else {
        Search::new(&task, control, Vec::new(), known)
    };
    let bound = search.run();
    let found = search.best;
    let proven = !control.stopped();
    control.bounded(bound);
    let mut assignment = seating;
    for (&chain, option) in chains.iter().zip(found) {
        assignment[chain] = Some(options.choice(option).pattern.clone());
    }
    Outcome { bound: Some(bound), proven, ..Outcome::found(assignment) }
}

/// The best of some improved placements, as options, and its score; nothing and -infinity if none is known.
fn begin(
    instance: &Instance,
    options: &Options,
    chains: &[usize],
    known: &[Option<&Assignment>],
    control: &mut Control,
) -> (Vec<u32>, f64) {
    let written = known.iter().flatten().filter(|known| violations(instance, known).is_empty());
    let mut states: Vec<State> = written.filter_map(|known| state_of(instance, options, chains, known)).collect();
    states.extend(incumbent::greedy(instance, options));
    let mut best = (Vec::new(), f64::NEG_INFINITY);
    for mut state in states {
        let score = incumbent::improve(instance, options, &mut state, control);
        if score > best.1 {
            best = (state.chosen.into_iter().flatten().collect(), score);
        }
    }
    best
}

/// The state of a placement of just these chains; None if it rejects one or has a pattern that was not written down.
fn state_of<'a>(instance: &Instance, options: &'a Options, chains: &[usize], known: &Assignment) -> Option<State<'a>> {
    let mut state = State::new(instance, options);
    for (position, &chain) in chains.iter().enumerate() {
        let pattern = known[chain].as_ref()?;
        state.place(position, options.of(position).find(|&option| options.choice(option).pattern == *pattern)?);
    }
    Some(state)
}
