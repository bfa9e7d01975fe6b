//! Downhill by exchanges: where a search has no hope to prove its best, it begins from a flat assignment.

use crate::laws::sfc2cpu::problem::{Problem, ROUNDING, greatest};

/// A VNF of the fullest core goes to a core, and one of that core may come for it.
struct Change {
    vnf: usize,
    to: usize,
    other: Option<usize>,
}

/// Relieves the fullest core, again and again, by the move of one of its VNFs, or its exchange with one elsewhere, that
/// leaves both cores least full. What stands stays, but for so many moves.
pub fn flatten(problem: &Problem, allowed: usize, assignment: &mut [usize]) {
    let mut loads = problem.core_loads(assignment);
    loop {
        let most = greatest(&loads);
        let Some(from) = loads.iter().position(|load| *load == most) else { return };
        let mut best: Option<(f64, Change)> = None;
        let room = problem.room(assignment.iter().copied());
        let open = |vnf: &usize| problem.is_open(*vnf, allowed);
        for vnf in (0..assignment.len()).filter(open).filter(|&vnf| assignment[vnf] == from) {
            let own = problem.loads[vnf];
            let moves = (0..loads.len()).filter(|&to| room[to] > 0).map(|to| (to, None, 0.0));
            let exchanges =
                (0..assignment.len()).filter(open).map(|one| (assignment[one], Some(one), problem.loads[one]));
            for (to, other, back) in moves.chain(exchanges).filter(|(to, ..)| *to != from) {
                let after = (most - own + back).max(loads[to] + own - back);
                let better = after < best.as_ref().map_or(most * (1.0 - ROUNDING), |known| known.0);
                let change = Change { vnf, to, other };
                if better && moves_after(problem, assignment, &change) <= allowed {
                    best = Some((after, change));
                }
            }
        }
        let Some((_, Change { vnf, to, other })) = best else { return };
        assignment[vnf] = to;
        if let Some(other) = other {
            assignment[other] = from;
        }
        loads = problem.core_loads(assignment);
    }
}

fn moves_after(problem: &Problem, assignment: &[usize], change: &Change) -> usize {
    let moved = |vnf: usize, core: usize| usize::from(problem.placed[vnf].is_some_and(|home| home != core));
    let from = assignment[change.vnf];
    let mut moves = problem.moves(assignment) + moved(change.vnf, change.to) - moved(change.vnf, from);
    if let Some(other) = change.other {
        moves = moves + moved(other, from) - moved(other, change.to);
    }
    moves
}
