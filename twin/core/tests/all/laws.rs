//! What holds in the steady state of any host, however absurd.

use proptest::collection::vec;
use proptest::prelude::*;
use sextant_twin_core::machine::Machine;
use sextant_twin_core::outcome::Outcome;
use sextant_twin_core::setting::Setting;
use sextant_twin_core::steady::{TOLERANCE, steady};

use crate::tests::common::{DRAWS, Dice, machine, setting};

/// Rounding of sums of rates.
const ROUNDING: f64 = 1e-9;

/// Every number of an outcome is there (JSON has none for NaN and infinity) and none is negative.
fn assert_sound(outcome: &Outcome) {
    fn walk(value: &serde_json::Value, path: &str) {
        match value {
            serde_json::Value::Null => panic!("{path} is no number"),
            serde_json::Value::Number(number) => {
                assert!(number.as_f64().is_some_and(|number| number >= 0.0), "{path} is {number}");
            }
            serde_json::Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| walk(item, &format!("{path}.{index}")));
            }
            serde_json::Value::Object(entries) => {
                entries.iter().for_each(|(key, item)| walk(item, &format!("{path}.{key}")));
            }
            _ => {}
        }
    }
    walk(&serde_json::to_value(outcome).expect("an outcome is JSON"), "outcome");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    /// Both laws of every host: computing its steady state is what costs.
    #[test]
    fn packets_are_conserved_nothing_is_absurd_and_caches_hold_no_more_than_their_room(draws in vec(0.0..1.0, DRAWS)) {
        let mut dice = Dice::new(&draws);
        let machine = machine(&mut dice);
        let setting = setting(&mut dice, &machine);
        let outcome = steady(&machine, &setting);
        assert_sound(&outcome);
        assert_conserved(&machine, &setting, &outcome)?;
        assert_room(&machine, &setting, &outcome)?;
    }
}

/// offered = delivered + dropped + filtered; nobody takes more than it can; shares are shares; nothing is NaN.
fn assert_conserved(machine: &Machine, setting: &Setting, outcome: &Outcome) -> Result<(), TestCaseError> {
    for chain in &outcome.chains {
        let out = chain.delivered_pps + chain.dropped_pps + chain.filtered_pps;
        prop_assert!((chain.offered_pps - out).abs() <= ROUNDING * chain.offered_pps, "{chain:?}");
        prop_assert!(chain.delivered_pps <= chain.capacity_pps * (1.0 + ROUNDING), "{chain:?}");
        prop_assert!(chain.ddio_hit <= 1.0 && chain.first_read_hit <= 1.0);
        prop_assert!(chain.latency.p50_s <= chain.latency.p95_s && chain.latency.p95_s <= chain.latency.p99_s);
    }
    for instance in &outcome.instances {
        prop_assert!(instance.taken_pps <= instance.capacity_pps * (1.0 + ROUNDING), "{instance:?}");
        prop_assert!(instance.core_share <= 1.0 && instance.stalled_cycles <= instance.cycles);
        prop_assert!(instance.llc_misses <= instance.llc_references * (1.0 + ROUNDING), "{instance:?}");
    }
    for nic in 0..machine.nics.len() {
        let of_nic = |index: &usize| setting.chains[*index].nic == nic;
        let taken: f64 = (0..setting.chains.len())
            .filter(of_nic)
            .map(|index| {
                let chain = &outcome.chains[index];
                (chain.offered_pps - chain.dropped_at_nic_pps) * (setting.chains[index].traffic.bytes() + 20.0)
            })
            .sum();
        prop_assert!(taken <= machine.nics[nic].bandwidth_bytes_s * (1.0 + 1e-6));
    }
    Ok(())
}

/// What streams hold of a cache is never more than there is.
fn assert_room(machine: &Machine, setting: &Setting, outcome: &Outcome) -> Result<(), TestCaseError> {
    let mut held = vec![0.0; machine.nodes];
    for (instance, outcome) in setting.instances.iter().zip(&outcome.instances) {
        held[machine.node_of(instance.core)] += outcome.occupancy();
    }
    for (neighbour, outcome) in setting.neighbours.iter().zip(&outcome.neighbours) {
        held[machine.node_of(neighbour.core)] += outcome.occupancy_bytes;
    }
    for bytes in held {
        prop_assert!(bytes <= machine.llc.bytes * 1.000_1, "{bytes} of {}", machine.llc.bytes);
    }
    Ok(())
}

/// How many of random hosts have not settled, and how far from it they are.
#[test]
fn random_hosts_settle() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let hosts = 2000;
    let mut open: Vec<f64> = Vec::new();
    for _ in 0..hosts {
        let draws = vec(0.0..1.0, DRAWS).new_tree(&mut runner).expect("draws").current();
        let mut dice = Dice::new(&draws);
        let machine = machine(&mut dice);
        let outcome = steady(&machine, &setting(&mut dice, &machine));
        if outcome.residual > TOLERANCE {
            open.push(outcome.residual);
        }
    }
    open.sort_by(f64::total_cmp);
    for level in [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1] {
        println!("{level}: {}", open.iter().filter(|one| **one > level).count());
    }
    assert!(open.len() <= hosts / 100, "{} of {hosts}", open.len());
}
