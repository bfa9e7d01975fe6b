//! Pressures and shares of a fit: curves and pressures in turn, by damped Gauss-Newton steps along the curves.

use crate::curves::fold::{Fold, Parts, Row};
use crate::curves::isotonic::Knots;
use crate::curves::not_negative::{Equations, MOST_EXCHANGES};

const STEPS: usize = 23;
/// Ends where a step improves the sum of squares by less than this share, or changes no unknown by more: pressures are 1
/// on average. Ten times finer predicts held-out mixes no better.
const SETTLED: f64 = 1e-3;
const FIRST_DAMPING: f64 = 0.003;
/// What becomes of the damping after a step that is kept, and after one that is taken back.
const EASIER: f64 = 1.0 / 3.0;
const HARDER: f64 = 30.0;
/// Mean curvature that is none: drops of 1e-157 have squares that no matrix can be solved with.
const FLAT: f64 = 1e-30;
/// Pull of pressures to the first guess, of their mean curvature: it decides only where samples say nothing.
const TO_PRIOR: f64 = 1e-5;
/// The same for the first guess itself.
const TO_USUAL: f64 = 0.05;
/// Least mean drop of a curve, to divide by.
const FLOOR: f64 = 0.004;
/// far / near, where no type's samples determine it.
pub const USUAL_FAR: f64 = 0.5;

/// Unknowns, and what their curves make of the samples.
#[derive(Debug)]
pub struct Fitted {
    /// As `Fold` has them.
    pub unknowns: Vec<f64>,
    /// By these pressures.
    pub knots: Knots,
    residual: Vec<f64>,
    slope: Vec<f64>,
    squares: f64,
}

/// Normal equations of a step: J is drops by unknowns, W the weights.
struct Normal {
    /// J' W J.
    matrix: Vec<f64>,
    /// J' W (J unknowns + residual).
    aim: Vec<f64>,
}

/// Curves and pressures in turn; a step that makes it worse is taken back and made smaller.
///
/// Always from the first guess. A fold's fit that began where the fit on all samples ended would stay near there, and
/// know what it must not have seen: its errors on what is held out were six to nine tenths of the true ones.
pub fn fitted(fold: &Fold) -> Fitted {
    let guess = in_scale(fold, first_guess(fold));
    let mut order = fold.by_curve.clone();
    let (mut best, mut damping) = (Fitted::at(fold, guess.clone(), &mut order), FIRST_DAMPING);
    let mut normal = Normal::at(fold, &best);
    for _ in 0..STEPS {
        let tried = Fitted::at(fold, in_scale(fold, normal.step(&best.unknowns, &guess, damping)), &mut order);
        let changes = tried.unknowns.iter().zip(&best.unknowns).map(|(one, other)| (one - other).abs());
        if changes.fold(0.0, f64::max) < SETTLED {
            break;
        }
        if tried.squares >= best.squares {
            damping *= HARDER;
            continue;
        }
        let gained = 1.0 - tried.squares / best.squares;
        (best, damping) = (tried, damping * EASIER);
        if gained < SETTLED {
            break;
        }
        normal = Normal::at(fold, &best);
    }
    best
}

impl Fitted {
    fn at(fold: &Fold, unknowns: Vec<f64>, order: &mut [usize]) -> Self {
        let parts = fold.parts(&unknowns);
        let pressure: Vec<f64> = fold.rows.iter().map(|row| pressure_on(fold, row, parts)).collect();
        let knots = Knots::of(fold, &pressure, order);
        let (mut residual, mut slope, mut squares) = (Vec::new(), Vec::new(), 0.0);
        for (row, &pressure) in fold.rows[..fold.measured()].iter().zip(&pressure) {
            let (drop, rise) = knots.at(row.curve, pressure);
            let left = row.drop - drop;
            squares += row.weight * left * left;
            residual.push(left);
            slope.push(rise);
        }
        Self { unknowns, knots, residual, slope, squares }
    }
}

fn pressure_on(fold: &Fold, row: &Row, parts: Parts<'_>) -> f64 {
    summed(fold.near(row), parts.near) + parts.shares[row.side] * summed(fold.far(row), parts.far)
}

fn summed(co_located: &[(usize, f64)], pressures: &[f64]) -> f64 {
    co_located.iter().map(|&(nf_type, count)| count * pressures[nf_type]).sum()
}

impl Normal {
    fn at(fold: &Fold, fitted: &Fitted) -> Self {
        let size = fold.unknowns();
        let (sides, types) = (fold.sides.len(), fold.types.len());
        let (mut matrix, mut aim) = (vec![0.0; size * size], vec![0.0; size]);
        let parts = fold.parts(&fitted.unknowns);
        let mut by_unknown: Vec<(usize, f64)> = Vec::new();
        for (number, row) in fold.rows[..fold.measured()].iter().enumerate() {
            let (slope, share) = (fitted.slope[number], parts.shares[row.side]);
            if slope == 0.0 {
                continue;
            }
            by_unknown.clear();
            if !fold.far(row).is_empty() {
                by_unknown.push((row.side, slope * summed(fold.far(row), parts.far)));
            }
            by_unknown.extend(fold.near(row).iter().map(|&(one, count)| (sides + one, slope * count)));
            by_unknown.extend(fold.far(row).iter().map(|&(one, count)| (sides + types + one, slope * (share * count))));
            add_products(&by_unknown, row.weight, fitted.residual[number], &mut matrix, &mut aim);
        }
        mirror(&mut matrix, size);
        for (row, sum) in matrix.chunks_exact(size.max(1)).zip(&mut aim) {
            *sum += row.iter().zip(&fitted.unknowns).map(|(one, other)| one * other).sum::<f64>();
        }
        Self { matrix, aim }
    }

