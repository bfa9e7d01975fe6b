//! Who hurts whom, by worked arithmetic and as sums.

use crate::tests::problems::any::problems;
use crate::tests::problems::build::{seats, two_chains};
use proptest::prelude::*;
use sextant_core::explain::{Cause, Explanation, Source, explain};
use sextant_core::laws::octans::Algorithm;
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::problem::Problem;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12
}

fn neighbour(chain: &str, position: usize) -> Source {
    Source::Neighbour { chain: chain.into(), position }
}

/// The parts of an NF: source, llc, mem, fixed, in the order of harm.
fn parts(explanation: &Explanation, nf: usize) -> Vec<(&Source, [f64; 3])> {
    explanation.nfs[nf].causes.iter().map(|cause| (&cause.source, [cause.llc, cause.mem, cause.fixed])).collect()
}

fn same(found: &[(&Source, [f64; 3])], expected: &[(Source, [f64; 3])]) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|((source, points), (cause, figures))| {
            *source == cause && points.iter().zip(figures).all(|(a, b)| near(*a, *b))
        })
}

/// c0 on n0 with c1's slow NF, c1's fast NF alone on n1.
///
/// c0's first: llc .3 x (.1 of c0/1 + .05 of c1/0) = .03 + .015; mem .1 x (.1 + .05 + .1 of c1/1) = .01 + .005 + .01;
/// drop .07, so c0/1 has (.03 + .01) / .07 of it; 10 Mpps x .02 = .2 Mpps are c1/0's.
/// c1's last: a remote head alone, .2 x 1; nobody hurts it.
#[test]
fn neighbours_and_the_price_of_remote_access() {
    let explanation = explain(&two_chains(), &seats("00", "01")).unwrap();
    let expected = [
        (neighbour("c0", 1), [0.03, 0.01, 0.0]),
        (neighbour("c1", 0), [0.015, 0.005, 0.0]),
        (neighbour("c1", 1), [0.0, 0.01, 0.0]),
    ];
    assert!(same(&parts(&explanation, 0), &expected), "{:?}", explanation.nfs[0].causes);
    let first = &explanation.nfs[0];
    assert!(near(first.drop, 0.07) && near(first.mpps, 9.3) && near(first.causes[0].share, 0.04 / 0.07));
    assert!(near(explanation.mpps[0][2], 0.2) && explanation.mpps[0][0] == 0.0);
    assert!(same(&parts(&explanation, 3), &[(Source::Remote, [0.2, 0.0, 0.0])]));
    assert!(near(explanation.nfs[3].causes[0].share, 1.0));
}

/// c1's bottleneck is the slow NF on n0: ideal 6, llc .3 x .2 and mem .1 x (.2 + .1) = .09, 5.46 Mpps. Of the .54 Mpps lost
/// c0 costs 6 x (.06 + .02) = .48, c1's own fast NF 6 x .01 = .06.
#[test]
fn a_chain_is_hurt_by_chains() {
    let explanation = explain(&two_chains(), &seats("00", "01")).unwrap();
    let chain = &explanation.chains[1];
    assert_eq!((chain.chain.as_str(), chain.bottleneck), ("c1", 0));
    assert!(near(chain.mpps, 5.46) && near(chain.ideal, 6.0) && near(chain.lost_otherwise, 0.0));
    let lost: Vec<&str> = chain.lost.iter().map(|lost| lost.chain.as_str()).collect();
    assert_eq!(lost, ["c0", "c1"]);
    assert!(near(chain.lost[0].mpps, 0.48) && near(chain.lost[1].mpps, 0.06));
}

