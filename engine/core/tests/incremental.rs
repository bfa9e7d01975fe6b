//! A placement under change agrees with the model computed from scratch.

mod common;

use common::{Dice, any_instance};
use proptest::prelude::*;
use sextant_core::incremental::{Change, Standing};
use sextant_core::instance::Instance;
use sextant_core::problem::Problem;
use sextant_core::rank::{Rank, violations};

/// Within 1e-9, relative above 1.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// New nodes, or none, for one to three chains; pins are kept.
fn random_change(instance: &Instance, dice: &mut Dice) -> Change {
    let mut change = Change::default();
    for _ in 0..=dice.below(3) {
        let chain = dice.below(instance.chains.len());
        let nodes: Vec<u16> = instance.chains[chain]
            .nfs
            .iter()
            .map(|nf| instance.allowed(nf))
            .map(|nodes| nodes[dice.below(nodes.len())])
            .collect();
        if !change.contains(chain) {
            change.push(chain, if dice.one_in(4) { &[] } else { &nodes });
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
    fn thousands_of_changes_keep_value_and_score(seed in any::<u64>()) {
        let instance = any_instance(seed, 8);
        let dice = &mut Dice::new(seed ^ 1);
        let mut standing = Standing::new(&instance, &vec![None; instance.chains.len()]);
        for step in 0..2000 {
            let change = random_change(&instance, dice);
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

/// Two chains of one NF of weight 1/10 on two nodes; ideal 10 local and 8 remote; alpha .3 / .2, beta .1 / .2, c 0.
///
/// Both local: llc = mem = 0.1, so 10 (1 - .03 - .01) = 9.6 each, 19.2 in sum. Move one away: it starts a remote run
/// alone: 8 (1 - .2 x 1 - 0) = 6.4; the other: llc = 0, mem = .1: 10 (1 - .01) = 9.9; 16.3 in sum, 2.9 less.
/// The forecast is exact here, for each chain has one NF: its capacity is linear.
#[test]
fn one_moves_away() {
    let problem: Problem = serde_json::from_str(
        r#"{"nodes": [{"id": "n0", "local": true, "cores": 2}, {"id": "n1", "local": false, "cores": 2}],
            "nf_types": {"fw": {"stalls": 10, "ideal": {"local": 10, "remote": 8},
                "local": {"alpha": 0.3, "beta": 0.1, "c": 0}, "remote": {"alpha": 0.2, "beta": 0.2, "c": 0}}},
            "chains": [{"id": "c0", "nfs": ["fw"]}, {"id": "c1", "nfs": ["fw"]}]}"#,
    )
    .unwrap();
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
