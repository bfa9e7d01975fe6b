//! sfc2cpu's exact assignment against a search through everything.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sextant_core::control::Control;
use sextant_core::laws::sfc2cpu::heuristics::longest_first;
use sextant_core::laws::sfc2cpu::min_max;
use sextant_core::laws::sfc2cpu::problem::{Core, CoreId, Problem, greatest};

/// VNFs of the loads, all of them new.
fn problem(loads: Vec<f64>, cores: usize) -> Problem {
    let core = |id| Core { id: CoreId::Number(id), socket: 0 };
    Problem {
        placed: vec![None; loads.len()],
        loads,
        traffic: None,
        cores: (0..cores as u32).map(core).collect(),
        gamma: 1.0,
        max_moves: 0,
    }
}

/// Some of them equal, so that ties come.
fn drawn(dice: &mut Xoshiro256PlusPlus) -> Problem {
    let mut upto = |most: u64| dice.next_u64() % most;
    let (vnfs, cores) = (1 + upto(7), 1 + upto(4));
    let loads = (0..vnfs).map(|_| if upto(3) == 0 { 0.25 } else { (1 + upto(1000)) as f64 / 1000.0 }).collect();
    problem(loads, cores as usize)
}

/// The least greatest load of all assignments.
fn brute(problem: &Problem, vnf: usize, loads: &mut [f64], best: f64) -> f64 {
    if greatest(loads) >= best {
        return best;
    }
    let Some(load) = problem.loads.get(vnf) else { return greatest(loads) };
    let mut least = best;
    for core in 0..loads.len() {
        let before = loads[core];
        loads[core] += load;
        least = brute(problem, vnf + 1, loads, least);
        loads[core] = before;
    }
    least
}

#[test]
fn min_max_is_the_least_of_all_and_no_worse_than_lpt() {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(21);
    for _ in 0..10_000 {
        let problem = drawn(&mut dice);
        let found = min_max::assign(&problem, &mut Control::unlimited());
        let least = brute(&problem, 0, &mut vec![0.0; problem.cores.len()], f64::INFINITY);
        assert!((found.max_load - least).abs() <= 1e-9, "{problem:?}: {found:?}, not {least}");
        assert_eq!(found.bound, found.max_load);
        assert!((greatest(&problem.core_loads(&found.assignment)) - found.max_load).abs() <= 1e-9);
        assert!(found.max_load <= greatest(&problem.core_loads(&longest_first(&problem))) + 1e-12);
    }
}
