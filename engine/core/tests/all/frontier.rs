//! What moves are worth, and what they buy.

use crate::tests::problems::any::problems;
use crate::tests::problems::build::{rank, seats, two_chains};
use proptest::prelude::*;
use sextant_core::control::Limits;
use sextant_core::frontier::{Point, frontier};
use sextant_core::gains::{MoveGain, Step, gains};
use sextant_core::laws::octans::Algorithm;
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::problem::Problem;
use sextant_core::rank::{Rank, close};
use sextant_core::result::Status;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9
}

/// c0 runs on n1, c1 on n0: 11.88 Mpps (tests/octans.rs has the arithmetic of this and of 11.86 and 14.76).
fn running() -> Problem {
    let mut problem = two_chains();
    problem.initial = Some(seats("11", "00"));
    problem
}

fn step(chain: &str, position: usize) -> Step {
    Step { chain: chain.into(), position: Some(position) }
}

/// From 11.88: c0's head comes over, 11.86. Then its second, M = (.35, 0): c0 .3 x .25 + .1 x .25 = .1, 9; c1's slow NF
/// .3 x .3 + .1 x .3 = .12, 5.28; 14.28 (five NFs on four cores: arithmetic only). Then c1's second leaves: 14.76.
#[test]
fn gains_telescope_in_chain_order() {
    let mut problem = running();
    problem.move_price_mpps = 7.0; // gains are before the price
    let found = gains(&problem, &seats("11", "00"), &seats("00", "01"), None).unwrap();
    let steps: Vec<&Step> = found.iter().map(|gain| &gain.step).collect();
    assert_eq!(steps, [&step("c0", 0), &step("c0", 1), &step("c1", 1)]);
    for (gain, expected) in found.iter().zip([11.86 - 11.88, 14.28 - 11.86, 14.76 - 14.28]) {
        assert!(near(gain.gain_mpps, expected), "{gain:?}");
    }
    assert_eq!((found[2].from.as_deref(), found[2].to.as_deref()), (Some("n0"), Some("n1")));
}

/// The same steps where c0 is worth 10 of c1: its Mpps count ten times in the score, and once in what is delivered.
#[test]
fn mpps_are_not_weighed_by_value() {
    let plain = gains(&running(), &seats("11", "00"), &seats("00", "01"), None).unwrap();
    let mut problem = running();
    problem.chains[0].value = 10.0;
    let found = gains(&problem, &seats("11", "00"), &seats("00", "01"), None).unwrap();
    for (gain, unweighed) in found.iter().zip(&plain) {
        assert!(near(gain.mpps, unweighed.gain_mpps), "{gain:?}: at value 1 both are the same");
    }
    let sums = |of: fn(&MoveGain) -> f64| found.iter().map(of).sum::<f64>();
    assert!(near(sums(|gain| gain.mpps), 14.76 - 11.88));
    let (before, after) = (rank(&problem, &seats("11", "00")).score, rank(&problem, &seats("00", "01")).score);
    assert!(near(sums(|gain| gain.gain_mpps), after - before) && !near(after - before, 14.76 - 11.88));
}

/// c1's second leaves first, M = (.05, .3): slow .1 x .3, 5.82; fast, a head, .2 + .2 x .2, 6.08; c0's head the same 6.08,
/// its second .2 x .1 + .2 x .2, 7.52. Sum 11.90. Then c0's head comes, M = (.15, .2): heads 6.24, slow 5.64: 11.88.
#[test]
fn gains_follow_another_order() {
    let problem = running();
    let order = [step("c1", 1), step("c0", 0), step("c0", 1)];
    let found = gains(&problem, &seats("11", "00"), &seats("00", "01"), Some(&order)).unwrap();
    for (gain, expected) in found.iter().zip([11.90 - 11.88, 11.88 - 11.90, 14.76 - 11.88]) {
        assert!(near(gain.gain_mpps, expected), "{gain:?}");
    }
    let short = gains(&problem, &seats("11", "00"), &seats("00", "01"), Some(&order[..2])).unwrap_err();
    assert_eq!(short.field, "order");
}

/// A chain that only one placement accepts is one step: c1 alone on n0 scores 6 x (1 - .3 x .1 - .1 x .1) = 5.76.
#[test]
fn a_chain_that_goes_is_one_step() {
    let mut after = seats("11", "00");
    after.remove("c0");
    let found = gains(&running(), &seats("11", "00"), &after, None).unwrap();
    assert_eq!((found.len(), found[0].step.position), (1, None));
    assert!(near(found[0].gain_mpps, 5.76 - 11.88));
}

