//! Small random problems with every feature of the model, by seed.

use std::collections::BTreeMap;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sextant_core::instance::Instance;
use sextant_core::problem::{Chain, DropCoefficients, LocalRemote, NfParameters, Node, Objective, Problem};

pub struct Dice(Xoshiro256PlusPlus);

#[allow(dead_code, reason = "each test file uses some of it")]
impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Uniform in 0..below.
    pub fn below(&mut self, below: usize) -> usize {
        (self.0.next_u64() % below as u64) as usize
    }

    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// At most `chains` chains of at most 3 NFs on 1-3 nodes: pins, taken cores, background, several ingresses, rates,
/// values, a running placement, prices and a limit on moves, each now and then; often too few cores for all.
#[allow(dead_code, reason = "each test file uses some of it")]
pub fn any_problem(seed: u64, chains: usize) -> Problem {
    let dice = &mut Dice::new(seed);
    let nodes: Vec<Node> = (0..=dice.below(3))
        .map(|index| {
            let cores = 1 + dice.below(5) as u32;
            Node {
                id: format!("n{index}"),
                local: index == 0 || dice.one_in(3),
                cores,
                taken: if dice.one_in(4) { dice.below(cores as usize) as u32 } else { 0 },
                background: if dice.one_in(4) { dice.between(0.0, 0.3) } else { 0.0 },
            }
        })
        .collect();
    let drop = |dice: &mut Dice| DropCoefficients {
        alpha: dice.between(0.0, 0.4),
        beta: dice.between(0.0, 0.3),
        c: dice.between(-0.02, 0.05),
    };
    let nf_types: BTreeMap<String, NfParameters> = (0..3)
        .map(|index| {
            let local = dice.between(3.0, 12.0);
            let parameters = NfParameters {
                stalls: dice.between(4.0, 40.0),
                ideal: LocalRemote { local, remote: local * dice.between(0.6, 1.1) },
                local: drop(dice),
                remote: drop(dice),
            };
            (format!("t{index}"), parameters)
        })
        .collect();
    let mut initial = BTreeMap::new();
    let runs = dice.one_in(2);
    let locals: Vec<String> = nodes.iter().filter(|node| node.local).map(|node| node.id.clone()).collect();
    let any_node = |dice: &mut Dice| nodes[dice.below(nodes.len())].id.clone();
    let chains: Vec<Chain> = (0..=dice.below(chains))
        .map(|index| {
            let id = format!("c{index}");
            let nfs: Vec<String> = (0..=dice.below(3)).map(|_| format!("t{}", dice.below(3))).collect();
            if runs && !dice.one_in(4) {
                let same = any_node(dice);
                let place = |dice: &mut Dice| if dice.one_in(3) { any_node(dice) } else { same.clone() };
                initial.insert(id.clone(), nfs.iter().map(|_| place(dice)).collect());
            }
            let pin = dice.one_in(5).then(|| vec![any_node(dice)]);
            let nf_pins = (pin.is_none() && dice.one_in(5))
                .then(|| nfs.iter().map(|_| dice.one_in(2).then(|| any_node(dice))).collect());
            Chain {
                id,
                nfs,
                value: if dice.one_in(3) { dice.between(0.5, 2.0) } else { 1.0 },
                rate_mpps: dice.one_in(2).then(|| dice.between(1.0, 8.0)),
                ingress: dice.one_in(3).then(|| locals[dice.below(locals.len())].clone()),
                pin,
                nf_pins,
            }
        })
        .collect();
    Problem {
        objective: if dice.one_in(3) { Objective::Served } else { Objective::Capacity },
        initial: runs.then_some(initial),
        move_price_mpps: if dice.one_in(2) { dice.between(0.0, 0.5) } else { 0.0 },
        margin_mpps: 0.0,
        max_moves: dice.one_in(3).then(|| dice.below(5) as u32),
        nodes,
        nf_types,
        chains,
    }
}

/// The instance of `any_problem`.
#[allow(dead_code, reason = "each test file uses some of it")]
pub fn any_instance(seed: u64, chains: usize) -> Instance {
    Instance::new(&any_problem(seed, chains))
}
