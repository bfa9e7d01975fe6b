//! The paper's network (Sec. IV-C): what a VNF is expected to be served on each core.
//!
//! The VNF that chooses asks (query), all VNFs answer (keys, values): three heads of four dimensions, scaled dot products.
//! What they say goes through a dense layer of 16; with load and occupants of each core through two of 48; then a
//! dueling head: Q = value + advantage - mean advantage. Dense layers have biases and are rectified but for the head.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::error::BadInput;
use crate::laws::sfc2cpu::layer::{Layer, rectify};

/// Numbers of a VNF: cost, Mpps, load, whether it has chosen.
pub const FEATURES: usize = 4;
const HEADS: usize = 3;
const DIMENSION: usize = 4;
const LATENT: usize = HEADS * DIMENSION;
const DENSE: usize = 16;
const HIDDEN: usize = 48;

/// The weights, for a number of cores.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// How many cores it chooses from.
    pub cores: usize,
    /// Most VNFs that it may be asked about; None: any number.
    pub most_vnfs: Option<usize>,
    pub(super) query: Layer,
    pub(super) key: Layer,
    pub(super) value: Layer,
    pub(super) dense: Layer,
    pub(super) first: Layer,
    pub(super) second: Layer,
    pub(super) head: Layer,
}

/// What is known when a VNF chooses.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Of each core: what it is asked for so far, and by how many VNFs.
    pub cores: Vec<[f64; 2]>,
    /// Of each VNF, chosen or not.
    pub vnfs: Vec<[f64; FEATURES]>,
    /// Who chooses.
    pub current: usize,
}

/// What a forward pass works on, kept from pass to pass.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    latent: [f64; LATENT],
    scores: Vec<f64>,
    input: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    head: Vec<f64>,
}

/// The layers, by name: inputs, outputs, and whether there is a bias.
pub(super) fn shapes(cores: usize) -> [(&'static str, usize, usize, bool); 7] {
    [
        ("query", FEATURES, LATENT, false),
        ("key", FEATURES, LATENT, false),
        ("value", FEATURES, LATENT, false),
        ("dense", LATENT, DENSE, true),
        ("first", 2 * cores + DENSE, HIDDEN, true),
        ("second", HIDDEN, HIDDEN, true),
        ("head", HIDDEN, cores + 1, true),
    ]
}

impl Network {
    /// Of layers in the order of their shapes.
    pub(super) fn of(cores: usize, most_vnfs: Option<usize>, layers: [Layer; 7]) -> Self {
        let [query, key, value, dense, first, second, head] = layers;
        Self { cores, most_vnfs, query, key, value, dense, first, second, head }
    }

    /// Untrained: uniform within the square root of 6 / (inputs + outputs), biases 0 (Glorot and Bengio).
    pub fn seeded(seed: u64, cores: usize) -> Self {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let layers = shapes(cores).map(|(_, inputs, outputs, bias)| {
            let limit = (6.0 / (inputs + outputs) as f64).sqrt();
            let mut drawn = || ((dice.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * limit;
            let weights = (0..inputs * outputs).map(|_| drawn()).collect();
            Layer { inputs, outputs, weights, bias: if bias { vec![0.0; outputs] } else { Vec::new() } }
        });
        Self::of(cores, None, layers)
    }

    /// How many weights it has, biases left out.
    pub fn parameters(&self) -> usize {
        shapes(self.cores).iter().map(|(_, inputs, outputs, _)| inputs * outputs).sum()
    }

    /// Refuses what the network was not made for.
    pub fn suits(&self, cores: usize, vnfs: usize) -> Result<(), BadInput> {
        if cores != self.cores {
            return Err(BadInput::new("weights", format!("are for {} cores, not {cores}", self.cores)));
        }
        match self.most_vnfs {
            Some(most) if vnfs > most => {
                Err(BadInput::new("vnfs", format!("are {vnfs}; the weights know {most} at most")))
            }
            _ => Ok(()),
        }
    }

    /// The expected payoff of the current VNF, core by core.
    pub fn payoffs<'s>(&self, state: &State, scratch: &'s mut Scratch) -> &'s [f64] {
        self.attend(state, scratch);
        let Scratch { latent, input, first, second, head, .. } = scratch;
        input.clear();
        input.extend(state.cores.iter().flatten());
        let from = input.len();
        input.resize(from + DENSE, 0.0);
        self.dense.apply(latent, &mut input[from..]);
        rectify(&mut input[from..]);
        first.resize(HIDDEN, 0.0);
        self.first.apply(input, first);
        rectify(first);
        second.resize(HIDDEN, 0.0);
        self.second.apply(first, second);
        rectify(second);
        head.resize(self.cores + 1, 0.0);
        self.head.apply(second, head);
        let mean = head[1..].iter().sum::<f64>() / self.cores as f64;
        let shift = head[0] - mean;
        head[1..].iter_mut().for_each(|q| *q += shift);
        &head[1..]
    }

    /// By head, values in proportion to exp(query . key / sqrt(dimension)).
    fn attend(&self, state: &State, scratch: &mut Scratch) {
        let mut query = [0.0; LATENT];
        self.query.apply(&state.vnfs[state.current], &mut query);
        let (vnfs, scale) = (state.vnfs.len(), 1.0 / (DIMENSION as f64).sqrt());
        // The score against a row is linear in it: the query is brought to the rows' side once.
        let mut toward = [[0.0f64; FEATURES]; HEADS];
        for (feature, row) in self.key.weights.chunks_exact(LATENT).enumerate() {
            for (head, toward) in toward.iter_mut().enumerate() {
                let part = head * DIMENSION..(head + 1) * DIMENSION;
                toward[feature] =
                    row[part.clone()].iter().zip(&query[part]).map(|(key, asks)| key * asks * scale).sum();
            }
        }
        scratch.scores.resize(vnfs, 0.0);
        for (head, toward) in toward.iter().enumerate() {
            let mut most = f64::NEG_INFINITY;
            for (score, row) in scratch.scores.iter_mut().zip(&state.vnfs) {
                *score = row.iter().zip(toward).map(|(feature, weight)| feature * weight).sum();
                most = most.max(*score);
            }
            let (mut sum, mut mixed) = (0.0, [0.0f64; FEATURES]);
            for (score, row) in scratch.scores.iter().zip(&state.vnfs) {
                let weight = (score - most).exp();
                sum += weight;
                mixed.iter_mut().zip(row).for_each(|(mixed, feature)| *mixed += weight * feature);
            }
            mixed.iter_mut().for_each(|feature| *feature /= sum);
            // So are the values: rows are mixed before they are brought to the latent space.
            let part = head * DIMENSION..(head + 1) * DIMENSION;
            scratch.latent[part.clone()].fill(0.0);
            for (feature, row) in mixed.iter().zip(self.value.weights.chunks_exact(LATENT)) {
                let out = scratch.latent[part.clone()].iter_mut().zip(&row[part.clone()]);
                out.for_each(|(out, weight)| *out += feature * weight);
            }
        }
    }
}
