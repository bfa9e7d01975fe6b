//! The anytime search: annealing over single NFs, stretches, exchanges and acceptance, and a certified bound.
//!
//! It begins with the best of the baselines, the running placement and the start it is given, and anneals in rounds,
//! each from the best so far and twice as long as the one before. Without a limit it ends after
//! min(`PROPOSALS_A_NF` x NFs, `MOST_PROPOSALS`) proposals, or once the bound is met.

mod anneal;
mod dice;
mod moves;
mod refill;

use crate::algorithms::{Outcome, node_balance, node_first};
use crate::control::Control;
use crate::incremental::Standing;
use crate::instance::{Assignment, Instance};
use crate::rank::{Rank, close, solo_bound, violations};
use anneal::{Cooling, Search};

const PROPOSALS_A_NF: u64 = 20_000;
const MOST_PROPOSALS: u64 = 20_000_000;
const FIRST_ROUND: u64 = 200; // proposals an NF
const HOT: f64 = 0.02; // of the mean score of a chain
const COLD: f64 = 0.000_5;

/// Search until `control` says stop, the bound is met, or the work is done (see above).
pub fn run(instance: &Instance, seed: u64, control: &mut Control, start: Option<&Assignment>) -> Outcome {
    let first = first_placement(instance, control, start);
    let nfs: u64 = instance.chains.iter().map(|chain| chain.nfs.len() as u64).sum();
    let most = (PROPOSALS_A_NF * nfs).min(MOST_PROPOSALS);
    let mut search = Search::new(Standing::new(instance, &first), seed);
    let (mut round, mut done) = (FIRST_ROUND * nfs, 0);
    while done < most && !control.look() {
        let chains = instance.chains.len() - search.standing.rejected().len();
        let mean = search.best_rank().score.abs() / chains.max(1) as f64;
        search.anneal(Cooling { hot: HOT * mean, cold: COLD * mean, proposals: round }, control);
        search.return_to_best();
        done += round;
        round *= 2;
    }
    let assignment = search.standing.assignment();
    let bound = solo_bound(instance, &assignment);
    let score = Rank::of(instance, &assignment).score;
    control.bounded(bound);
    let proven = !assignment.contains(&None) && close(score, bound);
    Outcome { assignment, bound: Some(bound.max(score)), proven }
}

/// The best feasible placement at hand.
fn first_placement(instance: &Instance, control: &mut Control, start: Option<&Assignment>) -> Assignment {
    let mut best = node_first::run(instance, control).assignment;
    let mut rank = Rank::of(instance, &best);
    let others = [Some(node_balance::run(instance, control).assignment), Some(instance.initial()), start.cloned()];
    for other in others.into_iter().flatten().filter(|other| violations(instance, other).is_empty()) {
        let found = Rank::of(instance, &other);
        if found.beats(&rank) {
            (best, rank) = (other, found);
        }
    }
    control.found(rank.score);
    best
}
