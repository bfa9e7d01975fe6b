//! What moves buy: the best placement with at most 0, 1, 2, ... moves from the one that runs.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::control::Limits;
use crate::error::BadInput;
use crate::instance::{Assignment, Instance, assignment_of, placement_of};
use crate::laws::octans::Algorithm;
use crate::laws::octans::solve::{Options, solve};
use crate::problem::{Placement, Problem};
use crate::rank::Rank;
use crate::result::Status;

/// The best placement within a number of moves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// Moves allowed.
    pub most_moves: u32,
    /// Moves made; fewer where more buy nothing.
    pub moves: u32,
    /// Summed value of the accepted chains: the first aim, so where it rises the gain may fall.
    pub value: f64,
    /// Sum of value x throughput - price x moves.
    pub score: f64,
    /// Score above the running placement's, the price of moves not subtracted.
    pub gain_mpps: f64,
    /// The same, the price subtracted.
    pub net_gain_mpps: f64,
    /// Optimal: proven best within these moves.
    pub status: Status,
    /// Node of every NF of every accepted chain.
    pub assignment: Placement,
}

/// One point for each number of moves from 0 to `most_moves` (or the problem's own limit, if lower).
///
/// Each begins with the one before, so none ranks lower. The last is the first that equals what the algorithm finds
/// without counting moves, or the last that the limits let it find; `options.limits` hold for all points together.
/// The margin is ignored: whether a gain is worth its moves is what the frontier is to show. Refuses a problem in which
/// nothing runs.
pub fn frontier(
    problem: &Problem,
    most_moves: u32,
    algorithm: Algorithm,
    options: &Options,
) -> Result<Vec<Point>, BadInput> {
    if problem.initial.is_none() {
        return Err(BadInput::new("initial", "is missing: moves count from the placement that runs"));
    }
    let problem = Problem { margin_mpps: 0.0, ..problem.clone() };
    let instance = Instance::new(&problem);
    let running = instance.initial();
    let before = Rank::of(&instance, &running).score;
    let seated: usize = running.iter().flatten().map(Vec::len).sum();
    let last = most_moves.min(instance.max_moves).min(seated as u32);
    let mut solver = Solver { algorithm, options, instance: &instance, began: Instant::now(), used: 0, left: last + 2 };
    let goal = solver.find(&problem, &running)?;
    let mut best: Option<Found> = None;
    let mut points = Vec::new();
    for most in 0..=last {
        let start = best.as_ref().map_or(&running, |best| &best.assignment);
        let found = solver.find(&Problem { max_moves: Some(most), ..problem.clone() }, start)?;
        let found = found.or_better(best, goal.clone(), most);
        let net_gain_mpps = found.rank.score - before;
        points.push(Point {
            most_moves: most,
            moves: found.moves,
            value: found.rank.value,
            score: found.rank.score,
            gain_mpps: net_gain_mpps + instance.move_price * f64::from(found.moves),
            net_gain_mpps,
            status: found.status,
            assignment: placement_of(&problem, &found.assignment),
        });
        if !goal.rank.beats(&found.rank) || solver.spent() {
            break;
        }
        best = Some(found);
    }
    Ok(points)
}

#[derive(Clone)]
struct Found {
    assignment: Assignment,
    rank: Rank,
    moves: u32,
    status: Status,
}

impl Found {
    /// What was found within `most` moves, unless fewer were as good or the goal is within reach: an algorithm may ignore
    /// where it shall begin, or be cut short.
    fn or_better(self, fewer: Option<Self>, goal: Self, most: u32) -> Self {
        let proven = self.status == Status::Optimal;
        let mut best = self;
        if let Some(fewer) = fewer.filter(|fewer| !best.rank.beats(&fewer.rank)) {
            let unproven = if fewer.status == Status::Optimal { Status::Feasible } else { fewer.status };
            best = Self { status: if proven { Status::Optimal } else { unproven }, ..fewer };
        }
        if goal.moves <= most && goal.rank.beats(&best.rank) { goal } else { best }
    }
}

/// Solves one point after another within limits for all of them.
struct Solver<'a> {
    algorithm: Algorithm,
    options: &'a Options,
    instance: &'a Instance,
    began: Instant,
    used: u64, // evaluations
    left: u32, // solves
}

impl Solver<'_> {
    fn find(&mut self, problem: &Problem, start: &Assignment) -> Result<Found, BadInput> {
        let options =
            Options { limits: self.share(), start: Some(placement_of(problem, start)), ..self.options.clone() };
        let result = solve(problem, self.algorithm, &options, None)?;
        self.used += result.evaluations;
        self.left = self.left.saturating_sub(1).max(1);
        let assignment = assignment_of(problem, &result.assignment, "assignment")?;
        let rank = Rank::of(self.instance, &assignment);
        Ok(Found { assignment, rank, moves: result.moves, status: result.status })
    }

    /// An equal part of what is left for each solve to come: what one does not use the others may.
    fn share(&self) -> Limits {
        let limits = self.options.limits;
        Limits {
            time: limits.time.map(|time| time.saturating_sub(self.began.elapsed()) / self.left),
            evaluations: limits.evaluations.map(|most| most.saturating_sub(self.used) / u64::from(self.left)),
        }
    }

    fn spent(&self) -> bool {
        let share = self.share();
        share.time == Some(Duration::ZERO) || share.evaluations == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(score: f64, moves: u32, status: Status) -> Found {
        Found { assignment: Vec::new(), rank: Rank { value: 1.0, score }, moves, status }
    }

    fn chosen(found: Found, fewer: Option<Found>, goal: Found, most: u32) -> (f64, u32, Status) {
        let chosen = found.or_better(fewer, goal, most);
        (chosen.rank.score, chosen.moves, chosen.status)
    }

    /// Of equal scores the one with fewer moves stays; that nothing better exists within more moves must be proven anew.
    #[test]
    fn fewer_moves_stay_unless_beaten() {
        use Status::{Feasible, Optimal};
        let goal = || found(9.0, 5, Optimal);
        assert_eq!(chosen(found(3.0, 2, Feasible), Some(found(3.0, 1, Optimal)), goal(), 2), (3.0, 1, Feasible));
        assert_eq!(chosen(found(2.0, 2, Optimal), Some(found(3.0, 1, Feasible)), goal(), 2), (3.0, 1, Optimal));
        assert_eq!(chosen(found(4.0, 2, Feasible), Some(found(3.0, 1, Optimal)), goal(), 2), (4.0, 2, Feasible));
    }

    /// The goal takes five moves: it is out of reach within four, and within five nothing worse is returned.
    #[test]
    fn the_goal_is_taken_where_its_moves_are_allowed() {
        use Status::{Feasible, Optimal};
        let goal = || found(9.0, 5, Optimal);
        assert_eq!(chosen(found(4.0, 4, Feasible), None, goal(), 4), (4.0, 4, Feasible));
        assert_eq!(chosen(found(4.0, 5, Feasible), None, goal(), 5), (9.0, 5, Optimal));
    }
}
