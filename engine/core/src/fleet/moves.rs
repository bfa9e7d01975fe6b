//! The fleet-wide limit on moves is shared by what each move gains.
//!
//! Every host is solved twice, with its running chains pinned and with them free. Hosts get their moves by falling gain
//! a move (ties: lower id). The first that needs more than is left is solved again within what is left; after it only
//! hosts that fit get theirs. Greedy by density: near the best sum for many hosts of few moves, not exact.

use crate::control::Limits;
use crate::fleet::attempt::{Attempt, Means, Solved, resolve_moving, worth_it};
use crate::fleet::roster::Roster;
use crate::fleet::state::State;
use crate::result::Status;

/// What each host gets: its moved placement while the limit lasts, else its pinned one.
pub fn settle(
    roster: &Roster,
    solved: Vec<(usize, Solved)>,
    limit: Option<u32>,
    means: Means,
    limits: Limits,
) -> Vec<(usize, Attempt)> {
    let mut solved_again = false;
    let mut left = limit.unwrap_or(u32::MAX);
    let gain_per_move = |solved: &Solved| {
        solved.moved.as_ref().map_or(0.0, |moved| {
            (moved.result.score - solved.pinned.result.score) / f64::from(moved.result.moves.max(1))
        })
    };
    let mut queue = solved;
    queue.sort_by(|(a, first), (b, second)| gain_per_move(second).total_cmp(&gain_per_move(first)).then(a.cmp(b)));
    let mut settled = Vec::with_capacity(queue.len());
    for (host, Solved { mut pinned, moved }) in queue {
        let chosen = match moved {
            Some(moved) if moved.result.moves <= left => moved,
            Some(_) => {
                pinned.result.status = Status::Feasible;
                let again = left > 0 && !std::mem::replace(&mut solved_again, true);
                let found = again.then(|| within(roster, host, &pinned, left, means, limits)).flatten();
                found.unwrap_or(pinned)
            }
            None => pinned,
        };
        left = left.saturating_sub(chosen.result.moves);
        settled.push((host, chosen));
    }
    settled.sort_by_key(|(host, _)| *host);
    settled
}

/// A placement with at most so many moves, if it gains the margin.
fn within(roster: &Roster, host: usize, pinned: &Attempt, left: u32, means: Means, limits: Limits) -> Option<Attempt> {
    let home = State::new(roster, host, pinned.seated.clone())?;
    let mut found = resolve_moving(roster, host, &home, pinned, Some(left), means, limits)?;
    found.result.status = Status::Feasible; // best within its share, which need not be the best share
    (found.result.moves > 0 && worth_it(roster, &found, pinned)).then_some(found)
}
