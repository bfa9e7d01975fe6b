//! The most valuable set of chains that fits, against enumeration of all sets.

use crate::tests::problems::any::enumerable;
use proptest::prelude::*;
use sextant_core::acceptance::{best_acceptance, seat};
use sextant_core::control::{Control, Limits};
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::instance::{Assignment, Instance, Pattern};
use sextant_core::rank::{close, violations};

/// Is there any placement of just these chains? By trying all.
fn fits(instance: &Instance, accepted: &[bool]) -> bool {
    fn extend(instance: &Instance, accepted: &[bool], so_far: &mut Assignment) -> bool {
        let Some(chain) = accepted.get(so_far.len()) else { return violations(instance, so_far).is_empty() };
        let index = so_far.len();
        let patterns = if *chain { patterns(instance, index) } else { vec![None] };
        patterns.into_iter().any(|pattern| {
            so_far.push(pattern);
            let full = instance.free.iter().enumerate().any(|(node, &free)| {
                so_far.iter().flatten().flatten().filter(|&&on| on as usize == node).count() > free as usize
            });
            let found = !full && extend(instance, accepted, so_far);
            so_far.pop();
            found
        })
    }
    extend(instance, accepted, &mut Vec::new())
}

fn patterns(instance: &Instance, chain: usize) -> Vec<Option<Pattern>> {
    let mut patterns = vec![Pattern::new()];
    for nf in &instance.chains[chain].nfs {
        let longer = patterns.iter().flat_map(|pattern| {
            instance.allowed(nf).iter().map(move |&node| pattern.iter().copied().chain([node]).collect())
        });
        patterns = longer.collect();
    }
    patterns.into_iter().map(Some).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// `seat` finds a placement if and only if there is one; the best set is worth what the best of all sets is.
    #[test]
    fn equals_enumeration(problem in enumerable(3000.0)) {
        let instance = Instance::new(&problem);
        let mut most = 0.0f64;
        for set in 0..1u32 << instance.chains.len() {
            let accepted: Vec<bool> = (0..instance.chains.len()).map(|chain| set >> chain & 1 == 1).collect();
            let feasible = fits(&instance, &accepted);
            let seated = seat(&instance, &accepted);
            prop_assert_eq!(seated.is_some(), feasible, "set {:?}", accepted);
            if let Some(seated) = seated {
                prop_assert_eq!(violations(&instance, &seated), vec![]);
                prop_assert!(seated.iter().map(Option::is_some).eq(accepted.iter().copied()));
                let worth = |(chain, _): (usize, &bool)| instance.chains[chain].value;
                most = most.max(accepted.iter().enumerate().filter(|(_, taken)| **taken).map(worth).sum());
            }
        }
        let best = best_acceptance(&instance, &mut Control::unlimited());
        prop_assert!(best.proven && close(best.value, most), "{} instead of {most}", best.value);
        prop_assert_eq!(violations(&instance, &best.seating), vec![]);
        prop_assert!(best.seating.iter().map(Option::is_some).eq(best.accepted.iter().copied()));
    }
}

/// 21 cores, chains of 2 to 4 NFs worth 3, 4, 6 (by length 2, 3, 4), five of each: worth a core 1.5, 1.33, 1.5.
/// 5 x 4 = 20 cores of fours and nothing in the last core: 30. Four fours and two twos: 16 + 4 = 20 cores: 30.
/// Three fours, three twos and a three: 12 + 6 + 3 = 21 cores: 18 + 9 + 4 = 31, and 21 x 1.5 = 31.5 is out of reach,
/// because 21 is odd and only a three is odd.
#[test]
fn a_knapsack_in_cores() {
    let recipe = Recipe { chains: 15, nodes: 3, cores: 7, length: 4, mode: Mode::A, seed: 1 };
    let mut instance = Instance::new(&generate(&recipe).unwrap());
    for (index, chain) in instance.chains.iter_mut().enumerate() {
        let length = 2 + index % 3;
        chain.nfs.truncate(length);
        chain.value = [3.0, 4.0, 6.0][length - 2];
    }
    let best = best_acceptance(&instance, &mut Control::unlimited());
    assert!(best.proven);
    assert!(close(best.value, 31.0), "{}", best.value);
}

/// A hundred thousand chains: all fit, or a third of them does; without any time a valid set comes back all the same.
#[test]
fn many_chains() {
    for (cores, proven) in [(10_000, true), (3_000, true)] {
        let recipe = Recipe { chains: 100_000, nodes: 32, cores, length: 3, mode: Mode::A, seed: 1 };
        let instance = Instance::new(&generate(&recipe).unwrap());
        let best = best_acceptance(&instance, &mut Control::unlimited());
        let fit = (32 * cores as usize / 3).min(100_000);
        assert!(close(best.value, fit as f64), "{}", best.value);
        assert_eq!((best.proven, violations(&instance, &best.seating)), (proven, vec![]));
        let mut no_time = Control::new(Limits { time: None, evaluations: Some(0) }, None);
        no_time.look();
        let hasty = best_acceptance(&instance, &mut no_time);
        assert_eq!(violations(&instance, &hasty.seating), vec![]);
        assert!(close(hasty.value, fit as f64));
    }
}
