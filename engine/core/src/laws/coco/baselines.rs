//! The paper's two strawmen (Sec. V-C): chain by chain, first fit; and any core that has room.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::laws::coco::problem::{Loads, Placement, Problem};

/// First fit in chain order, the lowest core first. Err: the element that found no core.
pub fn greedy(problem: &Problem) -> Result<Placement, usize> {
    fill(problem, &problem.in_chain_order(), |fitting| fitting.next())
}

/// First fit, the largest share first: finds room more often. Err as above.
pub fn largest_first(problem: &Problem) -> Result<Placement, usize> {
    let mut order: Vec<usize> = (0..problem.cpu.len()).collect();
    order.sort_by(|&one, &other| problem.cpu[other].total_cmp(&problem.cpu[one]));
    fill(problem, &order, |fitting| fitting.next())
}

/// In chain order, a core drawn from those with room. Err as above.
pub fn random(problem: &Problem, seed: u64) -> Result<Placement, usize> {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    fill(problem, &problem.in_chain_order(), |fitting| {
        let cores: Vec<usize> = fitting.collect();
        (!cores.is_empty()).then(|| cores[(dice.next_u64() % cores.len() as u64) as usize])
    })
}

fn fill(
    problem: &Problem,
    order: &[usize],
    mut choose: impl FnMut(&mut dyn Iterator<Item = usize>) -> Option<usize>,
) -> Result<Placement, usize> {
    let mut loads = Loads::empty(problem);
    let mut placement = vec![0; problem.cpu.len()];
    for &element in order {
        let (cpu, nfs) = (problem.cpu[element], problem.nfs[element]);
        let fits = |core: &usize| loads.fits(*core, cpu, nfs) && problem.alone(element, *core).is_finite();
        let core = choose(&mut (0..problem.cores.len()).filter(fits)).ok_or(element)?;
        loads.take(core, cpu, nfs);
        placement[element] = core;
    }
    Ok(placement)
}
