//! The model and the door, by worked arithmetic.

use crate::tests::problems::any::problems;
use crate::tests::problems::build::{chain, nodes, problem};
use proptest::prelude::*;
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::instance::Instance;
use sextant_core::laws::octans::Algorithm;
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::linear::Line;
use sextant_core::roles::{Role, roles};

/// Two nodes of two cores; one chain of two fast NFs, of weight 1/10, with c = .02.
///
/// Both local: each NF has llc = mem = 0.1, drop = 0.3 x 0.1 + 0.1 x 0.1 + 0.02 = 0.06, throughput 10 x 0.94 = 9.4.
#[test]
fn a_chain_alone_stays_local() {
    let mut problem = problem(nodes(&[2, 2]), vec![chain("c0", "FF")]);
    problem.nf_types.get_mut("F").unwrap().local.c = 0.02;
    let result = solve(&problem, Algorithm::Brute, &Options::default(), None).unwrap();
    assert_eq!(result.assignment["c0"], ["n0", "n0"]);
    assert!((result.score - 9.4).abs() < 1e-12);
    assert_eq!(result.bound, Some(result.score));
}

/// The generator's problems are solved alike by all: brute is never worse than a baseline.
#[test]
fn brute_is_never_worse_than_a_baseline() {
    for seed in 0..20 {
        let recipe = Recipe { chains: 3, nodes: 2, cores: 5, length: 3, mode: Mode::A, seed };
        let problem = generate(&recipe).unwrap();
        let score = |algorithm| solve(&problem, algorithm, &Options::default(), None).unwrap().score;
        let best = score(Algorithm::Brute);
        assert!(best >= score(Algorithm::NodeFirst) && best >= score(Algorithm::NodeBalance));
    }
}

/// n0 n1 n1 n0, packets arrive on n0: local; the head of a run on n1, and behind it one that does not compete with that
/// head (weight .05); back on n0 behind a hop. R counts all but the one behind.
///
/// At M = .4, R = .3, S = .6: local slow .4 - .05 and .6 - .05; head 1 and .4 - .05; behind .3 - .05 and .4 - .1; crossing
/// 1 and .6 - .1.
#[test]
fn an_nf_has_one_of_four_roles() {
    let instance = Instance::new(&problem(nodes(&[2, 2]), vec![chain("c0", "SSFF")]));
    let found: Vec<_> = roles(&instance.chains[0].nfs, 0, &[0, 1, 1, 0]).map(|(_, nf, role)| (nf, role)).collect();
    let expected = [
        (Role::Local, 0.35, 0.55, true),
        (Role::Head, 1.0, 0.35, true),
        (Role::Behind(0.05), 0.25, 0.3, false),
        (Role::Crossing, 1.0, 0.5, true),
    ];
    assert_eq!(found.len(), expected.len());
    for ((nf, role), (expected, llc, mem, leads)) in found.into_iter().zip(expected) {
        let levels = role.levels(nf, 0.4, 0.3, 0.6);
        assert_eq!((role, role.leads()), (expected, leads));
        assert!((levels.1 - llc).abs() < 1e-12 && (levels.2 - mem).abs() < 1e-12, "{role:?}: {levels:?}");
    }
}

proptest! {
    /// The same equations as functions of the sums.
    #[test]
    fn a_line_is_what_a_role_delivers(problem in problems(1..=1), head in 0.0..0.3, sums in prop::array::uniform3(0.0..2.0)) {
        let instance = Instance::new(&problem);
        for nf in &instance.chains[0].nfs {
            for role in [Role::Local, Role::Crossing, Role::Head, Role::Behind(head)] {
                let (line, mpps) = (Line::of(nf, role), role.mpps(nf, sums[0], sums[1], sums[2]));
                prop_assert!((line.at(sums[0], sums[1], sums[2]) - mpps).abs() < 1e-9, "{role:?}");
            }
        }
    }
}
