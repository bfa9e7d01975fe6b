//! The anytime search keeps every rule, finds the optimum of small problems, and repeats itself.

use std::time::Duration;

use crate::tests::problems::any::{problems, samples};
use proptest::prelude::*;
use sextant_core::control::{Control, Limits};
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::instance::{Assignment, Instance};
use sextant_core::laws::octans::{Algorithm, Outcome, Params, anytime};
use sextant_core::problem::Problem;
use sextant_core::rank::{Rank, close, violations};

fn run(instance: &Instance, seed: u64, evaluations: u64, start: Option<&Assignment>) -> Outcome {
    let limits = Limits { time: None, evaluations: Some(evaluations) };
    anytime::search(instance, seed, &mut Control::new(limits, None), start)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Against brute force, on problems with every feature: no rule broken, never better, the bound not below, and
    /// proven only what is true.
    #[test]
    fn never_better_than_brute(problem in problems(1..=4), seed in any::<u64>()) {
        let instance = Instance::new(&problem);
        let best = Algorithm::Brute.run(&instance, Params::Default, 0, &mut Control::unlimited(), None).unwrap();
        let best = Rank::of(&instance, &best.assignment);
        let outcome = run(&instance, seed, 20_000, None);
        let rank = Rank::of(&instance, &outcome.assignment);
        prop_assert_eq!(violations(&instance, &outcome.assignment), vec![]);
        prop_assert!(!rank.beats(&best), "{rank:?} beats {best:?}");
        prop_assert!(outcome.bound.unwrap() >= rank.score);
        prop_assert!(!outcome.proven || !best.beats(&rank));
    }

    /// The accepted value is brute force's from the beginning: cores, pins and moves decide it, not throughput.
    #[test]
    fn accepts_what_brute_accepts(problem in problems(1..=4), seed in any::<u64>(), evaluations in 0u64..200) {
        let instance = Instance::new(&problem);
        let best = Algorithm::Brute.run(&instance, Params::Default, 0, &mut Control::unlimited(), None).unwrap();
        let (best, found) = (best.assignment, run(&instance, seed, evaluations, None).assignment);
        let (best, found) = (Rank::of(&instance, &best).value, Rank::of(&instance, &found).value);
        prop_assert!(close(best, found), "{found} of {best}");
    }

    /// Never worse than where it starts, whatever the limit.
    #[test]
    fn never_worse_than_its_start(problem in problems(1..=8), seed in any::<u64>(), evaluations in 0u64..3000) {
        let instance = Instance::new(&problem);
        let start = run(&instance, seed, 2000, None).assignment;
        let outcome = run(&instance, seed ^ 1, evaluations, Some(&start));
        prop_assert!(!Rank::of(&instance, &start).beats(&Rank::of(&instance, &outcome.assignment)));
    }

    /// Equal seeds and limits give equal outcomes, the bound included.
    #[test]
    fn repeats_itself(problem in problems(1..=8), seed in any::<u64>(), evaluations in 0u64..60_000) {
        let instance = Instance::new(&problem);
        prop_assert_eq!(run(&instance, seed, evaluations, None), run(&instance, seed, evaluations, None));
    }
}

/// Problems with every feature are small enough to be solved: of 60, all but at most one.
#[test]
fn finds_the_optimum_of_small_problems() {
    let solved = |problem: &Problem| {
        let instance = Instance::new(problem);
        let best = Algorithm::Brute.run(&instance, Params::Default, 0, &mut Control::unlimited(), None).unwrap();
        let best = Rank::of(&instance, &best.assignment);
        let found = Rank::of(&instance, &run(&instance, 1, 50_000, None).assignment);
        close(found.value, best.value) && close(found.score, best.score)
    };
    let missed: Vec<Problem> = samples(60, &problems(1..=4)).into_iter().filter(|problem| !solved(problem)).collect();
    assert!(missed.len() <= 1, "{missed:?}");
}

/// No time at all still gives the best of the baselines, and the solo bound.
#[test]
fn no_time_gives_a_placement() {
    let recipe = Recipe { chains: 12, nodes: 4, cores: 10, length: 3, mode: Mode::B, seed: 7 };
    let instance = Instance::new(&generate(&recipe).unwrap());
    let limits = Limits { time: Some(Duration::ZERO), evaluations: None };
    let outcome = anytime::search(&instance, 7, &mut Control::new(limits, None), None);
    let first = Algorithm::NodeFirst.run(&instance, Params::Default, 7, &mut Control::unlimited(), None).unwrap();
    assert!(!Rank::of(&instance, &first.assignment).beats(&Rank::of(&instance, &outcome.assignment)));
    assert!(!outcome.assignment.contains(&None) && outcome.bound.is_some());
}
