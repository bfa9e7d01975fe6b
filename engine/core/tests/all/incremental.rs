//! A placement under change agrees with the model computed from scratch.

use crate::tests::problems::any::problems;
use crate::tests::problems::build::{chain, nodes, problem};
use proptest::prelude::*;
use proptest::sample::Index;
use sextant_core::incremental::{Change, Standing};
use sextant_core::instance::Instance;
use sextant_core::rank::{Rank, violations};

/// Within 1e-9, relative above 1.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// A chain, and which of the allowed nodes each of its NFs shall stand on; None: it is rejected.
type Pick = (Index, Option<[Index; 3]>);

/// One to three chains at a time.
fn changes(count: usize) -> impl Strategy<Value = Vec<Vec<Pick>>> {
    let pick = (any::<Index>(), prop::option::weighted(0.75, any::<[Index; 3]>()));
    prop::collection::vec(prop::collection::vec(pick, 1..=3), count)
}

/// The change that picks mean; pins are kept.
fn change(instance: &Instance, picks: &[Pick]) -> Change {
    let mut change = Change::default();
    for (chain, nodes) in picks {
        let chain = chain.index(instance.chains.len());
        let nfs = &instance.chains[chain].nfs;
        let nodes: Vec<u16> = nodes
            .iter()
            .flat_map(|nodes| nfs.iter().zip(nodes).map(|(nf, node)| *node.get(instance.allowed(nf))))
            .collect();
        if !change.contains(chain) {
            change.push(chain, &nodes);
        }
    }
    change
}

fn after(standing: &Standing, change: &Change) -> Vec<Option<Vec<u16>>> {
    let mut assignment = standing.assignment();
    for (chain, nodes) in change.iter() {
        assignment[chain] = (!nodes.is_empty()).then(|| nodes.to_vec());
    }
    assignment
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// 2000 random changes: a refused one breaks a rule, an allowed one breaks none; the forecast is never too low;
    /// after the change, and after every third is taken back, value and score are those of the model.
    #[test]
    fn thousands_of_changes_keep_value_and_score(problem in problems(1..=8), changes in changes(2000)) {
        let instance = Instance::new(&problem);
        let mut standing = Standing::new(&instance, &vec![None; instance.chains.len()]);
        for (step, picks) in changes.iter().enumerate() {
            let change = change(&instance, picks);
            let next = after(&standing, &change);
            let forecast = standing.forecast(&change);
            prop_assert_eq!(forecast.is_some(), violations(&instance, &next).is_empty());
            let Some(forecast) = forecast else { continue };
            let (before, rank) = (standing.rank(), Rank::of(&instance, &next));
            standing.apply(&change);
            prop_assert!(near(standing.rank().value, rank.value), "{} for {}", standing.rank().value, rank.value);
            prop_assert!(near(standing.rank().score, rank.score), "{} for {}", standing.rank().score, rank.score);
            prop_assert!(near(forecast.value, rank.value - before.value));
            prop_assert!(forecast.score >= rank.score - before.score - 1e-9);
            prop_assert_eq!(standing.assignment(), next);
            if step % 3 == 0 {
                standing.undo();
                prop_assert!(near(standing.rank().score, before.score));
                prop_assert!(near(standing.rank().value, before.value));
            }
        }
    }
}

/// Two chains of one fast NF, of weight 1/10, on two nodes; ideal 10 local and 8 remote; alpha .3 / .2, beta .1 / .2, c 0.
///
/// Both local: llc = mem = 0.1, so 10 (1 - .03 - .01) = 9.6 each, 19.2 in sum. Move one away: it starts a remote run
/// alone: 8 (1 - .2 x 1 - 0) = 6.4; the other: llc = 0, mem = .1: 10 (1 - .01) = 9.9; 16.3 in sum, 2.9 less.
/// The forecast is exact here, for each chain has one NF: its capacity is linear.
#[test]
fn one_moves_away() {
    let problem = problem(nodes(&[2, 2]), vec![chain("c0", "F"), chain("c1", "F")]);
    let instance = Instance::new(&problem);
    let mut standing = Standing::new(&instance, &vec![Some(vec![0]), Some(vec![0])]);
    assert!(near(standing.rank().score, 19.2));
    let mut change = Change::default();
    change.push(1, &[1]);
    assert!(near(standing.forecast(&change).unwrap().score, -2.9));
    standing.apply(&change);
    assert!(near(standing.rank().score, 16.3));
    standing.undo();
    assert!(near(standing.rank().score, 19.2));
}
