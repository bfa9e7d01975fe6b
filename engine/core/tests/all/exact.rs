//! `exact` against exhaustive search and against worked arithmetic.

use std::time::Duration;

use crate::tests::problems::any::enumerable;
use crate::tests::problems::build::{self, chain, nodes, placement};

use proptest::prelude::*;
use sextant_core::acceptance::best_acceptance;
use sextant_core::control::{Control, Limits};
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::instance::Instance;
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::laws::octans::{Algorithm, Outcome, Params};
use sextant_core::problem::{Chain, Objective, Problem};
use sextant_core::rank::{Rank, violations};
use sextant_core::result::Status;

fn run(instance: &Instance, algorithm: Algorithm) -> (Outcome, Rank) {
    let outcome = algorithm.run(instance, Params::Default, 0, &mut Control::unlimited(), None).unwrap();
    let rank = Rank::of(instance, &outcome.assignment);
    (outcome, rank)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 2e-9 * a.abs().max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Value and score are those of exhaustive search, nothing is violated, and the bound holds.
    #[test]
    fn equals_exhaustive_search(problem in enumerable(4000.0)) {
        let instance = Instance::new(&problem);
        let (found, rank) = run(&instance, Algorithm::Exact);
        let (_, best) = run(&instance, Algorithm::Brute);
        prop_assert!(found.proven);
        prop_assert_eq!(violations(&instance, &found.assignment), vec![]);
        prop_assert!(near(rank.value, best.value), "value {} instead of {}", rank.value, best.value);
        prop_assert!(near(rank.score, best.score), "score {} instead of {}", rank.score, best.score);
        let bound = found.bound.unwrap();
        prop_assert!(bound >= best.score - 1e-9 * best.score.abs().max(1.0), "bound {bound} below {}", best.score);
    }

    /// Stopped anywhere it returns a valid placement and a bound that the optimum of the same chains does not exceed.
    #[test]
    fn stopped_early_its_bound_still_holds(problem in enumerable(1000.0), evaluations in 0u64..30) {
        let instance = Instance::new(&problem);
        let limits = Limits { time: None, evaluations: Some(evaluations) };
        let found = Algorithm::Exact.run(&instance, Params::Default, 0, &mut Control::new(limits, None), None).unwrap();
        prop_assert_eq!(violations(&instance, &found.assignment), vec![]);
        let mut same_chains = instance.clone();
        let kept = instance.chains.iter().zip(&found.assignment).filter(|(_, pattern)| pattern.is_some());
        same_chains.chains = kept.map(|(chain, _)| chain.clone()).collect();
        let (best, rank) = run(&same_chains, Algorithm::Brute);
        prop_assert!(best.assignment.iter().all(Option::is_some));
        if let Some(bound) = found.bound {
            prop_assert!(bound >= rank.score - 1e-9 * rank.score.abs().max(1.0), "bound {bound} below {}", rank.score);
        }
        if found.proven {
            let (_, best) = run(&instance, Algorithm::Brute);
            prop_assert!(near(Rank::of(&instance, &found.assignment).score, best.score));
        }
    }
}

/// The generator's problems, larger than the random ones: four chains of three NFs on two nodes, 4096 placements.
#[test]
fn equals_exhaustive_search_on_generated_problems() {
    for (seed, mode) in (0..8).flat_map(|seed| [Mode::A, Mode::B, Mode::C].map(|mode| (seed, mode))) {
        let recipe = Recipe { chains: 4, nodes: 2, cores: 7, length: 3, mode, seed };
        let instance = Instance::new(&generate(&recipe).unwrap());
        let ((found, rank), (_, best)) = (run(&instance, Algorithm::Exact), run(&instance, Algorithm::Brute));
        assert!(found.proven && near(rank.score, best.score), "{recipe:?}: {rank:?} instead of {best:?}");
    }
}

/// Where nodes are interchangeable and chains alike: every third problem repeats its first chain.
#[test]
fn symmetry_loses_nothing() {
    for (seed, mode) in (0..12).flat_map(|seed| [Mode::A, Mode::C].map(|mode| (seed, mode))) {
        for (chains, nodes, cores, length) in [(4, 4, 3, 2), (3, 3, 4, 3), (5, 3, 4, 2)] {
            let mut problem = generate(&Recipe { chains, nodes, cores, length, mode, seed }).unwrap();
            if seed % 3 == 0 {
                let first = problem.chains[0].nfs.clone();
                problem.chains.iter_mut().for_each(|chain| chain.nfs.clone_from(&first));
            }
            let instance = Instance::new(&problem);
            let ((found, rank), (_, best)) = (run(&instance, Algorithm::Exact), run(&instance, Algorithm::Brute));
            assert!(
                found.proven && near(rank.score, best.score),
                "{chains}x{nodes} {mode:?} {seed}: {rank:?}, {best:?}"
            );
        }
    }
}