/// c0 comes back from n1 to n0, where the foreign weight is .2 (and .1 on n1); C is .04 there and .03 on
/// n1.
///
/// Its second NF has no cache: llc .3 x 1. mem = .1 x (c0/0 .1 + c1/0 .05 + c1/1 .1 + foreign .2 + .1), the last two by
/// node. c1's second, remote behind its head: R of n1 is .1 (c0's head) + .05 (its own, which does not count) + .1.
#[test]
fn chaining_background_and_the_fixed_part() {
    let mut problem = two_chains();
    problem.nodes[0].background = 0.2;
    problem.nodes[1].background = 0.1;
    let fast = problem.nf_types.get_mut("F").unwrap();
    (fast.local.c, fast.remote.c) = (0.04, 0.03);
    let explanation = explain(&problem, &seats("10", "11")).unwrap();
    let background = |node: &str| Source::Background { node: node.into() };
    let expected = [
        (Source::Chaining, [0.3, 0.0, 0.0]),
        (Source::Fixed, [0.0, 0.0, 0.04]),
        (background("n0"), [0.0, 0.02, 0.0]),
        (background("n1"), [0.0, 0.01, 0.0]),
        (neighbour("c0", 0), [0.0, 0.01, 0.0]),
        (neighbour("c1", 1), [0.0, 0.01, 0.0]),
        (neighbour("c1", 0), [0.0, 0.005, 0.0]),
    ];
    assert!(same(&parts(&explanation, 1), &expected), "{:?}", explanation.nfs[1].causes);
    let expected = [
        (background("n1"), [0.02, 0.02, 0.0]),
        (neighbour("c0", 0), [0.02, 0.02, 0.0]),
        (Source::Fixed, [0.0, 0.0, 0.03]),
        (neighbour("c1", 0), [0.0, 0.01, 0.0]),
    ];
    assert!(same(&parts(&explanation, 3), &expected), "{:?}", explanation.nfs[3].causes);
}

#[test]
fn in_json_the_source_stands_beside_the_figures() {
    let explanation = explain(&two_chains(), &seats("00", "01")).unwrap();
    let json = serde_json::to_value(&explanation.nfs[3].causes).unwrap();
    let share = explanation.nfs[3].causes[0].share;
    assert_eq!(json, serde_json::json!([{"cause": "remote", "llc": 0.2, "mem": 0.0, "fixed": 0.0, "share": share}]));
}

#[test]
fn what_cannot_be_explained_is_refused() {
    let mut placement = seats("00", "01");
    placement.insert("c9".into(), vec![]);
    assert_eq!(explain(&two_chains(), &placement).unwrap_err().field, "assignment.c9");
}

fn check_sums(problem: &Problem) -> Result<(), TestCaseError> {
    let running = problem.initial.clone().unwrap_or_default();
    let found = solve(problem, Algorithm::NodeBalance, &Options::default(), None).unwrap().assignment;
    for placement in [running, found] {
        let explanation = explain(problem, &placement).unwrap();
        for (nf, row) in explanation.nfs.iter().zip(&explanation.mpps) {
            let sum = |figure: fn(&Cause) -> f64| nf.causes.iter().map(figure).sum::<f64>();
            prop_assert!(near(sum(|cause| cause.llc), nf.llc) && near(sum(|cause| cause.mem), nf.mem));
            prop_assert!(near(sum(|cause| cause.fixed), nf.fixed) && near(nf.llc + nf.mem + nf.fixed, nf.drop));
            prop_assert!(nf.drop == 0.0 || near(sum(|cause| cause.share), 1.0));
            let by_nfs = nf.causes.iter().filter(|cause| matches!(cause.source, Source::Neighbour { .. }));
            let by_nfs: f64 = by_nfs.map(|cause| nf.ideal * (cause.llc + cause.mem)).sum();
            prop_assert!(near(row.iter().sum(), by_nfs));
        }
        for chain in &explanation.chains {
            let lost: f64 = chain.lost.iter().map(|lost| lost.mpps).sum();
            let slowest = explanation.nfs.iter().find(|nf| nf.chain == chain.chain && nf.position == chain.bottleneck);
            let slowest = slowest.unwrap();
            prop_assert!(near(lost + chain.lost_otherwise, chain.ideal * slowest.drop));
            prop_assert!(chain.lost_otherwise >= chain.ideal * slowest.fixed - 1e-12); // only C can be negative
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Also of placements that are not feasible: the model knows no capacity.
    #[test]
    fn the_parts_sum_to_the_drop(problem in problems(0..=3)) {
        check_sums(&problem)?;
    }
}
