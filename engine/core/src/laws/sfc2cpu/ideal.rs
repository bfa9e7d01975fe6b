//! The paper's ideal model (Sec. IV-E): what an assignment serves.
//!
//! A VNF's slice is its part of what its core is asked for, t = T l / L, so every VNF of a core is served the same part
//! of what it asks for: rho = min(1, gamma / L). A chain carries the least rho of its VNFs. As published, packets that
//! are lost upstream still ask for time downstream.
//!
//! Extended, they do not: time that a VNF leaves goes to the others of its core, by their slices. A core then has a
//! level, rho as before, and a VNF is served the less of that level and of what reaches it; the level is such that all
//! of the core's time is given away, or everything is served. So no core gives more time than it has, and nobody is
//! served less than as published.

use crate::laws::sfc2cpu::problem::Traffic;

/// What cores are asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand<'a> {
    /// Of each VNF.
    pub loads: &'a [f64],
    /// How many there are.
    pub cores: usize,
    /// Part of a core's time that is left by switches.
    pub gamma: f64,
}

/// What an assignment serves.
#[derive(Debug, Clone, PartialEq)]
pub struct Served {
    /// What each core is asked for.
    pub load: Vec<f64>,
    /// Of each core: the part of what its VNFs ask for that it can serve.
    pub rho: Vec<f64>,
    /// Of each chain: the part of its packets that comes out.
    pub chains: Vec<f64>,
    /// Packets a second that come out of all chains.
    pub total_pps: f64,
}

/// As published: losses upstream unload nobody.
pub fn literal(demand: Demand, traffic: &Traffic, assignment: &[usize]) -> Served {
    let mut load = vec![0.0; demand.cores];
    assignment.iter().zip(demand.loads).for_each(|(&core, asked)| load[core] += asked);
    let rho = load.iter().map(|load| rho_of(demand.gamma, *load)).collect();
    carried(traffic, assignment, load, rho)
}

/// rho = min(1, gamma / L).
pub fn rho_of(gamma: f64, load: f64) -> f64 {
    if load <= gamma { 1.0 } else { gamma / load }
}

/// Losses upstream unload what comes after.
///
/// Levels are settled from the lowest up: no level can turn out below what it is while others unload nobody, so what
/// reaches the lowest core is no less than its level. It is final, and bounds what comes after it in its chains.
pub fn extended(demand: Demand, traffic: &Traffic, assignment: &[usize]) -> Served {
    let Demand { loads, cores, gamma } = demand;
    let mut reaches = vec![1.0f64; loads.len()];
    let mut rho = vec![1.0; cores];
    let mut open: Vec<usize> = (0..cores).collect();
    let members = |core: usize| (0..assignment.len()).filter(move |&vnf| assignment[vnf] == core);
    while !open.is_empty() {
        let levels: Vec<f64> = open
            .iter()
            .map(|&core| level(gamma, members(core).map(|vnf| (loads[vnf], reaches[vnf])).collect()))
            .collect();
        let lowest = (0..open.len()).min_by(|&a, &b| levels[a].total_cmp(&levels[b])).unwrap_or(0);
        let core = open.swap_remove(lowest);
        rho[core] = levels[lowest];
        for chain in &traffic.chains {
            let mut through = false;
            for &vnf in chain {
                if through {
                    reaches[vnf] = reaches[vnf].min(rho[core]);
                }
                through |= assignment[vnf] == core;
            }
        }
    }
    let mut load = vec![0.0; cores];
    assignment.iter().enumerate().for_each(|(vnf, &core)| load[core] += loads[vnf] * reaches[vnf]);
    carried(traffic, assignment, load, rho)
}

/// The greatest s of at most 1 for which the sum of load x min(reaches, s) is within gamma.
fn level(gamma: f64, mut vnfs: Vec<(f64, f64)>) -> f64 {
    vnfs.sort_by(|one, other| one.1.total_cmp(&other.1));
    let (mut settled, mut left) = (0.0, vnfs.iter().map(|vnf| vnf.0).sum::<f64>());
    for (load, reaches) in vnfs {
        if settled + left * reaches > gamma {
            return (gamma - settled) / left;
        }
        settled += load * reaches;
        left -= load;
    }
    1.0
}

fn carried(traffic: &Traffic, assignment: &[usize], load: Vec<f64>, rho: Vec<f64>) -> Served {
    let ratio = |chain: &Vec<usize>| chain.iter().map(|&vnf| rho[assignment[vnf]]).fold(1.0, f64::min);
    let chains: Vec<f64> = traffic.chains.iter().map(ratio).collect();
    let total_pps = traffic.chains.iter().zip(&chains).map(|(chain, ratio)| traffic.offered(chain) * ratio).sum();
    Served { load, rho, chains, total_pps }
}
