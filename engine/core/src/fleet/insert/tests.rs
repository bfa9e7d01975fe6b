//! View, promise and insertion against the model computed from scratch.

use proptest::prelude::*;

use super::*;
use crate::fleet::demand::{Demand, Seated};
use crate::fleet::promise::promise;
use crate::generate::{Mode, Recipe, generate};
use crate::instance::{Assignment, Instance};
use crate::rank::Rank;

/// A host where all chains but the last stand at given nodes, and a rate for each.
fn host(nodes: usize, length: usize, mode: Mode, seed: u64, rates: &[f64]) -> Instance {
    let recipe = Recipe { chains: 4, nodes, cores: 6, length, mode, seed };
    let mut instance = Instance::new(&generate(&recipe).unwrap());
    for (index, (chain, rate)) in instance.chains.iter_mut().zip(rates).enumerate() {
        chain.rate = *rate;
        chain.ingress = (index % nodes) as u16;
        chain.value = 1.0 + index as f64;
    }
    instance
}

fn view(instance: &Instance, placed: &Assignment) -> View {
    let seated: Vec<(Seated, usize)> = placed
        .iter()
        .enumerate()
        .filter_map(|(index, pattern)| {
            let chain = &instance.chains[index];
            let demand =
                Demand { kind: 0, length: chain.nfs.len() as u32, value: chain.value, rate: chain.rate, apart: None };
            Some((Seated { rank: None, demand, ingress: chain.ingress, pattern: pattern.clone()? }, index))
        })
        .collect();
    let pairs: Vec<_> = seated.iter().map(|(chain, index)| (chain, instance.chains[*index].nfs.as_slice())).collect();
    View::new(&instance.background, &pairs)
}

/// All patterns within the room, judged from scratch.
fn by_enumeration(instance: &Instance, placed: &Assignment, room: &[u32]) -> f64 {
    let last = placed.len() - 1;
    let before = Rank::of(instance, placed).score;
    let (nodes, length) = (room.len(), instance.chains[last].nfs.len());
    let mut best = f64::NEG_INFINITY;
    for code in 0..nodes.pow(length as u32) {
        let pattern: Vec<u16> = (0..length).map(|at| (code / nodes.pow(at as u32) % nodes) as u16).collect();
        let fits =
            (0..nodes).all(|node| pattern.iter().filter(|&&k| usize::from(k) == node).count() as u32 <= room[node]);
        if fits {
            let mut with = placed.clone();
            with[last] = Some(pattern);
            best = best.max(Rank::of(instance, &with).score - before);
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The insertion is the best of all patterns, it gains what the model says, and no promise is below it.
    #[test]
    fn an_insertion_is_the_best_of_all_patterns(
        (nodes, length, seed) in (1usize..4, 1usize..5, any::<u64>()),
        stand in proptest::collection::vec(any::<u16>(), 12),
        rates in proptest::collection::vec(prop_oneof![Just(f64::INFINITY), 0.5..6.0f64], 4),
        room in proptest::collection::vec(0u32..5, 3),
    ) {
        let mode = [Mode::A, Mode::B, Mode::C][(seed % 3) as usize];
        let instance = host(nodes, length, mode, seed, &rates);
        let mut nodes_of = stand.iter().cycle().map(|node| node % nodes as u16);
        let mut placed: Assignment = (0..3).map(|_| Some(nodes_of.by_ref().take(length).collect())).collect();
        placed.push(None);
        let view = view(&instance, &placed);
        prop_assert!((view.score - Rank::of(&instance, &placed).score).abs() < 1e-9);

        let room = &room[..nodes];
        let chain = &instance.chains[3];
        let newcomer =
            Newcomer { nfs: &chain.nfs, value: chain.value, rate: chain.rate, ingress: chain.ingress };
        let expected = by_enumeration(&instance, &placed, room);
        let found = best(&view, room, newcomer, f64::NEG_INFINITY, &mut 0);
        prop_assert_eq!(found.is_some(), expected > f64::NEG_INFINITY);
        let Some(found) = found else { return Ok(()) };
        prop_assert!((found.gain - expected).abs() < 1e-9, "{} is not {expected}", found.gain);
        prop_assert!(promise(&view, newcomer, |node| room[node] > 0) >= expected - 1e-9);
        prop_assert!(newcomer.solo_bound() >= expected - 1e-9);
        prop_assert!(best(&view, room, newcomer, expected + 1e-6, &mut 0).is_none());
        prop_assert!(best(&view, room, newcomer, expected - 1e-6, &mut 0).is_some());
    }

    /// Longer chains: a placement within the room that gains what the model says, no less than the fill.
    #[test]
    fn a_long_chain_gains_no_less_than_the_fill(seed in any::<u64>(), extra in 0u32..6) {
        let instance = host(2, 13, Mode::A, seed, &[3.0, 3.0, 3.0, f64::INFINITY]);
        let placed: Assignment = vec![Some(vec![0; 13]), None, None, None];
        let (view, room) = (view(&instance, &placed), [8 + extra, 6]);
        let chain = &instance.chains[3];
        let newcomer =
            Newcomer { nfs: &chain.nfs, value: chain.value, rate: chain.rate, ingress: chain.ingress };
        prop_assert!(2f64.powi(13) > MOST_PATTERNS);
        let found = best(&view, &room, newcomer, f64::NEG_INFINITY, &mut 0).unwrap();
        let gain = |pattern: Vec<u16>| {
            let mut with = placed.clone();
            with[3] = Some(pattern);
            Rank::of(&instance, &with).score - Rank::of(&instance, &placed).score
        };
        prop_assert!((gain(found.pattern.clone()) - found.gain).abs() < 1e-9);
        prop_assert!(found.pattern.iter().filter(|&&node| node == 0).count() as u32 <= room[0]);
        prop_assert!(found.gain >= gain(seats::fill(&room, chain.ingress, 13).unwrap()) - 1e-9);
    }
}
