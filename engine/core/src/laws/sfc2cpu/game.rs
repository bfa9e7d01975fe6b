//! The game (Sec. IV-A): newcomers choose their cores one after another, in the order of arrival, each the core on which
//! the network expects the highest payoff. What has chosen, and what stands, is known to all.

use crate::laws::sfc2cpu::network::{Network, Scratch, State};
use crate::laws::sfc2cpu::problem::{Assignment, Problem, Traffic};
use crate::laws::sfc2cpu::rebalance::rebalance;

/// Cycles a packet that count as 1: those of the paper's largest VNF, 1000 loops of 7.95 cycles and 80 for the rest.
pub const DEAREST: f64 = 8030.0;
/// Packets a second in a million.
const MPPS: f64 = 1e6;

/// By a network.
pub fn play(problem: &Problem, traffic: &Traffic, network: &Network) -> Assignment {
    let mut state = opening(problem, traffic);
    let mut scratch = Scratch::default();
    let mut assignment: Assignment = problem.placed.iter().map(|core| core.unwrap_or_default()).collect();
    let mut room = problem.room(problem.placed.iter().flatten().copied());
    for vnf in problem.newcomers() {
        state.current = vnf;
        let core = highest(network.payoffs(&state, &mut scratch), &room);
        room[core] = room[core].saturating_sub(1);
        enter(&mut state, vnf, core);
        assignment[vnf] = core;
    }
    rebalance(problem, &mut assignment);
    assignment
}

/// Before the first newcomer chooses.
pub fn opening(problem: &Problem, traffic: &Traffic) -> State {
    let row = |vnf: usize| {
        let cost = (traffic.cycles[vnf] / DEAREST).min(1.0);
        [cost, traffic.rates[vnf] / MPPS, problem.loads[vnf], 0.0]
    };
    let vnfs = (0..problem.loads.len()).map(row).collect();
    let mut state = State { cores: vec![[0.0; 2]; problem.cores.len()], vnfs, current: 0 };
    for (vnf, core) in problem.placed.iter().enumerate() {
        if let Some(core) = core {
            enter(&mut state, vnf, *core);
        }
    }
    state
}

/// A VNF has chosen a core.
pub fn enter(state: &mut State, vnf: usize, core: usize) {
    state.cores[core][0] += state.vnfs[vnf][2];
    state.cores[core][1] += 1.0;
    state.vnfs[vnf][3] = 1.0;
}

/// Of the cores that have a slot the lowest of the highest payoff.
pub fn highest(payoffs: &[f64], room: &[usize]) -> usize {
    let mut best = room.iter().position(|room| *room > 0).unwrap_or_default();
    for core in best + 1..payoffs.len() {
        if room[core] > 0 && payoffs[core] > payoffs[best] {
            best = core;
        }
    }
    best
}
