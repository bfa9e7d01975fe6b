//! What every NF of a host has room for, and rates at rest: every chain's rate says what its NFs bring to bear.
//!
//! A process may fall where samples do, so that nothing bounds rates at rest: where damped steps do not settle, that is
//! said.

use super::known::Known;
use super::loads::{FedChain, load_on};

/// What an NF could carry if its chain were offered more, with all other chains at their rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// Mpps.
    pub mpps: f64,
    /// Alone where it stands.
    pub ideal: f64,
    /// Standard deviation of its drop.
    pub deviation: f64,
}

const MOST_STEPS: usize = 100;
const FIRST_STEP: f64 = 0.5;
/// What becomes of a chain's step where its rate turned.
const BACK: f64 = 0.5;
/// And where it went on the same way.
const ON: f64 = 1.1;
/// Of a rate: nearer to rest than any measurement can resolve.
const SETTLED: f64 = 1e-4;

/// Mpps of every chain, and whether these are rates at rest.
pub fn at_rest(chains: &[FedChain], known: &Known) -> (Vec<f64>, bool) {
    let offered: Vec<f64> = chains.iter().map(|chain| chain.offered).collect();
    let mut rates = carried(chains, &offered, known);
    let (mut steps, mut before) = (vec![FIRST_STEP; rates.len()], vec![0.0; rates.len()]);
    let (mut best, mut least) = (rates.clone(), f64::INFINITY);
    for _ in 0..MOST_STEPS {
        let aim = carried(chains, &rates, known);
        let off = furthest(&rates, &aim);
        if off < least {
            best.clone_from(&rates);
            least = off;
        }
        if least <= SETTLED {
            break;
        }
        for (chain, aimed) in aim.iter().enumerate() {
            let way = aimed - rates[chain];
            let turned = way * before[chain] < 0.0;
            steps[chain] = if turned { steps[chain] * BACK } else { (steps[chain] * ON).min(1.0) };
            rates[chain] += steps[chain] * way;
            before[chain] = way;
        }
    }
    (best, least <= SETTLED)
}

/// Of every NF of a chain, with all others at their rates. Where the chain is held back by what it is offered, its own
/// rate is found by halving: the more it carries, the less its NFs have room for.
pub fn room(chains: &[FedChain], rates: &[f64], number: usize, known: &Known) -> Vec<Room> {
    let mut rates = rates.to_vec();
    let (mut low, mut found) = (rates[number], mpps_of(chains, &rates, number, known));
    let mut high = least(&found);
    while high - low > SETTLED * high {
        let middle = f64::midpoint(low, high);
        rates[number] = middle;
        found = mpps_of(chains, &rates, number, known);
        if least(&found) >= middle {
            low = middle;
        } else {
            high = middle;
        }
    }
    let chain = &chains[number];
    let of = |(place, mpps): (usize, f64)| {
        let load = load_on(chains, &rates, number, place, known);
        let deviation = known.types[chain.nfs[place].nf_type].fitted.deviation_at(chain.role(place), &load);
        Room { mpps, ideal: chain.alone(known, place), deviation }
    };
    found.into_iter().enumerate().map(of).collect()
}

fn carried(chains: &[FedChain], rates: &[f64], known: &Known) -> Vec<f64> {
    let of = |number: usize| least(&mpps_of(chains, rates, number, known)).min(chains[number].offered);
    (0..chains.len()).map(of).collect()
}

fn mpps_of(chains: &[FedChain], rates: &[f64], number: usize, known: &Known) -> Vec<f64> {
    let chain = &chains[number];
    let of = |place: usize| {
        let load = load_on(chains, rates, number, place, known);
        let drop = known.types[chain.nfs[place].nf_type].fitted.drop_at(chain.role(place), &load);
        chain.alone(known, place) * known.part_left(chain, place, drop)
    };
    (0..chain.nfs.len()).map(of).collect()
}

fn least(found: &[f64]) -> f64 {
    found.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Of the larger of two rates, at most.
fn furthest(one: &[f64], other: &[f64]) -> f64 {
    let pairs = one.iter().zip(other).filter(|(a, b)| a != b);
    pairs.map(|(a, b)| (a - b).abs() / a.max(*b)).fold(0.0, f64::max)
}
