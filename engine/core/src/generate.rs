//! Seeded problems for tests and benchmarks. The types are invented but plausible: the papers print no parameters.
//!
//! Stalls are multiplied by (cores a node) / 10, so that the weights of a full node sum to at most about 1.

use std::collections::BTreeMap;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::error::BadInput;
use crate::problem::{
    Chain, DropCoefficients, LocalRemote, MAX_CHAINS, MAX_NFS, MAX_NODES, NfParameters, Node, Problem,
};

/// How NFs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Four types, each parameter of each +-15 %.
    A,
    /// Every NF its own profile: one of the four types, each parameter +-20 %.
    B,
    /// Four types of similar speed (8 Mpps +-10 % local), all else as in A.
    C,
}

/// What to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// Number of chains.
    pub chains: usize,
    /// Number of nodes; the first is local.
    pub nodes: usize,
    /// Cores a node.
    pub cores: u32,
    /// NFs a chain.
    pub length: usize,
    /// How NFs differ.
    pub mode: Mode,
    /// Equal seeds give equal problems on any machine.
    pub seed: u64,
}

struct Type {
    name: &'static str,
    ideal: (f64, f64), // Mpps local, remote
    stalls: f64,
    local: (f64, f64, f64), // alpha, beta, c
    remote: (f64, f64, f64),
}

const TYPES: [Type; 4] = [
    Type { name: "router", ideal: (14.0, 11.0), stalls: 12.0, local: (0.30, 0.12, 0.02), remote: (0.20, 0.25, 0.02) },
    Type { name: "firewall", ideal: (10.0, 8.2), stalls: 16.0, local: (0.28, 0.10, 0.02), remote: (0.18, 0.22, 0.02) },
    Type { name: "nids", ideal: (6.0, 5.2), stalls: 28.0, local: (0.22, 0.10, 0.01), remote: (0.14, 0.20, 0.01) },
    Type { name: "vpn", ideal: (4.0, 3.7), stalls: 45.0, local: (0.12, 0.06, 0.01), remote: (0.08, 0.12, 0.01) },
];

/// The problem of a recipe.
pub fn generate(recipe: &Recipe) -> Result<Problem, BadInput> {
    let most = [
        ("chains", recipe.chains, 0, MAX_CHAINS),
        ("nodes", recipe.nodes, 1, MAX_NODES),
        ("cores", recipe.cores as usize, 1, 1_000_000),
        ("length", recipe.length, 1, MAX_NFS),
    ];
    for (field, asked, least, most) in most {
        if !(least..=most).contains(&asked) {
            return Err(BadInput::new(field, format!("{asked} is not within {least} and {most}")));
        }
    }
    let mut dice = Dice(Xoshiro256PlusPlus::seed_from_u64(recipe.seed));
    let scale = f64::from(recipe.cores) / 10.0;
    let mut nf_types = BTreeMap::new();
    if recipe.mode != Mode::B {
        for kind in &TYPES {
            let mut parameters = dice.parameters(kind, 0.15, scale);
            if recipe.mode == Mode::C {
                let local = 8.0 * dice.factor(0.10);
                parameters.ideal = LocalRemote { local, remote: local * kind.ideal.1 / kind.ideal.0 };
            }
            nf_types.insert(kind.name.to_owned(), parameters);
        }
    }
    let mut chains = Vec::with_capacity(recipe.chains);
    for index in 0..recipe.chains {
        let mut nfs = Vec::with_capacity(recipe.length);
        for position in 0..recipe.length {
            let kind = &TYPES[(dice.0.next_u64() % 4) as usize]; // 4 divides 2^64: no bias
            let name =
                if recipe.mode == Mode::B { format!("{}-{index}-{position}", kind.name) } else { kind.name.to_owned() };
            if recipe.mode == Mode::B {
                nf_types.insert(name.clone(), dice.parameters(kind, 0.20, scale));
            }
            nfs.push(name);
        }
        chains.push(Chain {
            id: format!("c{index}"),
            nfs,
            value: 1.0,
            rate_mpps: None,
            ingress: None,
            pin: None,
            nf_pins: None,
        });
    }
    let node = |index: usize| Node {
        id: format!("node{index}"),
        local: index == 0,
        cores: recipe.cores,
        taken: 0,
        background: 0.0,
    };
    Ok(Problem { nodes: (0..recipe.nodes).map(node).collect(), nf_types, chains, ..Problem::default() })
}

struct Dice(Xoshiro256PlusPlus);

impl Dice {
    /// Uniform in [1 - spread, 1 + spread).
    fn factor(&mut self, spread: f64) -> f64 {
        let unit = (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        1.0 + spread * (2.0 * unit - 1.0)
    }

    fn parameters(&mut self, kind: &Type, spread: f64, scale: f64) -> NfParameters {
        let mut near = |figure: f64| figure * self.factor(spread);
        NfParameters {
            stalls: near(kind.stalls) * scale,
            ideal: LocalRemote { local: near(kind.ideal.0), remote: near(kind.ideal.1) },
            local: DropCoefficients { alpha: near(kind.local.0), beta: near(kind.local.1), c: near(kind.local.2) },
            remote: DropCoefficients { alpha: near(kind.remote.0), beta: near(kind.remote.1), c: near(kind.remote.2) },
        }
    }
}