/// On two nodes of two cores.
fn problem(chains: Vec<Chain>) -> Problem {
    build::problem(nodes(&[2, 2]), chains)
}

/// Two chains of one fast NF. Together on n0: llc = mem = .1, so each has 10 (1 - .03 - .01) = 9.6, in sum 19.2. Apart: the
/// local one has llc = 0, mem = .1: 9.9; the remote one, a head, llc = 1, mem = 0: 8 (1 - .2) = 6.4; in sum 16.3.
#[test]
fn two_chains_share_the_local_node() {
    let problem = problem(vec![chain("a", "F"), chain("b", "F")]);
    let result = solve(&problem, Algorithm::Exact, &Options::default(), None).unwrap();
    assert!((result.score - 19.2).abs() < 1e-12);
    assert_eq!(result.status, Status::Optimal);
    assert_eq!(result.assignment["a"], ["n0"]);
    assert_eq!(result.assignment["b"], ["n0"]);
}

/// As above, but b runs on n1, and moving it costs 3 of the 2.9 that would be gained: 16.3 stays. At 2.8 it moves: 16.4.
#[test]
fn a_move_must_be_worth_its_price() {
    let mut problem = problem(vec![chain("a", "F"), chain("b", "F")]);
    problem.initial = Some(placement(&["a: n0", "b: n1"]));
    for (price, score, moves) in [(3.0, 16.3, 0), (2.8, 16.4, 1)] {
        problem.move_price_mpps = price;
        let result = solve(&problem, Algorithm::Exact, &Options::default(), None).unwrap();
        assert!((result.score - score).abs() < 1e-12, "{}", result.score);
        assert_eq!(result.moves, moves);
    }
}

/// `b` fills four of the five cores of n1, one is taken, and stays; `a` fits in one way alone, a core on each node. Taken
/// chain by chain where each gains most, both want n1 and no placement is known to begin with: none is no reason to drop
/// any, wherever the search is stopped.
#[test]
fn what_is_known_of_no_placement_drops_none() {
    let mut problem = build::problem(nodes(&[1, 5, 1]), vec![chain("a", "FFF"), chain("b", "FFF")]);
    problem.nodes[1].taken = 1;
    problem.chains.iter_mut().for_each(|chain| chain.ingress = Some("n1".to_owned()));
    problem.initial = Some(placement(&["b: n1 n1 n1"]));
    problem.max_moves = Some(0);
    let instance = Instance::new(&problem);
    let (_, best) = run(&instance, Algorithm::Brute);
    for evaluations in 0..60 {
        let limits = Limits { time: None, evaluations: Some(evaluations) };
        let found = Algorithm::Exact.run(&instance, Params::Default, 0, &mut Control::new(limits, None), None).unwrap();
        let bound = found.bound.unwrap_or(f64::INFINITY);
        assert!(bound >= best.score - 1e-9, "{evaluations}: {bound} below {}", best.score);
    }
    let (found, rank) = run(&instance, Algorithm::Exact);
    assert!(found.proven && near(rank.score, best.score), "{rank:?} instead of {best:?}");
}

/// Three chains of two NFs on four cores: one is rejected. Values 1, 1 and 1: any two tie, and the rates decide which.
/// Two chains, both of them whole on a node: local NFs have llc .1 and mem .3: 10 (1 - .03 - .03) = 9.4; the remote head
/// llc 1, mem .1: 8 (1 - .2 - .02) = 6.24. The rates 1, 7, 9.4 allow at most 9.4 + 6.24 = 15.64, without the first.
#[test]
fn ties_of_value_are_decided_by_the_score() {
    let offered = |rate, chain| Chain { rate_mpps: Some(rate), ..chain };
    let chains = vec![offered(1.0, chain("a", "FF")), offered(7.0, chain("b", "FF")), offered(12.0, chain("c", "FF"))];
    let problem = Problem { objective: Objective::Served, ..problem(chains) };
    let result = solve(&problem, Algorithm::Exact, &Options::default(), None).unwrap();
    assert!((result.score - 15.64).abs() < 1e-12, "{}", result.score);
    assert!(!result.assignment.contains_key("a"));
    assert_eq!(result.status, Status::Optimal);
}