    /// Least squares with u >= 0 of residual + J now = J u, damped towards `now` and drawn a little to the guess.
    fn step(&self, now: &[f64], guess: &[f64], damping: f64) -> Vec<f64> {
        let size = now.len();
        let diagonal = || self.matrix.iter().step_by(size + 1);
        let mean = diagonal().sum::<f64>() / size as f64;
        let mean = if mean > FLAT { mean } else { 1.0 };
        let draw = TO_PRIOR * mean;
        let (mut normal, mut aim) = (self.matrix.clone(), self.aim.clone());
        for (number, &own) in diagonal().enumerate() {
            let stay = damping * (own + mean);
            normal[number * (size + 1)] += stay + draw;
            aim[number] += stay * now[number] + draw * guess[number];
        }
        Equations { normal: &normal, aim: &aim }.not_negative(now, MOST_EXCHANGES)
    }
}

/// Adds one sample to the lower half of J' W J and to J' W residual; places rise.
fn add_products(by_unknown: &[(usize, f64)], weight: f64, residual: f64, matrix: &mut [f64], aim: &mut [f64]) {
    let size = aim.len();
    for (number, &(row, one)) in by_unknown.iter().enumerate() {
        aim[row] += weight * one * residual;
        for &(column, other) in &by_unknown[..=number] {
            matrix[row * size + column] += weight * one * other;
        }
    }
}

/// The upper half from the lower.
fn mirror(matrix: &mut [f64], size: usize) {
    for row in 0..size {
        for column in 0..row {
            matrix[column * size + row] = matrix[row * size + column];
        }
    }
}

/// As if every curve were a straight line: least squares of drops over their curve's mean, pressures >= 0; every share
/// 1.
fn first_guess(fold: &Fold) -> Vec<f64> {
    let (types, measured) = (fold.types.len(), &fold.rows[..fold.measured()]);
    let drops = over_their_mean(fold);
    let mut usual = vec![1.0; types];
    usual.resize(2 * types, USUAL_FAR);
    let size = usual.len();
    let (mut matrix, mut aim, mut pressing) = (vec![0.0; size * size], vec![0.0; size], 0.0);
    let mut counts: Vec<(usize, f64)> = Vec::new();
    for (row, &drop) in measured.iter().zip(&drops) {
        counts.clear();
        counts.extend(fold.near(row));
        counts.extend(fold.far(row).iter().map(|&(one, count)| (types + one, count)));
        pressing += summed(&counts, &usual);
        add_products(&counts, 1.0, drop, &mut matrix, &mut aim);
    }
    mirror(&mut matrix, size);
    let count = measured.len() as f64;
    let mean_drop = drops.iter().sum::<f64>() / count;
    usual.iter_mut().for_each(|one| *one *= mean_drop.max(0.0) / (pressing / count).max(1.0));
    let mean = matrix.iter().step_by(size + 1).sum::<f64>() / size as f64;
    let draw = TO_USUAL * if mean == 0.0 { 1.0 } else { mean };
    for number in 0..size {
        matrix[number * (size + 1)] += draw;
        aim[number] += draw * usual[number];
    }
    let mut guess = vec![1.0; fold.sides.len()];
    guess.extend(Equations { normal: &matrix, aim: &aim }.not_negative(&usual, MOST_EXCHANGES));
    guess
}

/// Drops that were measured, each over the mean of its curve.
fn over_their_mean(fold: &Fold) -> Vec<f64> {
    let measured = &fold.rows[..fold.measured()];
    let (mut sums, mut counts) = (vec![0.0; fold.curves.len()], vec![0.0; fold.curves.len()]);
    for row in measured {
        sums[row.curve] += row.drop;
        counts[row.curve] += 1.0;
    }
    let mean = |curve: usize| (sums[curve] / f64::max(counts[curve], 1.0)).abs().max(FLOOR);
    measured.iter().map(|row| row.drop / mean(row.curve)).collect()
}

/// `near` 1 on average over types that stood near, shares 1 over sides with co-located NFs elsewhere. Where nothing presses,
/// all are 1, and `far` the usual part.
fn in_scale(fold: &Fold, unknowns: Vec<f64>) -> Vec<f64> {
    let (sides, types) = (fold.sides.len(), fold.types.len());
    let mut found = unknowns;
    let (shares, pressures) = found.split_at_mut(sides);
    let (near, far) = pressures.split_at_mut(types);
    if let Some(mean) = mean_where(shares, &fold.with_far).filter(|&mean| mean > 0.0) {
        far.iter_mut().for_each(|one| *one *= mean);
        shares.iter_mut().for_each(|one| *one /= mean);
    }
    shares.iter_mut().zip(&fold.with_far).filter(|(_, with)| !**with).for_each(|(one, _)| *one = 1.0);
    let scale = mean_where(near, &fold.seen_near).or_else(|| mean_where(far, &fold.seen_far)).unwrap_or(0.0);
    if scale > 0.0 {
        near.iter_mut().chain(far).for_each(|one| *one /= scale);
    } else {
        near.fill(1.0);
        far.fill(USUAL_FAR);
    }
    found
}

/// None where it is nowhere.
fn mean_where(values: &[f64], here: &[bool]) -> Option<f64> {
    let count = here.iter().filter(|one| **one).count();
    let sum: f64 = values.iter().zip(here).filter(|(_, here)| **here).map(|(one, _)| one).sum();
    (count > 0).then(|| sum / count as f64)
}
