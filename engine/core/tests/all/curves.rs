//! Pressure curves: by hand, and what always holds. Whole fits are compared with the same written plainly in Python
//! (`engine/tests/test_curve_core.py`).

use proptest::prelude::*;
use sextant_core::curves::fold::Fold;
use sextant_core::curves::isotonic::Knots;
use sextant_core::curves::not_negative::{Equations, MOST_EXCHANGES};
use sextant_core::curves::{Curve, Pressing, Sample, Table, fit, positive};

const ALONE: Curve = Curve { side: 0, from_zero: false, like: None };

/// Samples of one curve beside 1, 2, .. NFs of one type.
fn table(curve: Curve, drops: &[f64]) -> Table {
    let nf = Pressing { nf_type: 0, near: true, rate: 1.0 };
    let samples = drops.iter().enumerate().map(|(number, &drop)| Sample::new(0, drop, 0.005, vec![nf; number + 1]));
    Table::new(1, vec![curve], samples.collect()).unwrap()
}

fn knots(drops: &[f64], pressures: &[f64]) -> Vec<(f64, f64)> {
    let fold = Fold::of(&table(ALONE, drops), &vec![true; drops.len()]);
    let knots = Knots::of(&fold, pressures, &mut fold.by_curve.clone());
    knots.of_curve(0).iter().map(|knot| (knot.pressure, knot.drop)).collect()
}

/// Rows of a matrix, their products with each other and with the drops.
fn normal(rows: &[Vec<f64>], drops: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let size = rows[0].len();
    let sum = |a: usize, b: usize| rows.iter().map(|row| row[a] * row[b]).sum();
    let matrix = (0..size * size).map(|at| sum(at / size, at % size)).collect();
    let aim = (0..size).map(|at| rows.iter().zip(drops).map(|(row, drop)| row[at] * drop).sum());
    (matrix, aim.collect())
}

/// 0.08 then 0.06 with equal errors: both 0.07, at their middle 1.5; 0.12 is above.
#[test]
fn a_drop_that_falls_is_pooled_with_the_one_before() {
    let found = knots(&[0.08, 0.06, 0.12], &[1.0, 2.0, 3.0]);
    assert_eq!(found.len(), 2);
    assert!((found[0].0 - 1.5).abs() < 1e-12 && (found[0].1 - 0.07).abs() < 1e-12, "{found:?}");
    assert_eq!(found[1], (3.0, 0.12));
}

/// Pressures that agree to nine digits are one, whatever order rounding gives them, and -0 is 0.
#[test]
fn equal_pressures_have_one_drop() {
    for pressures in [[1.0, 1.0 + 1e-13], [1.0 + 1e-13, 1.0], [-0.0, 0.0], [0.0, -0.0]] {
        let found = knots(&[0.02, 0.04], &pressures);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].1 - 0.03).abs() < 1e-12);
    }
}

/// One type: its pressure is 1, the scale. The curve goes through (0, 0) where that is so by definition, and all samples.
#[test]
fn one_type_of_competitor() {
    let curve = Curve { from_zero: true, ..ALONE };
    let told = fit(&table(curve, &[0.04, 0.06, 0.12]), &[true; 3]);
    assert_eq!(told.near, [Some(1.0)]);
    let line: Vec<_> = told.lines[0].knots.iter().map(|knot| (knot.pressure, knot.drop)).collect();
    assert_eq!(line.len(), 4);
    for (found, wanted) in line.iter().zip([(0.0, 0.0), (1.0, 0.04), (2.0, 0.06), (3.0, 0.12)]) {
        assert!((found.0 - wanted.0).abs() < 1e-9 && (found.1 - wanted.1).abs() < 1e-9, "{line:?}");
    }
}

/// The third sample is not seen: constant beyond the last knot, 0.06. Without any nothing is known.
#[test]
fn what_is_not_left_is_told_by_the_rest() {
    let table = table(ALONE, &[0.04, 0.06, 0.12]);
    let told = fit(&table, &[true, true, false]);
    assert!((told.drops[2].unwrap() - 0.06).abs() < 1e-12);
    assert_eq!(fit(&table, &[false; 3]).drops, [None; 3]);
}

/// A rate of 1/4 to the power 1/2 counts 1/2.
#[test]
fn rates_count_by_their_power() {
    let nf = Pressing { nf_type: 0, near: true, rate: 0.25 };
    let table = Table::new(1, vec![ALONE], vec![Sample::new(0, 0.1, 0.01, vec![nf])]).unwrap();
    assert_eq!(table.raised(0.5).samples[0].co_located[0].rate, 0.5);
}

/// u1 + u2 = 1 and u1 = 2 have u = (2, -1). With u2 = 0 the least of (u1 - 1)^2 + (u1 - 2)^2 is at u1 = 1.5.
#[test]
fn what_would_fall_below_0_is_0() {
    let (normal, aim) = normal(&[vec![1.0, 1.0], vec![1.0, 0.0]], &[1.0, 2.0]);
    let equations = Equations { normal: &normal, aim: &aim };
    assert_eq!(equations.not_negative(&[1.0, 1.0], MOST_EXCHANGES), [1.5, 0.0]);
}

#[test]
fn a_matrix_that_is_not_positive_is_told() {
    assert!(!positive::solve(&mut [1.0, 2.0, 2.0, 1.0], &mut [1.0, 1.0]));
}

proptest! {
    /// The optimum of a convex problem: no unknown below 0, the gradient 0 where one is above 0 and not below elsewhere;
    /// also where blocks go back and forth until the patience is at its end.
    #[test]
    fn no_other_unknowns_fit_better(
        rows in prop::collection::vec((prop::collection::vec(0_u8..3, 6), -0.3..0.5_f64), 1..30),
        guess in prop::collection::vec(0_u8..2, 6),
        exchanges in prop::sample::select(vec![0, 1, MOST_EXCHANGES]),
    ) {
        let drops: Vec<f64> = rows.iter().map(|row| row.1).chain([0.1, -0.1, 0.0, 0.2, 0.1, 0.0]).collect();
        let ridge = (0..6).map(|own| (0..6).map(|at| if at == own { 0.1 } else { 0.0 }).collect());
        let rows: Vec<Vec<f64>> =
            rows.iter().map(|row| row.0.iter().map(|&count| f64::from(count)).collect()).chain(ridge).collect();
        let (normal, aim) = normal(&rows, &drops);
        let guess: Vec<f64> = guess.into_iter().map(f64::from).collect();
        let found = Equations { normal: &normal, aim: &aim }.not_negative(&guess, exchanges);
        for (at, own) in found.iter().enumerate() {
            let gradient = normal[at * 6..][..6].iter().zip(&found).map(|(one, other)| one * other).sum::<f64>() - aim[at];
            prop_assert!(*own >= 0.0);
            prop_assert!(gradient >= -1e-9 && (*own == 0.0 || gradient <= 1e-9), "{found:?}: {gradient}");
        }
    }

    /// Curves never fall, and what they say of every sample is finite, whatever was measured.
    #[test]
    fn curves_never_fall(drops in prop::collection::vec(-1.0..1.0_f64, 2..12)) {
        let told = fit(&table(Curve { from_zero: true, ..ALONE }, &drops), &vec![true; drops.len()]);
        prop_assert!(told.lines[0].knots.windows(2).all(|pair| pair[0].drop <= pair[1].drop));
        prop_assert!(told.drops.iter().all(|drop| drop.is_some_and(f64::is_finite)));
    }
}
