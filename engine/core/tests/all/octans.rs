//! Algorithm 1, step by step, and what it must never do.

use crate::tests::problems::any::problems;
use crate::tests::problems::build::{rank, seats, two_chains};
use proptest::prelude::*;
use sextant_core::control::Limits;
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::instance::{Instance, assignment_of};
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::laws::octans::{Algorithm, Params, subchains};
use sextant_core::problem::{Objective, Problem};
use sextant_core::rank::{close, violations};
use sextant_core::result::{SolveResult, Status};

fn run(problem: &Problem, algorithm: Algorithm, memo: bool, inclusive: bool) -> SolveResult {
    let params = Params::Subchains(subchains::Params { memo, inclusive });
    let limits = Limits { evaluations: Some(10_000_000), ..Limits::default() };
    solve(problem, algorithm, &Options { params, limits, ..Options::default() }, None).unwrap()
}

/// Six cores, four NFs, so only one chain fits whole on each node: two initial placements.
///
/// c0 local, c1 remote: M = (.2, .15). c0: both drop .3 x .1 + .1 x .25 = .055, 9.45. c1: slow, a head, drops .2 + .2 x .1
/// = .22, 5 x .78 = 3.9; fast drops .2 x .05 = .01, 7.92. Sum 13.35. The bottleneck is the slow NF: it takes the last
/// local core, M = (.25, .1). c0: .3 x .15 + .1 x .25 = .07, 9.3. slow: .3 x .2 + .1 x .3 = .09, 5.46; fast, now a head,
/// alone: .2, 6.4. Sum 9.3 + 5.46 = 14.76. No core is left for the rest.
/// c1 local, c0 remote: M = (.15, .2). c1: slow .3 x .1 + .1 x .3 = .06, 5.64. c0: head .2 + .2 x .1 = .22, 6.24; second
/// .2 x .1 = .02, 7.84. Sum 11.88. The head comes over, M = (.25, .1): c1 5.46, c0 min(9.3, 6.4). Sum 11.86.
#[test]
fn two_chains_step_by_step() {
    let result = run(&two_chains(), Algorithm::Octans, true, true);
    assert_eq!(result.assignment, seats("00", "01"));
    assert!((result.score - 14.76).abs() < 1e-12);
    assert_eq!((result.evaluations, result.status), (4, Status::Feasible));
}

/// Read exclusively, the subchain up to a bottleneck that is the first NF is empty: only the initial placements remain.
#[test]
fn without_the_bottleneck_nothing_moves_here() {
    let result = run(&two_chains(), Algorithm::Octans, true, false);
    assert_eq!(result.assignment, seats("00", "11"));
    assert!((result.score - 13.35).abs() < 1e-12);
    assert_eq!(result.evaluations, 2);
}

/// With two cores a node less room: a chain of three fits whole nowhere, and `node_first`'s split is returned.
#[test]
fn where_no_whole_chain_fits_the_result_is_node_first() {
    let mut problem = two_chains();
    problem.chains.truncate(1);
    problem.chains[0].nfs.push("S".into());
    problem.nodes[0].cores = 2;
    problem.nodes[1].cores = 2;
    let result = run(&problem, Algorithm::Octans, true, true);
    assert_eq!(result.assignment["c0"], ["n0", "n0", "n1"]);
}

/// Ten and twelve cores a node leave room for several moves, so placements come again by other orders of moves.
#[test]
fn the_memo_changes_the_evaluations_only() {
    for (seed, mode) in (0..8).flat_map(|seed| [Mode::A, Mode::B, Mode::C].map(|mode| (seed, mode))) {
        for (nodes, cores) in [(2, 10), (3, 6)] {
            let problem = generate(&Recipe { chains: 4, nodes, cores, length: 3, mode, seed }).unwrap();
            for algorithm in [Algorithm::Octans, Algorithm::OctansExtended] {
                let (with, without) = (run(&problem, algorithm, true, true), run(&problem, algorithm, false, true));
                assert!(close(with.score, without.score), "{} and {}", with.score, without.score);
                assert!(with.evaluations < without.evaluations);
            }
        }
    }
}

