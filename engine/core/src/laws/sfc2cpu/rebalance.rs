//! Few moves of what stands, for assigners that are rules: the move that relieves the fullest core most, again and again.

use crate::laws::sfc2cpu::problem::{Problem, ROUNDING, greatest, least_loaded};

/// At most so many of the VNFs that stand move. A VNF goes from the fullest core to the least loaded one, if both are
/// less full than the fullest was.
pub fn rebalance(problem: &Problem, assignment: &mut [usize]) {
    let mut loads = problem.core_loads(assignment);
    loop {
        let most = greatest(&loads);
        let room = problem.room(assignment.iter().copied());
        let open: Vec<f64> =
            loads.iter().zip(&room).map(|(load, room)| if *room > 0 { *load } else { f64::INFINITY }).collect();
        let (Some(from), to) = (loads.iter().position(|load| *load == most), least_loaded(&open)) else { return };
        let left = problem.max_moves.saturating_sub(problem.moves(assignment));
        let may_go = |&vnf: &usize| match problem.placed[vnf] {
            Some(home) => !problem.stays[vnf] && room[to] > 0 && assignment[vnf] == from && (home != from || left > 0),
            None => false,
        };
        let after = |vnf: usize| (loads[to] + problem.loads[vnf]).max(most - problem.loads[vnf]);
        let best = (0..assignment.len()).filter(may_go).min_by(|&one, &other| after(one).total_cmp(&after(other)));
        let Some(vnf) = best.filter(|&vnf| after(vnf) < most * (1.0 - ROUNDING)) else { return };
        loads[from] -= problem.loads[vnf];
        loads[to] += problem.loads[vnf];
        assignment[vnf] = to;
    }
}
