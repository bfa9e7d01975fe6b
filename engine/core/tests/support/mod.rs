//! Problems that several test files share.
#![allow(dead_code, reason = "each test file is a crate of its own and uses a part")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use sextant_core::instance::{Instance, assignment_of};
use sextant_core::problem::{Chain, DropCoefficients, LocalRemote, NfParameters, Node, Objective, Placement, Problem};
use sextant_core::rank::Rank;

/// Two nodes of three cores, c0 = fast fast and c1 = slow fast; weights .1 and .05, local drop = .3 llc + .1 mem, remote
/// drop = .2 llc + .2 mem, ideal 10 / 8 and 6 / 5 Mpps local / remote.
pub fn two_chains() -> Problem {
    serde_json::from_str(
        r#"{"nodes": [{"id": "n0", "local": true, "cores": 3}, {"id": "n1", "local": false, "cores": 3}],
            "nf_types": {
                "fast": {"stalls": 10, "ideal": {"local": 10, "remote": 8},
                    "local": {"alpha": 0.3, "beta": 0.1, "c": 0}, "remote": {"alpha": 0.2, "beta": 0.2, "c": 0}},
                "slow": {"stalls": 20, "ideal": {"local": 6, "remote": 5},
                    "local": {"alpha": 0.3, "beta": 0.1, "c": 0}, "remote": {"alpha": 0.2, "beta": 0.2, "c": 0}}},
            "chains": [{"id": "c0", "nfs": ["fast", "fast"]}, {"id": "c1", "nfs": ["slow", "fast"]}]}"#,
    )
    .unwrap()
}

/// A placement of `two_chains`' chains by the last digits of their nodes: `seats("00", "01")`.
pub fn seats(c0: &str, c1: &str) -> Placement {
    let nodes = |digits: &str| digits.chars().map(|digit| format!("n{digit}")).collect();
    BTreeMap::from([("c0".to_owned(), nodes(c0)), ("c1".to_owned(), nodes(c1))])
}

/// The rank of a placement by names.
pub fn rank(problem: &Problem, placement: &Placement) -> Rank {
    Rank::of(&Instance::new(problem), &assignment_of(problem, placement, "assignment").unwrap())
}

/// Small problems with everything a problem can hold; at most three nodes, three chains and nine NFs.
pub fn anything() -> impl Strategy<Value = Problem> {
    (1..=3usize).prop_flat_map(|nodes| {
        (
            prop::collection::vec(node(), nodes),
            prop::collection::vec(nf_type(), 3),
            prop::collection::vec(chain(nodes), 0..=3),
            any::<bool>(),
            prop::option::weighted(0.7, prop::collection::vec(prop::option::of(seats_of(nodes)), 3)),
            prop_oneof![Just(0.0), 0.0..0.5],
            prop_oneof![Just(0.0), 0.0..1.0],
            prop::option::of(0..4u32),
        )
            .prop_map(|(nodes, types, chains, served, initial, price, margin, max_moves)| {
                let mut problem = Problem {
                    nodes,
                    nf_types: types.into_iter().enumerate().map(|(index, nf)| (format!("t{index}"), nf)).collect(),
                    chains,
                    objective: if served { Objective::Served } else { Objective::Capacity },
                    initial: None,
                    move_price_mpps: price,
                    margin_mpps: margin,
                    max_moves,
                };
                problem.nodes[0].local = true;
                for (index, node) in problem.nodes.iter_mut().enumerate() {
                    node.id = format!("n{index}");
                }
                for (index, chain) in problem.chains.iter_mut().enumerate() {
                    chain.id = format!("c{index}");
                }
                problem.initial = initial.map(|patterns| {
                    let runs = problem.chains.iter().zip(patterns).filter_map(|(chain, pattern)| {
                        Some((chain.id.clone(), pattern?.into_iter().take(chain.nfs.len()).collect()))
                    });
                    runs.collect()
                });
                problem
            })
    })
}

fn node() -> impl Strategy<Value = Node> {
    (any::<bool>(), 1..=5u32, 0..=1u32, prop_oneof![Just(0.0), 0.0..0.3]).prop_map(
        |(local, cores, taken, background)| Node {
            id: String::new(),
            local,
            cores,
            taken: taken.min(cores),
            background,
        },
    )
}

fn nf_type() -> impl Strategy<Value = NfParameters> {
    let side = || (0.0..0.5, 0.0..0.5, 0.0..0.1).prop_map(|(alpha, beta, c)| DropCoefficients { alpha, beta, c });
    (5.0..50.0, 2.0..15.0, 0.6..1.1, side(), side()).prop_map(|(stalls, ideal, far, local, remote)| NfParameters {
        stalls,
        ideal: LocalRemote { local: ideal, remote: ideal * far },
        local,
        remote,
    })
}

fn seats_of(nodes: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec((0..nodes).prop_map(|node| format!("n{node}")), 3)
}

fn chain(nodes: usize) -> impl Strategy<Value = Chain> {
    let name = move || (0..nodes).prop_map(|node| format!("n{node}"));
    (
        prop::collection::vec((0..3usize).prop_map(|kind| format!("t{kind}")), 1..=3),
        prop_oneof![Just(1.0), 0.5..3.0],
        prop::option::of(0.5..10.0),
        prop::option::of(name()),
        prop::option::weighted(0.3, prop::collection::vec(name(), 1..=2)),
        prop::option::weighted(0.3, prop::collection::vec(prop::option::of(name()), 3)),
    )
        .prop_map(|(nfs, value, rate_mpps, ingress, mut pin, nf_pins)| {
            if let Some(pin) = pin.as_mut() {
                pin.dedup();
            }
            let nf_pins = nf_pins.map(|pins| pins.into_iter().take(nfs.len()).collect());
            Chain { id: String::new(), nfs, value, rate_mpps, ingress, pin, nf_pins }
        })
}
