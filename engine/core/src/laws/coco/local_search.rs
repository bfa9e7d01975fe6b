//! Improves a placement until no single move and no exchange of two elements does.

use crate::laws::coco::problem::{Loads, Placement, Problem, ROUNDING};

/// Hops of elements, as `Problem::adjacency` gives them.
pub type Adjacency = [Vec<(usize, f64)>];

/// The same placement or a cheaper one.
pub fn improve(problem: &Problem, adjacency: &Adjacency, placement: &mut Placement) {
    let mut loads = Loads::of(problem, placement);
    while moved(problem, adjacency, placement, &mut loads) || exchanged(problem, adjacency, placement, &mut loads) {}
}

/// What an element costs on a core, all others staying; `but`: a neighbour that is left out.
fn there(problem: &Problem, adjacency: &Adjacency, at: &[usize], element: usize, core: usize, but: usize) -> f64 {
    let hops = adjacency[element].iter().filter(|(other, _)| *other != but);
    problem.alone(element, core) + hops.map(|&(other, rate)| rate * problem.distance(core, at[other])).sum::<f64>()
}

/// Less by more than rounding.
fn less(one: f64, than: f64) -> bool {
    one < than - ROUNDING * than.abs()
}

fn moved(problem: &Problem, adjacency: &Adjacency, at: &mut Placement, loads: &mut Loads) -> bool {
    let mut any = false;
    for element in 0..at.len() {
        let (cpu, nfs, from) = (problem.cpu[element], problem.nfs[element], at[element]);
        let mut best = (there(problem, adjacency, at, element, from, element), from);
        for core in (0..problem.cores.len()).filter(|&core| core != from && loads.fits(core, cpu, nfs)) {
            let cost = there(problem, adjacency, at, element, core, element);
            if less(cost, best.0) {
                best = (cost, core);
            }
        }
        if best.1 != from {
            loads.give(from, cpu, nfs);
            loads.take(best.1, cpu, nfs);
            at[element] = best.1;
            any = true;
        }
    }
    any
}

fn exchanged(problem: &Problem, adjacency: &Adjacency, at: &mut Placement, loads: &mut Loads) -> bool {
    for one in 0..at.len() {
        for other in one + 1..at.len() {
            let (here, far) = (at[one], at[other]);
            let more = problem.cpu[one] - problem.cpu[other];
            if here == far || more > loads.room[far] + ROUNDING || -more > loads.room[here] + ROUNDING {
                continue;
            }
            let (brings, takes) = (problem.nfs[one], problem.nfs[other]);
            if brings > loads.slots[far] + takes || takes > loads.slots[here] + brings {
                continue;
            }
            // The hop between the two stays as it is: the distance is the same both ways.
            let before =
                there(problem, adjacency, at, one, here, other) + there(problem, adjacency, at, other, far, one);
            let after =
                there(problem, adjacency, at, one, far, other) + there(problem, adjacency, at, other, here, one);
            if less(after, before) {
                at.swap(one, other);
                loads.room[here] += more;
                loads.room[far] -= more;
                loads.slots[here] = loads.slots[here] + brings - takes;
                loads.slots[far] = loads.slots[far] + takes - brings;
                return true;
            }
        }
    }
    false
}
