//! What a given placement is worth and what it breaks; and the engine from text to text.

use crate::tests::problems::build::{chain, nodes, placement, problem};
use serde_json::{Value, json};
use sextant_core::api::{self, Asked, Stop};
use sextant_core::error::BadInput;
use sextant_core::evaluate::{Evaluated, evaluate};
use sextant_core::generate::{Mode, Recipe};
use sextant_core::problem::{Chain, Objective, Problem};
use sextant_core::reader::read_problem;
use sextant_core::result::Status;

fn judged(problem: &Problem, placed: &[&str]) -> Evaluated {
    evaluate(problem, &placement(placed)).unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

/// Chain AB on n0: weights .1 and .2. A: llc .3 - .1 = .2, mem .2: it loses .2 x .2 = .04 to the cache and
/// .1 x .2 = .02 to memory: 10 (1 - .06) = 9.4 Mpps.
#[test]
fn every_nf_is_reported_with_its_shares() {
    let found = judged(&problem(nodes(&[4]), vec![chain("c", "AB")]), &["c: n0 n0"]);
    let first = &found.nfs["c"][0];
    assert_eq!(first.node, "n0");
    assert!(near(first.mpps, 9.4) && near(first.llc, 0.2) && near(first.mem, 0.2));
    assert!(near(first.llc_drop, 0.04) && near(first.mem_drop, 0.02));
    assert_eq!((found.result.algorithm.as_str(), found.result.status), ("evaluate", Status::Feasible));
    assert_eq!((found.violations.len(), found.result.evaluations), (0, 1));
}

#[test]
fn what_a_placement_breaks_is_named() {
    let given = Problem {
        initial: Some(placement(&["c: n1 n1"])),
        max_moves: Some(1),
        ..problem(nodes(&[1, 4]), vec![Chain { nf_pins: Some(vec![None, Some("n1".to_owned())]), ..chain("c", "AB") }])
    };
    let found = judged(&given, &["c: n0 n0"]);
    assert_eq!((found.result.status, found.result.bound, found.result.moves), (Status::Infeasible, None, 2));
    assert_eq!(
        found.violations,
        ["chain 'c', NF 1: pinned, but placed on 'n0'", "node 'n0': 2 NFs for 1 free cores", "2 moves, 1 allowed",]
    );
}

/// Ten Bs beside a background of 1 have llc 1 + 9 x .2 = 2.8 and mem 2.8: 6 (1 - .84 - .56 - .01) = -2.46 Mpps.
#[test]
fn reports_are_clamped_and_the_objective_is_not() {
    let mut given = problem(nodes(&[10]), vec![chain("c", &"B".repeat(10))]);
    given.nodes[0].background = 1.0;
    let found = judged(&given, &["c: n0 n0 n0 n0 n0 n0 n0 n0 n0 n0"]);
    assert_eq!((found.result.chains["c"].mpps, found.nfs["c"][9].mpps), (0.0, 0.0));
    assert!(near(found.result.objective, -2.46));
}

/// A alone could deliver 10 Mpps; 3 are offered.
#[test]
fn a_served_chain_counts_its_rate() {
    let served = Chain { rate_mpps: Some(3.0), value: 2.0, ..chain("c", "A") };
    let given = Problem { objective: Objective::Served, ..problem(nodes(&[1]), vec![served]) };
    let found = judged(&given, &["c: n0"]);
    assert_eq!((found.result.objective, found.result.score, found.result.bound), (3.0, 6.0, Some(6.0)));
    assert_eq!((found.result.chains["c"].mpps, found.nfs["c"][0].mpps), (3.0, 10.0));
}

/// Chains that are left out are rejected; if all are, nothing is placed.
#[test]
fn what_is_left_out_is_rejected() {
    let given = problem(nodes(&[1]), vec![chain("c", "A"), chain("d", "A")]);
    let found = judged(&given, &["d: n0"]);
    assert_eq!((found.result.rejected[0].chain.as_str(), found.result.status), ("c", Status::Feasible));
    assert_eq!(judged(&given, &[]).result.status, Status::Infeasible);
    assert_eq!(judged(&problem(nodes(&[1]), vec![]), &[]).result.status, Status::Optimal);
}

#[test]
fn an_assignment_that_does_not_belong_to_the_problem_is_refused() {
    let given = problem(nodes(&[1]), vec![chain("c", "AB")]);
    for (placed, field) in [("x: n0", "assignment.x"), ("c: n0", "assignment.c"), ("c: n0 n7", "assignment.c.1")] {
        assert_eq!(evaluate(&given, &placement(&[placed])).unwrap_err().field, field);
    }
}

fn asked(algorithm: &str) -> Asked<'_> {
    Asked { algorithm, ..Asked::default() }
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

const RESULT: [&str; 12] = [
    "algorithm",
    "assignment",
    "bound",
    "chains",
    "evaluations",
    "moves",
    "objective",
    "rejected",
    "score",
    "seconds",
    "status",
    "unproven",
];

#[test]
fn results_have_the_keys_of_the_format() {
    let given = problem(nodes(&[2]), vec![chain("c", "AA"), chain("d", "A")]);
    let raw = serde_json::to_vec(&given).unwrap();
    let solved: Value = serde_json::from_str(&api::solve(&raw, asked("brute"), None).unwrap().json).unwrap();
    assert_eq!(keys(&solved), RESULT);
    assert_eq!(keys(&solved["rejected"][0]), ["chain", "reason", "relax", "short"]);
    let raw = json!({"problem": given, "assignment": solved["assignment"]}).to_string();
    let judged: Value = serde_json::from_str(&api::evaluate(raw.as_bytes()).unwrap()).unwrap();
    let more: Vec<&str> = keys(&judged).into_iter().filter(|key| !RESULT.contains(key)).collect();
    assert_eq!((keys(&judged).len(), more), (14, vec!["nfs", "violations"]));
    assert_eq!(judged["score"], solved["score"]);
}

#[test]
fn an_empty_problem_is_optimal_with_nothing() {
    for algorithm in ["brute", "node_first", "node_balance"] {
        let raw = br#"{"nodes": [], "chains": [], "nf_types": {}}"#;
        let solved: Value = serde_json::from_str(&api::solve(raw, asked(algorithm), None).unwrap().json).unwrap();
        assert_eq!(
            (&solved["status"], &solved["score"], &solved["bound"]),
            (&json!("optimal"), &json!(0.0), &json!(0.0))
        );
    }
}

#[test]
fn wrong_questions_name_what_is_wrong() {
    let field = |error: BadInput| error.field;
    let raw = serde_json::to_vec(&problem(nodes(&[1]), vec![])).unwrap();
    assert_eq!(field(api::solve(&raw, asked("best"), None).unwrap_err()), "algorithm");
    for seconds in [-1.0, f64::NAN, f64::INFINITY] {
        let asked = Asked { stop: Stop { seconds: Some(seconds), evaluations: None }, ..asked("brute") };
        assert_eq!(field(api::solve(&raw, asked, None).unwrap_err()), "seconds");
    }
    assert_eq!(field(api::evaluate(b"{}").unwrap_err()), "problem");
    assert_eq!(field(api::evaluate(br#"{"problem": {}, "more": 1}"#).unwrap_err()), "more");
}

/// 0 seconds are enough for a placement that is valid, and 1e300 are no overflow.
#[test]
fn no_time_and_endless_time_both_give_a_placement() {
    let recipe = Recipe { chains: 6, nodes: 4, cores: 10, length: 3, mode: Mode::A, seed: 1 };
    let raw = api::generate(&recipe).unwrap().into_bytes();
    let given = read_problem(&raw).unwrap();
    for (algorithm, seconds) in [("brute", 0.0), ("node_first", 0.0), ("node_balance", 1e300)] {
        let solved = api::solve(
            &raw,
            Asked { stop: Stop { seconds: Some(seconds), evaluations: None }, ..asked(algorithm) },
            None,
        )
        .unwrap()
        .json;
        let solved: Value = serde_json::from_str(&solved).unwrap();
        let placed = serde_json::from_value(solved["assignment"].clone()).unwrap();
        let judged = evaluate(&given, &placed).unwrap();
        assert_eq!((judged.violations.len(), judged.result.assignment.len()), (0, 6));
    }
}