/// No single move beats c1's last NF leaving n0 (11.90, above), two moves buy no more, three reach Algorithm 1's 14.76.
#[test]
fn three_moves_buy_what_one_cannot() {
    let points = frontier(&running(), 9, Algorithm::Brute, &Options::default()).unwrap();
    let found: Vec<(u32, u32)> = points.iter().map(|point| (point.most_moves, point.moves)).collect();
    assert_eq!(found, [(0, 0), (1, 1), (2, 1), (3, 3)]);
    for (point, score) in points.iter().zip([11.88, 11.90, 11.90, 14.76]) {
        assert!(near(point.score, score) && near(point.gain_mpps, score - 11.88), "{point:?}");
        assert_eq!(point.status, Status::Optimal);
    }
    assert_eq!(points[3].assignment, seats("00", "01"));
    assert_eq!(frontier(&running(), 1, Algorithm::Brute, &Options::default()).unwrap(), points[..2]);
}

/// At .5 Mpps a move three moves bring 2.88 - 1.5 = 1.38 net; one brings .02 - .5 and is not made. The margin is ignored.
#[test]
fn the_price_is_in_the_net_gain_only() {
    let mut problem = running();
    problem.move_price_mpps = 0.5;
    problem.margin_mpps = 50.0;
    let points = frontier(&problem, 3, Algorithm::Brute, &Options::default()).unwrap();
    let moves: Vec<u32> = points.iter().map(|point| point.moves).collect();
    assert_eq!(moves, [0, 0, 0, 3]);
    assert!(near(points[3].gain_mpps, 2.88) && near(points[3].net_gain_mpps, 1.38));
}

/// Two evaluations for five solves leave none for any; the running placement is still there to be reported.
#[test]
fn it_keeps_to_its_limits() {
    let limits = Limits { evaluations: Some(2), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let points = frontier(&running(), 3, Algorithm::Brute, &options).unwrap();
    assert_eq!((points.len(), points[0].moves, points[0].status), (1, 0, Status::Feasible));
}

#[test]
fn without_a_running_placement_there_is_no_frontier() {
    let refused = frontier(&two_chains(), 3, Algorithm::Brute, &Options::default()).unwrap_err();
    assert_eq!(refused.field, "initial");
}

fn of(point: &Point) -> Rank {
    Rank { value: point.value, score: point.score }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Each point is what brute finds within its moves; Algorithm 1's lie on or below, and neither ever falls.
    #[test]
    fn points_never_fall_and_equal_brute(mut problem in problems(0..=3)) {
        problem.initial.get_or_insert_default();
        problem.margin_mpps = 0.0;
        let exact = frontier(&problem, 4, Algorithm::Brute, &Options::default()).unwrap();
        for point in &exact {
            let most = problem.max_moves.unwrap_or(u32::MAX).min(point.most_moves);
            let bounded = Problem { max_moves: Some(most), ..problem.clone() };
            let best = solve(&bounded, Algorithm::Brute, &Options::default(), None).unwrap();
            prop_assert!(close(best.score, point.score) && close(rank(&problem, &best.assignment).value, point.value));
            prop_assert!(point.moves <= point.most_moves);
            prop_assert!(close(point.gain_mpps - f64::from(point.moves) * problem.move_price_mpps, point.net_gain_mpps));
        }
        let heuristic = frontier(&problem, 4, Algorithm::OctansExtended, &Options::default()).unwrap();
        for points in [&exact, &heuristic] {
            prop_assert!(points.windows(2).all(|pair| !of(&pair[0]).beats(&of(&pair[1]))));
        }
        prop_assert!(exact.iter().zip(&heuristic).all(|(best, found)| !of(found).beats(&of(best))));
    }

    /// The steps sum to the difference of the scores before the price.
    #[test]
    fn gains_sum_to_the_difference(mut problem in problems(0..=3)) {
        problem.move_price_mpps = 0.0;
        let placed = |algorithm| solve(&problem, algorithm, &Options::default(), None).unwrap().assignment;
        let (before, after) = (placed(Algorithm::NodeBalance), placed(Algorithm::Brute));
        let sum: f64 = gains(&problem, &before, &after, None).unwrap().iter().map(|gain| gain.gain_mpps).sum();
        prop_assert!(near(sum, rank(&problem, &after).score - rank(&problem, &before).score));
    }
}
