//! Samples as they were measured, checked.

use crate::error::BadInput;

/// Error of a drop that repetitions do not show: the machine's state differs from point to point.
const FLOOR: f64 = 0.004;

/// An NF among the co-located NFs of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pressing {
    /// Its type: a number below `Table::types`.
    pub nf_type: usize,
    /// Whether it is on the subject's node.
    pub near: bool,
    /// Its rate over its ideal one, or a power of that: as how many it counts.
    pub rate: f64,
}

/// What the subject lost beside others.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Place of its curve among the table's.
    pub curve: usize,
    /// Share of the ideal throughput.
    pub drop: f64,
    /// In the squares that are made least.
    pub weight: f64,
    /// All NFs but the subject.
    pub co_located: Vec<Pressing>,
}

/// Whose samples are on one curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Curve {
    /// Place of its share of far pressure among the table's.
    pub side: usize,
    /// Whether it is 0 without co-located NFs, by definition.
    pub from_zero: bool,
    /// The curve that says how this one continues where its own samples end.
    pub like: Option<usize>,
}

/// All samples of some profiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// How many.
    pub types: usize,
    /// How many.
    pub sides: usize,
    /// By number.
    pub curves: Vec<Curve>,
    /// In any order.
    pub samples: Vec<Sample>,
}

impl Sample {
    /// `error`: the standard error of `drop`.
    pub fn new(curve: usize, drop: f64, error: f64, co_located: Vec<Pressing>) -> Self {
        Self { curve, drop, weight: 1.0 / (error * error + FLOOR * FLOOR), co_located }
    }
}

impl Table {
    /// Checked: every number is finite, every place is there.
    pub fn new(types: usize, curves: Vec<Curve>, samples: Vec<Sample>) -> Result<Self, BadInput> {
        let sides = curves.iter().map(|curve| curve.side + 1).max().unwrap_or(0);
        if sides > curves.len() {
            return Err(BadInput::new("curves", "sides are numbered from 0 on, without a gap"));
        }
        if types > samples.iter().map(|sample| sample.co_located.len()).sum() {
            return Err(BadInput::new("types", "every type stands in the co_located of a sample"));
        }
        for (number, curve) in curves.iter().enumerate() {
            if curve.like.is_some_and(|like| like >= curves.len()) {
                return Err(BadInput::new(format!("curves.{number}.like"), "there is no such curve"));
            }
        }
        for (number, sample) in samples.iter().enumerate() {
            let at = |field: &str| format!("samples.{number}.{field}");
            if sample.curve >= curves.len() {
                return Err(BadInput::new(at("curve"), "there is no such curve"));
            }
            if !sample.drop.is_finite() || !sample.weight.is_finite() || sample.weight <= 0.0 {
                return Err(BadInput::new(at("drop"), "the drop and its error must be finite numbers"));
            }
            for nf in &sample.co_located {
                if nf.nf_type >= types || !(0.0..=1.0).contains(&nf.rate) {
                    return Err(BadInput::new(at("co_located"), "types below `types`, at rates from 0 to 1"));
                }
            }
        }
        Ok(Self { types, sides, curves, samples })
    }

    /// The same with rates to a power.
    #[must_use]
    pub fn raised(&self, exponent: f64) -> Self {
        let mut raised = self.clone();
        raised.samples.iter_mut().flat_map(|one| &mut one.co_located).for_each(|nf| nf.rate = nf.rate.powf(exponent));
        raised
    }
}
