//! A fit: a pressure of every type, a curve of every NF in every role, and by these a drop of every sample.

use crate::curves::fold::Fold;
use crate::curves::isotonic::Knot;
use crate::curves::steps::{Fitted, USUAL_FAR};
use crate::curves::table::{Sample, Table};

/// Samples of a curve, at least.
const LEAST_SAMPLES: usize = 2;

/// A curve that reaches from pressure 0 as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its place in the table.
    pub curve: usize,
    /// Pressures rise; drops never fall.
    pub knots: Vec<Knot>,
    /// Of far pressure, on its side.
    pub share: f64,
    /// How many were measured.
    pub samples: usize,
}

/// One fit of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveFit {
    /// Pressure near by type; None of a type that was in no sample.
    pub near: Vec<Option<f64>>,
    /// Pressure from elsewhere by type.
    pub far: Vec<Option<f64>>,
    /// Those of two samples at least.
    pub lines: Vec<Line>,
    /// Drop by sample of the table, those that the fit did not see included; None where its curve or a type of its
    /// co-located NFs are not known.
    pub drops: Vec<Option<f64>>,
}

impl CurveFit {
    /// By no sample.
    pub fn nothing(table: &Table) -> Self {
        let unknown = vec![None; table.types];
        Self { near: unknown.clone(), far: unknown, lines: Vec::new(), drops: vec![None; table.samples.len()] }
    }

    /// By unknowns that were found.
    pub fn of(table: &Table, fold: &Fold, fitted: &Fitted) -> Self {
        let (near, far) = by_type(table, fold, fitted);
        let lines = lines(table, fold, fitted);
        let mut line_of = vec![None; table.curves.len()];
        lines.iter().for_each(|line| line_of[line.curve] = Some(line));
        let drop = |sample: &Sample| {
            let line = line_of[sample.curve]?;
            let mut pressure = 0.0;
            for nf in &sample.co_located {
                let of = if nf.near { near[nf.nf_type]? } else { line.share * far[nf.nf_type]? };
                pressure += nf.rate * of;
            }
            Some(drop_at(&line.knots, pressure))
        };
        let drops = table.samples.iter().map(drop).collect();
        Self { near, far, lines, drops }
    }
}

/// Near and far. What was never seen on one of both sides follows from the other, as it does in other types.
fn by_type(table: &Table, fold: &Fold, fitted: &Fitted) -> (Vec<Option<f64>>, Vec<Option<f64>>) {
    let parts = fold.parts(&fitted.unknowns);
    let types = 0..fold.types.len();
    let both = types.clone().filter(|&one| fold.seen_near[one] && fold.seen_far[one] && parts.near[one] > 0.0);
    let ratio = median(both.map(|one| parts.far[one] / parts.near[one]).collect()).unwrap_or(USUAL_FAR);
    let mean = parts.near.iter().sum::<f64>() / parts.near.len() as f64;
    let (mut near, mut far) = (vec![None; table.types], vec![None; table.types]);
    for one in types {
        let from_far = if ratio > 0.0 { parts.far[one] / ratio } else { mean };
        let own = if fold.seen_near[one] { parts.near[one] } else { from_far };
        near[fold.types[one]] = Some(own);
        far[fold.types[one]] = Some(if fold.seen_far[one] { parts.far[one] } else { own * ratio });
    }
    (near, far)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 if values.is_empty() => None,
        0 => Some(f64::midpoint(values[middle - 1], values[middle])),
        _ => Some(values[middle]),
    }
}

fn lines(table: &Table, fold: &Fold, fitted: &Fitted) -> Vec<Line> {
    let mut samples = vec![0; fold.curves.len()];
    fold.rows[..fold.measured()].iter().for_each(|row| samples[row.curve] += 1);
    let mut own: Vec<Option<Vec<Knot>>> = vec![None; table.curves.len()];
    for (number, &curve) in fold.curves.iter().enumerate() {
        if samples[number] >= LEAST_SAMPLES {
            own[curve] = Some(apart(fitted.knots.of_curve(number)));
        }
    }
    let shares = fold.parts(&fitted.unknowns).shares;
    let line = |(number, &curve): (usize, &usize)| {
        let like = table.curves[curve].like.and_then(|like| own[like].as_deref());
        let side = fold.sides.partition_point(|&side| side < table.curves[curve].side);
        let knots = reaching(own[curve].as_deref()?, like);
        Some(Line { curve, knots, share: shares[side], samples: samples[number] })
    };
    fold.curves.iter().enumerate().filter_map(line).collect()
}

/// Of knots at one pressure the last, highest one counts.
fn apart(knots: &[Knot]) -> Vec<Knot> {
    let mut found: Vec<Knot> = Vec::with_capacity(knots.len());
    for &knot in knots {
        match found.last_mut().filter(|last| last.pressure == knot.pressure) {
            Some(last) => *last = knot,
            None => found.push(knot),
        }
    }
    found
}

/// From pressure 0 on, and as far as the curve of the like role: beyond its own knots it rises as that one does.
fn reaching(own: &[Knot], like: Option<&[Knot]>) -> Vec<Knot> {
    let (first, last) = (own[0], own[own.len() - 1]);
    let mut found = Vec::new();
    if first.pressure > 0.0 {
        let risen = like.map_or(0.0, |like| drop_at(like, first.pressure) - drop_at(like, 0.0));
        found.push(Knot { pressure: 0.0, drop: first.drop - risen });
    }
    found.extend(own);
    if let Some(like) = like {
        let level = last.drop - drop_at(like, last.pressure);
        let beyond = like.iter().filter(|knot| knot.pressure > last.pressure);
        found.extend(beyond.map(|knot| Knot { pressure: knot.pressure, drop: level + knot.drop }));
    }
    found
}

/// Linear between knots, constant before the first and beyond the last.
fn drop_at(knots: &[Knot], pressure: f64) -> f64 {
    let after = knots.partition_point(|knot| knot.pressure <= pressure);
    if after == 0 || after == knots.len() {
        return knots[after.saturating_sub(1)].drop;
    }
    let (from, to) = (knots[after - 1], knots[after]);
    from.drop + (pressure - from.pressure) / (to.pressure - from.pressure) * (to.drop - from.drop)
}