#[test]
fn octans_is_never_better_than_brute() {
    for (seed, mode) in (0..8).flat_map(|seed| [Mode::A, Mode::B, Mode::C].map(|mode| (seed, mode))) {
        let problem = generate(&Recipe { chains: 3, nodes: 2, cores: 6, length: 3, mode, seed }).unwrap();
        let best = run_brute(&problem);
        let literal = run(&problem, Algorithm::Octans, true, true);
        let extended = run(&problem, Algorithm::OctansExtended, true, true);
        assert!(literal.score <= extended.score + 1e-9 && extended.score <= best.score + 1e-9);
    }
}

fn run_brute(problem: &Problem) -> SolveResult {
    solve(problem, Algorithm::Brute, &Options::default(), None).unwrap()
}

/// A limit of evaluations ends the search with the best so far; the first placement of the enumeration counts.
#[test]
fn it_stops_when_told() {
    let problem = generate(&Recipe { chains: 24, nodes: 4, cores: 24, length: 3, mode: Mode::A, seed: 1 }).unwrap();
    for algorithm in [Algorithm::Octans, Algorithm::OctansExtended] {
        let limits = Limits { evaluations: Some(500), ..Limits::default() };
        let result = solve(&problem, algorithm, &Options { limits, ..Options::default() }, None).unwrap();
        assert_eq!((result.evaluations, result.chains.len()), (500, 24));
        let endless = solve(&problem, algorithm, &Options::default(), None).unwrap_err();
        assert_eq!(endless.field, "algorithm");
    }
}

/// Of forty chains of three, nine nodes of thirteen cores hold 9 x 4 whole, and 9^36 ways lead to finding out; of 120 NFs
/// they hold 117, split. The longest way down, 2048 chains of one NF, does not end the stack.
#[test]
fn it_stops_where_next_to_nothing_fits_and_where_it_is_deep() {
    let run = |chains, nodes, cores, length, algorithm| {
        let problem = generate(&Recipe { chains, nodes, cores, length, mode: Mode::A, seed: 1 }).unwrap();
        let limits = Limits { evaluations: Some(50), ..Limits::default() };
        solve(&problem, algorithm, &Options { limits, ..Options::default() }, None)
    };
    for algorithm in [Algorithm::Octans, Algorithm::OctansExtended] {
        let crowded = run(40, 9, 13, 3, algorithm).unwrap();
        assert_eq!((crowded.evaluations, crowded.chains.len()), (50, 39), "{}", algorithm.name());
        assert_eq!(run(2048, 2, 1024, 1, algorithm).unwrap().chains.len(), 2048);
        assert_eq!(run(2049, 2, 1025, 1, algorithm).unwrap_err().field, "algorithm");
    }
}

#[test]
fn octans_refuses_what_the_paper_does_not_know() {
    type Change = fn(&mut Problem);
    let changes: [(&str, Change); 12] = [
        ("move_price_mpps", |problem| problem.move_price_mpps = 0.1),
        ("margin_mpps", |problem| problem.margin_mpps = 0.1),
        ("max_moves", |problem| problem.max_moves = Some(9)),
        ("objective", |problem| problem.objective = Objective::Served),
        ("nodes.1.taken", |problem| problem.nodes[1].taken = 1),
        ("nodes.0.background", |problem| problem.nodes[0].background = 0.1),
        ("chains.1.value", |problem| problem.chains[1].value = 2.0),
        ("chains.0.rate_mpps", |problem| problem.chains[0].rate_mpps = Some(5.0)),
        ("chains.1.ingress", |problem| problem.chains[1].ingress = Some("n1".into())),
        ("chains.0.pin", |problem| problem.chains[0].pin = Some(vec!["n0".into()])),
        ("chains.1.nf_pins", |problem| problem.chains[1].nf_pins = Some(vec![None, Some("n0".into())])),
        ("chains.0.value", |problem| problem.chains[0].value = 0.0),
    ];
    for (field, change) in changes {
        let mut problem = two_chains();
        change(&mut problem);
        assert_eq!(solve(&problem, Algorithm::Octans, &Options::default(), None).unwrap_err().field, field);
        assert!(solve(&problem, Algorithm::OctansExtended, &Options::default(), None).is_ok(), "{field}");
    }
}

