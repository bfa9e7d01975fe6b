//! What is offered to a rejected chain is tried, by brute force that shares nothing with the search.

use crate::tests::problems::build::{chain, nodes, problem};
use proptest::prelude::*;
use sextant_core::instance::{Assignment, Instance, Pattern, assignment_of, node_indices};
use sextant_core::laws::octans::Algorithm;
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::problem::{Chain, Problem};
use sextant_core::rank::violations;
use sextant_core::relax::{Host, Relaxation};
use sextant_core::seating::Demand;

/// Patterns of a chain of so many NFs.
fn patterns(nodes: usize, nfs: usize) -> impl Iterator<Item = Pattern> {
    (0..nodes.pow(nfs as u32))
        .map(move |number| (0..nfs).map(|position| (number / nodes.pow(position as u32) % nodes) as u16).collect())
}

/// True if the chain can be seated beside the others as they stand.
fn fits(problem: &Problem, others: &Assignment, chain: usize) -> bool {
    let instance = Instance::new(problem);
    let mut assignment = others.clone();
    patterns(problem.nodes.len(), problem.chains[chain].nfs.len()).any(|pattern| {
        assignment[chain] = Some(pattern);
        violations(&instance, &assignment).is_empty()
    })
}

/// True if the chain can be seated together with the accepted ones, wherever they stand.
fn fits_somehow(problem: &Problem, accepted: &Assignment, chain: usize) -> bool {
    fn seat(problem: &Problem, wanted: &[usize], assignment: &mut Assignment) -> bool {
        let Some((&next, rest)) = wanted.split_first() else {
            return violations(&Instance::new(problem), assignment).is_empty();
        };
        patterns(problem.nodes.len(), problem.chains[next].nfs.len()).any(|pattern| {
            assignment[next] = Some(pattern);
            seat(problem, rest, assignment)
        })
    }
    let wanted: Vec<usize> =
        (0..problem.chains.len()).filter(|&index| index == chain || accepted[index].is_some()).collect();
    seat(problem, &wanted, &mut vec![None; problem.chains.len()])
}

/// True if the chain fits with so many cores more in all, wherever they are added.
fn fits_with_cores(problem: &Problem, others: &Assignment, chain: usize, more: u32, from: usize) -> bool {
    if more == 0 || from == problem.nodes.len() {
        return fits(problem, others, chain);
    }
    (0..=more).any(|here| {
        let mut extended = problem.clone();
        extended.nodes[from].cores += here;
        fits_with_cores(&extended, others, chain, more - here, from + 1)
    })
}

fn apply(given: &Problem, placed: &Assignment, index: usize, offered: &Relaxation) {
    let instance = Instance::new(given);
    let mut changed = given.clone();
    let mut others = placed.clone();
    let id = given.chains[index].id.clone();
    match offered {
        Relaxation::Seat(pattern) => {
            others[index] = Some(pattern.clone());
            assert_eq!(violations(&instance, &others), []);
        }
        Relaxation::Reseat(reseat) => {
            others[index] = Some(reseat.pattern.clone());
            for &(chain, position, node) in &reseat.moved {
                others[chain].as_mut().expect("accepted")[position] = node;
            }
            assert_eq!(violations(&instance, &others), []);
        }
        Relaxation::Loosen { unpin, allow } => {
            for &position in unpin {
                changed.chains[index].nf_pins.as_mut().expect("pinned")[position] = None;
            }
            if !allow.is_empty() {
                let pin = changed.chains[index].pin.as_mut().expect("pinned");
                pin.extend(allow.iter().map(|&node| format!("n{node}")));
            }
            assert!(fits(&changed, &others, index));
        }
        Relaxation::RaiseMoves(moves) => {
            changed.max_moves = Some(*moves);
            assert!(fits_somehow(&changed, &others, index));
            changed.max_moves = Some(moves - 1);
            assert!(!fits(&changed, &others, index), "fewer moves would do");
        }
        Relaxation::Remove(removed) => {
            for &chain in removed {
                others[chain] = None;
            }
            assert!(fits(&changed, &others, index));
        }
        Relaxation::Shorten(nfs) => {
            changed.initial.iter_mut().for_each(|initial| _ = initial.remove(&id));
            let mut cut = |nfs: usize| {
                changed.chains[index].nfs.truncate(nfs);
                changed.chains[index].nf_pins.iter_mut().for_each(|pins| pins.truncate(nfs));
                fits(&changed, &others, index)
            };
            assert!(!cut(nfs + 1), "more NFs would fit");
            assert!(cut(*nfs));
        }
        Relaxation::AddCores { pinned, free, max_moves } => {
            let cores = pinned.iter().map(|(_, cores)| cores).sum::<u32>() + free;
            let unlimited = Problem { max_moves: None, ..given.clone() };
            assert!(!fits_with_cores(&unlimited, &others, index, cores - 1, 0), "fewer cores would do");
            for &(node, cores) in pinned {
                changed.nodes[node as usize].cores += cores;
            }
            changed.max_moves = max_moves.or(given.max_moves);
            for node in Demand::new(given, &instance, &node_indices(given), index).confined {
                let mut extended = changed.clone();
                extended.nodes[node as usize].cores += free;
                assert!(fits(&extended, &others, index));
            }
        }
    }
}

