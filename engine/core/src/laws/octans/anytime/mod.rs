//! The anytime search. What is small enough for `exact` is handed to it: it ends sooner there, and with a proof. What is
//! larger is searched: annealing over single NFs, stretches, exchanges and acceptance, and a certified bound, in turns.
//!
//! It begins with the best of the baselines, the running placement and the start it is given; where all of these leave a
//! chain out, also with the most valuable set that fits. The first round only descends; then rounds anneal, each from
//! the best so far and twice as long as the one before, up to `LONGEST_ROUND`.
//! After `BOUND_AFTER` proposals an NF, each is followed by bounding for about as long, and longer with every round that
//! found nothing better. It ends once the bound is met or a limit is; without a limit, after
//! min(`PROPOSALS_A_NF` x NFs, `MOST_WORK` / NFs) proposals.

mod anneal;
mod certify;
mod dice;
mod moves;
mod refill;

use crate::acceptance::best_acceptance;
use crate::control::{Control, Limits};
use crate::incremental::Standing;
use crate::instance::{Assignment, Instance};
use crate::laws::octans::{Algorithm, Outcome, exact, node_balance, node_first};
use crate::rank::{Rank, close, violations};
use anneal::{Cooling, Search};
use certify::Certifier;

const PROPOSALS_A_NF: u64 = 20_000;
const MOST_WORK: u64 = 20_000_000_000; // proposals x NFs: a change costs as much as there are NFs on a node
const DESCENT: u64 = 20; // proposals an NF of the first round
const FIRST_ROUND: u64 = 200; // and of the second
const LONGEST_ROUND: u64 = 10_000;
const BOUND_AFTER: u64 = 3_000;
const PROPOSALS_A_BOX: u64 = 4; // a box is priced in about the time of so many proposals
const MOST_IN_VAIN: u64 = 7; // rounds without a better placement that lengthen the bounding
const ACCEPTANCE_PART: u32 = 4; // of the time goes to the first aim at most: one in so many
const HOT: f64 = 0.02; // of the mean score of a chain
const COLD: f64 = 0.000_5;

/// The best placement that can be found until `control` says stop, and a bound.
pub fn run(instance: &Instance, seed: u64, control: &mut Control, start: Option<&Assignment>) -> Outcome {
    if Algorithm::automatic(instance) == Algorithm::Exact {
        return exact::run(instance, seed, control, start);
    }
    search(instance, seed, control, start)
}

/// Search until `control` says stop, the bound is met, or the work is done (see above).
pub fn search(instance: &Instance, seed: u64, control: &mut Control, start: Option<&Assignment>) -> Outcome {
    let first = first_placement(instance, control, start);
    let nfs: u64 = instance.chains.iter().map(|chain| chain.nfs.len() as u64).sum();
    let most = if control.limited() { u64::MAX } else { (PROPOSALS_A_NF * nfs).min(MOST_WORK / nfs.max(1)) };
    let mut certifier = Certifier::new(instance, &first);
    let mut search = Search::new(Standing::new(instance, &first), seed);
    let (mut an_nf, mut done, mut in_vain) = (DESCENT, 0, 0);
    while done < most && !control.look() && !certifier.is_met(&search.standing) {
        let chains = instance.chains.len() - search.standing.rejected().len();
        let mean = search.best_rank().score.abs() / chains.max(1) as f64;
        let before = search.best_rank();
        let hot = if an_nf == DESCENT { COLD } else { HOT };
        let proposals = (an_nf * nfs).min(most - done);
        search.anneal(Cooling { hot: hot * mean, cold: COLD * mean, proposals }, control);
        search.return_to_best();
        done += proposals;
        if done > BOUND_AFTER * nfs || done == most {
            in_vain = if search.best_rank().beats(&before) { 0 } else { MOST_IN_VAIN.min(in_vain + 1) };
            certifier.improve(&search.standing, (1 + in_vain) * proposals / PROPOSALS_A_BOX, control);
        }
        an_nf = if an_nf == DESCENT { FIRST_ROUND } else { (2 * an_nf).min(LONGEST_ROUND) };
    }
    let assignment = search.standing.assignment();
    let score = Rank::of(instance, &assignment).score;
    let bound = certifier.bound(&assignment).max(score);
    control.bounded(bound);
    let proven = !assignment.contains(&None) && close(score, bound);
    let unproven = (done >= most && !proven)
        .then(|| format!("{done} proposals did not meet the bound; with a limit of time the search may go on longer"));
    Outcome { bound: Some(bound), proven, unproven, ..Outcome::found(assignment) }
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
    if best.contains(&None) {
        let time = control.time_left().map(|left| left / ACCEPTANCE_PART);
        let other = best_acceptance(instance, &mut Control::new(Limits { time, evaluations: None }, None)).seating;
        let found = Rank::of(instance, &other);
        if found.beats(&rank) {
            (best, rank) = (other, found);
        }
    }
    control.found(rank.score);
    best
}
