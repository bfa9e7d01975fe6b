//! Second threads of physical cores: nothing is otherwise while they are empty, and nobody gains where they are not.

use proptest::collection::vec;
use proptest::prelude::*;
use sextant_twin_core::examples::{alone, chain, instance, machine as example};
use sextant_twin_core::machine::{Machine, Siblings};
use sextant_twin_core::nf::{Nf, StreamKind};
use sextant_twin_core::setting::Setting;
use sextant_twin_core::steady::{TOLERANCE, steady};

use crate::tests::common::{DRAWS, Dice, machine, nf, setting};

fn threaded(machine: &Machine, gain: f64) -> Machine {
    Machine { siblings: Some(Siblings { gain }), ..machine.clone() }
}

/// The same, with every other NF of it on the second thread of its core.
fn spread(machine: &Machine, mut setting: Setting) -> Setting {
    let second = |core: usize| machine.sibling_of(core).unwrap_or(core);
    setting.instances.iter_mut().step_by(2).for_each(|instance| instance.core = second(instance.core));
    setting
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// To the last digit: what was computed of a machine without second threads holds with them, as long as they are empty.
    #[test]
    fn empty_second_threads_change_nothing(draws in vec(0.0..1.0, DRAWS), gain in 1.0..2.0) {
        let mut dice = Dice::new(&draws);
        let machine = machine(&mut dice);
        let setting = setting(&mut dice, &machine);
        prop_assert_eq!(steady(&threaded(&machine, gain), &setting), steady(&machine, &setting));
    }

    /// Packets are conserved with NFs on both threads, too, and what is reported are numbers.
    #[test]
    fn packets_are_conserved_on_siblings(draws in vec(0.0..1.0, DRAWS), gain in 1.0..2.0) {
        let mut dice = Dice::new(&draws);
        let machine = threaded(&machine(&mut dice), gain);
        let setting = setting(&mut dice, &machine);
        let outcome = steady(&machine, &spread(&machine, setting));
        for chain in &outcome.chains {
            let out = chain.delivered_pps + chain.dropped_pps + chain.filtered_pps;
            prop_assert!((chain.offered_pps - out).abs() <= 1e-9 * chain.offered_pps, "{chain:?}");
        }
        for at in &outcome.instances {
            prop_assert!(at.cycles.is_finite() && at.cycles >= at.stalled_cycles, "{at:?}");
            prop_assert!(at.llc_misses <= at.llc_references * (1.0 + 1e-9), "{at:?}");
        }
    }

    /// An NF takes no more beside another on the second thread of its core than beside the same on a core of its own, where
    /// the other takes as much as there.
    #[test]
    fn nobody_gains_by_a_sibling_but_what_the_other_loses(draws in vec(0.0..1.0, DRAWS), gain in 1.0..2.0) {
        let mut dice = Dice::new(&draws);
        if let Some([one, other]) = of_apart([nf(&mut dice), nf(&mut dice)], gain) {
            prop_assert!(one.min(other) <= 1.0 + 1e-3, "{one} and {other} of what they take apart");
        }
    }

    /// Where caches hold all that both need, nobody gains at all.
    #[test]
    fn a_busy_sibling_never_helps_whom_caches_hold(draws in vec(0.0..1.0, DRAWS), gain in 1.0..2.0) {
        let mut dice = Dice::new(&draws);
        if let Some(parts) = of_apart([held(nf(&mut dice)), held(nf(&mut dice))], gain) {
            prop_assert!(parts.iter().all(|&part| part <= 1.0 + 1e-3), "{parts:?} of what they take apart");
        }
    }
}

/// What two NFs take on both threads of a core, each as a part of what it takes on a core of its own; None where either
/// has not settled.
fn of_apart(nfs: [Nf; 2], gain: f64) -> Option<[f64; 2]> {
    let mut setting = alone(1e7);
    // Neither filters, so that nothing depends on what comes behind.
    let named = ["nf", "other"].into_iter().zip(nfs);
    setting.nfs.extend(named.map(|(name, nf)| (name.to_owned(), Nf { pass: 1.0, ..nf })));
    setting.instances.push(instance("b", "other", 1));
    setting.chains.push(chain("d", &["b"], 1e7));
    let machine = threaded(&example(), gain);
    let mut taken = |core: usize| {
        setting.instances[1].core = core;
        let outcome = steady(&machine, &setting);
        (outcome.residual <= TOLERANCE).then(|| [0, 1].map(|index| outcome.instances[index].taken_pps))
    };
    let (apart, together) = (taken(1)?, taken(24)?);
    Some([0, 1].map(|index| together[index] / apart[index]))
}

/// The same with so little state that the last-level cache has room for all of it.
fn held(mut nf: Nf) -> Nf {
    for stream in &mut nf.streams {
        stream.kind = StreamKind::Random;
        (stream.bytes, stream.bytes_per_flow) = (stream.bytes.min(1e5), 0.0);
    }
    nf
}

/// How many of random hosts with NFs on both threads have not settled.
#[test]
fn random_hosts_with_siblings_settle() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (hosts, mut open) = (1000, 0);
    for _ in 0..hosts {
        let draws = vec(0.0..1.0, DRAWS).new_tree(&mut runner).expect("draws").current();
        let mut dice = Dice::new(&draws);
        let machine = threaded(&machine(&mut dice), 1.1);
        let setting = setting(&mut dice, &machine);
        open += usize::from(steady(&machine, &spread(&machine, setting)).residual > TOLERANCE);
    }
    println!("{open} of {hosts}");
    assert!(open <= hosts / 50, "{open} of {hosts}");
}