/// A problem of at most 3 x 2 NFs on at most 3 nodes, and which chains its placement shall leave out.
fn cases() -> impl Strategy<Value = (Problem, Vec<bool>)> {
    let shapes = (1usize..=2, 0u8..8, prop::collection::vec(prop::option::of(0usize..3), 2), 1u8..4);
    let initial = prop::collection::vec(prop::option::of((0usize..3, 0usize..3)), 3);
    (
        prop::collection::vec(0u32..=3, 1..=3),
        prop::collection::vec(shapes, 1..=3),
        initial,
        prop::option::of(0u32..3),
        prop::collection::vec(any::<bool>(), 3),
    )
        .prop_map(|(cores, chains, initial, max_moves, left_out)| {
            let count = cores.len();
            let name = |node: usize| format!("n{}", node % count);
            let chains: Vec<Chain> = chains
                .into_iter()
                .enumerate()
                .map(|(index, (length, mask, nf_pins, value))| {
                    let pin: Vec<String> = (0..count).filter(|node| mask >> node & 1 == 1).map(name).collect();
                    let pin = (!pin.is_empty()).then_some(pin);
                    let allowed = |node: &String| pin.as_ref().is_none_or(|pin| pin.contains(node));
                    let nf_pins = nf_pins[..length].iter().map(|node| node.map(name).filter(allowed)).collect();
                    let short = chain(&format!("c{index}"), &"A".repeat(length));
                    Chain { value: f64::from(value), pin: pin.clone(), nf_pins: Some(nf_pins), ..short }
                })
                .collect();
            let ran = chains.iter().zip(initial).filter_map(|(chain, ran)| {
                let (first, second) = ran?;
                Some((chain.id.clone(), vec![name(first), name(second)][..chain.nfs.len()].to_vec()))
            });
            let initial = Some(ran.collect());
            (Problem { initial, max_moves, ..problem(nodes(&cores), chains) }, left_out)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Every way out is one, is the least of its kind, and a chain that fits somehow is never advised to wait for cores
    /// before the others make room.
    #[test]
    fn every_way_out_is_one((given, left_out) in cases()) {
        let instance = Instance::new(&given);
        let found = solve(
            &given, Algorithm::NodeFirst, &Options::default(), None).unwrap();
        let mut placed = assignment_of(&given, &found.assignment, "assignment").unwrap();
        for (pattern, out) in placed.iter_mut().zip(left_out) {
            *pattern = pattern.take().filter(|_| !out);
        }
        let host = Host::new(&instance, &placed);
        for index in (0..placed.len()).filter(|&index| placed[index].is_none()) {
            let demand = Demand::new(&given, &instance, &node_indices(&given), index);
            let offered = host.relaxations(index, &demand);
            prop_assert!(!offered.is_empty());
            for relaxation in &offered {
                apply(&given, &placed, index, relaxation);
            }
            let alone = fits(&given, &placed, index);
            prop_assert_eq!(matches!(offered[0], Relaxation::Seat(_)), alone);
            if given.max_moves.is_none() && !alone {
                let somehow = fits_somehow(&given, &placed, index);
                prop_assert_eq!(matches!(offered[0], Relaxation::Reseat(_)), somehow);
            }
        }
    }
}
