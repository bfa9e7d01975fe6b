//! The paper's baselines (Sec. V) and LPT. Each assigns the newcomers beside what stands; of equal VNFs the earliest is
//! first, of equal cores the lowest.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::laws::sfc2cpu::problem::{Assignment, Problem, ROUNDING, least_loaded};

/// VNF j to core j modulo the number of cores, whatever it asks for; from there on to the first that has a slot.
pub fn round_robin(problem: &Problem) -> Assignment {
    let cores = problem.cores.len();
    fill(problem, problem.newcomers(), |vnf, _, loads| {
        (vnf..vnf + cores).map(|core| core % cores).find(|&core| loads[core] < f64::INFINITY).unwrap_or(vnf % cores)
    })
}

/// In the order of arrival, the core that is asked for least.
pub fn least_loaded_first(problem: &Problem) -> Assignment {
    fill(problem, problem.newcomers(), |_, _, loads| least_loaded(loads))
}

/// By falling load, the core that is asked for least (longest processing time first).
pub fn longest_first(problem: &Problem) -> Assignment {
    fill(problem, falling(problem), |_, _, loads| least_loaded(loads))
}

/// By falling load, the first core that has room, else the one that is asked for least.
pub fn first_fit_decreasing(problem: &Problem) -> Assignment {
    fill(problem, falling(problem), |_, load, loads| {
        let fits = loads.iter().position(|core| core + load <= 1.0 + ROUNDING);
        fits.unwrap_or_else(|| least_loaded(loads))
    })
}

/// As the paper's generator does (Sec. III-C): in the order of arrival, a core drawn from those that have room, else the
/// one that is asked for least.
pub fn generator(problem: &Problem, seed: u64) -> Assignment {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    fill(problem, problem.newcomers(), |_, load, loads| {
        let fit: Vec<usize> = (0..loads.len()).filter(|&core| loads[core] + load <= 1.0 + ROUNDING).collect();
        if fit.is_empty() { least_loaded(loads) } else { fit[(dice.next_u64() % fit.len() as u64) as usize] }
    })
}

fn falling(problem: &Problem) -> Vec<usize> {
    let mut order = problem.newcomers();
    problem.falling(&mut order);
    order
}

/// Cores without a slot are shown to `choose` as loaded without end.
fn fill(problem: &Problem, order: Vec<usize>, mut choose: impl FnMut(usize, f64, &[f64]) -> usize) -> Assignment {
    let mut loads = problem.standing_loads();
    let mut room = problem.room(problem.placed.iter().flatten().copied());
    loads.iter_mut().zip(&room).filter(|(_, room)| **room == 0).for_each(|(load, _)| *load = f64::INFINITY);
    let mut assignment: Assignment = problem.placed.iter().map(|core| core.unwrap_or_default()).collect();
    for vnf in order {
        let core = choose(vnf, problem.loads[vnf], &loads);
        loads[core] += problem.loads[vnf];
        room[core] = room[core].saturating_sub(1);
        if room[core] == 0 {
            loads[core] = f64::INFINITY;
        }
        assignment[vnf] = core;
    }
    assignment
}