#[test]
fn parameters_come_from_json() {
    let read = |algorithm: Algorithm, json| algorithm.params(serde_json::from_str(json).unwrap());
    let expected = Params::Subchains(subchains::Params { memo: false, inclusive: true });
    assert_eq!(read(Algorithm::Octans, r#"{"memo": false}"#), Ok(expected));
    assert_eq!(read(Algorithm::Brute, "{}"), Ok(Params::Default));
    assert_eq!(read(Algorithm::Octans, r#"{"memo": 3}"#).unwrap_err().field, "params.memo");
    assert_eq!(read(Algorithm::OctansExtended, r#"{"mema": true}"#).unwrap_err().field, "params.mema");
    assert_eq!(read(Algorithm::Brute, r#"{"memo": false}"#).unwrap_err().field, "params.memo");
    assert_eq!(read(Algorithm::Brute, "[1]").unwrap_err().field, "params");
}

/// All four NFs run on a local node of four cores, 9 + 5.28 Mpps (the step of 14.28 in tests/frontier.rs), and one may move.
/// c1's last leaves for 14.76; the way there begins with all of c1 on n1, two moves, one of which its head takes back.
#[test]
fn moves_that_come_back_do_not_count() {
    let mut problem = two_chains();
    problem.nodes[0].cores = 4;
    problem.initial = Some(seats("00", "00"));
    problem.max_moves = Some(1);
    let result = run(&problem, Algorithm::OctansExtended, true, true);
    assert_eq!((result.assignment, result.moves), (seats("00", "01"), 1));
}

/// Three local cores and one remote: c0 of three NFs leaves too few for any other, and `node_first` stops there. Without c0
/// both others fit, two chains for one, the second of them split.
#[test]
fn one_chain_is_rejected_and_one_split_to_accept_two() {
    let mut problem = two_chains();
    problem.nodes[1].cores = 1;
    problem.chains[0].nfs.push("F".into());
    problem.chains.push(problem.chains[1].clone());
    problem.chains[2].id = "c2".into();
    let accepted = |algorithm| -> Vec<String> {
        let result = solve(&problem, algorithm, &Options::default(), None).unwrap();
        result.assignment.into_keys().collect()
    };
    assert_eq!(accepted(Algorithm::NodeFirst), ["c0"]);
    assert_eq!(accepted(Algorithm::OctansExtended), ["c1", "c2"]);
}

/// c0 runs on n1 and its price of moving exceeds what moving gains: it stays, though Algorithm 1 would bring it over.
#[test]
fn the_running_placement_is_among_the_beginnings() {
    let mut problem = two_chains();
    problem.initial = Some(seats("10", "11"));
    problem.move_price_mpps = 100.0;
    let result = run(&problem, Algorithm::OctansExtended, true, true);
    assert_eq!((result.assignment, result.moves), (seats("10", "11"), 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Within capacity, pins and the limit of moves; between `node_first` and brute in the order of aims.
    #[test]
    fn octans_extended_keeps_every_rule(mut problem in problems(0..=3)) {
        problem.margin_mpps = 0.0; // the margin rule may return the running placement where only one of them beats it
        let result = solve(&problem, Algorithm::OctansExtended, &Options::default(), None).unwrap();
        let assignment = assignment_of(&problem, &result.assignment, "assignment").unwrap();
        prop_assert_eq!(violations(&Instance::new(&problem), &assignment), vec![]);
        let found = rank(&problem, &result.assignment);
        let simple = solve(&problem, Algorithm::NodeFirst, &Options::default(), None).unwrap();
        prop_assert!(!rank(&problem, &simple.assignment).beats(&found));
        prop_assert!(!found.beats(&rank(&problem, &run_brute(&problem).assignment)));
        prop_assert!(close(found.score, result.score));
    }
}