/// Nothing to place is optimal at 0; a chain that fits nowhere is infeasible.
#[test]
fn nothing_and_nowhere() {
    let empty = solve(&problem(vec![]), Algorithm::Exact, &Options::default(), None).unwrap();
    assert_eq!((empty.status, empty.score), (Status::Optimal, 0.0));
    let long = problem(vec![chain("a", "FFFFF")]);
    let nowhere = solve(&long, Algorithm::Exact, &Options::default(), None).unwrap();
    assert_eq!((nowhere.status, nowhere.score), (Status::Infeasible, 0.0));
}

/// The same question twice has the same answer, evaluations included.
#[test]
fn is_deterministic() {
    let recipe = Recipe { chains: 6, nodes: 3, cores: 7, length: 3, mode: Mode::C, seed: 5 };
    let instance = Instance::new(&generate(&recipe).unwrap());
    let twice = [(); 2].map(|()| {
        let mut control = Control::unlimited();
        let outcome = Algorithm::Exact.run(&instance, Params::Default, 0, &mut control, None).unwrap();
        (outcome, control.evaluations())
    });
    assert_eq!(twice[0], twice[1]);
}

/// 2666 of 3000 chains of three find room on 8000 cores, far too many patterns to write down: the search goes on to its
/// limit, is better than the seating that it began with, and says why nothing is proven.
#[test]
fn too_large_for_a_proof_is_searched_to_its_limit() {
    let recipe = Recipe { chains: 3000, nodes: 8, cores: 1000, length: 3, mode: Mode::A, seed: 1 };
    let given = generate(&recipe).unwrap();
    let limits = Limits { time: None, evaluations: Some(20_000) };
    let found = solve(&given, Algorithm::Exact, &Options { limits, ..Options::default() }, None).unwrap();
    assert_eq!((found.status, found.assignment.len()), (Status::Feasible, 2666));
    assert!(found.evaluations >= 20_000, "{} of 20 000 evaluations used", found.evaluations);
    let instance = Instance::new(&given);
    let seated = best_acceptance(&instance, &mut Control::unlimited()).seating;
    let before = Rank::of(&instance, &seated).score;
    assert!(found.score > before * 1.01, "{} is hardly more than {before}", found.score);
    let told = found.unproven.unwrap();
    assert!(told.starts_with("too large for a proof: 2666 chains on 8 nodes"), "{told}");
    assert!(told.ends_with("the search ended at its limit of evaluations"), "{told}");
}

/// One chain has few choices for `anytime` to hand it over, and yet 2^20 patterns. All 20 NFs fit on the local node, and
/// are best there: whoever is asked finds them a place there.
#[test]
fn a_long_chain_is_searched_where_its_patterns_are_too_many() {
    let given = build::problem(nodes(&[20, 20]), vec![chain("long", &"A".repeat(20))]);
    for algorithm in [Algorithm::Exact, Algorithm::Anytime] {
        let limits = Limits { time: None, evaluations: Some(50_000) };
        let found = solve(&given, algorithm, &Options { limits, ..Options::default() }, None).unwrap();
        let best = solve(&given, Algorithm::OctansExtended, &Options::default(), None).unwrap();
        assert!(found.score >= best.score - 1e-9, "{}: {} < {}", algorithm.name(), found.score, best.score);
        assert!(found.evaluations > 1000 || found.status == Status::Optimal, "{found:?}");
    }
}

/// What ended a search is reported, and nothing where it was not ended.
#[test]
fn a_result_says_what_ended_its_search() {
    let given = generate(&Recipe { chains: 6, nodes: 4, cores: 5, length: 3, mode: Mode::A, seed: 1 }).unwrap();
    let told =
        |limits| solve(&given, Algorithm::Exact, &Options { limits, ..Options::default() }, None).unwrap().unproven;
    let by_time = Limits { time: Some(Duration::ZERO), evaluations: None };
    assert_eq!(told(by_time).as_deref(), Some("the search ended at its limit of time"));
    let by_count = Limits { time: None, evaluations: Some(3) };
    assert_eq!(told(by_count).as_deref(), Some("the search ended at its limit of evaluations"));
    assert_eq!(told(Limits::default()), None);
}
