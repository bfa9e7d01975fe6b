//! Pressure curves and pressures out of drops that were measured: what Python's `modelling.curves` states, fitted.
//!
//! ```text
//! drop of an NF = S[curve](P)
//! P = sum over its co-located NFs of near[type] r^e + share[side] x sum over co-located NFs elsewhere of far[type] r^e
//! ```
//!
//! Read in this order: `table` (samples as they were measured), `fold` (those that one fit sees, as arrays), `isotonic`
//! (curves for given pressures), `steps` (curves and pressures in turn), `positive` and `not_negative` (the equations of
//! a step), `curve_fit` (what a fit predicts of every sample).

pub mod curve_fit;
pub mod fold;
pub mod isotonic;
pub mod not_negative;
pub mod positive;
pub mod steps;
pub mod table;

pub use curve_fit::{CurveFit, Line};
pub use table::{Curve, Pressing, Sample, Table};

use fold::Fold;

/// Curves and pressures by the samples that are `left`, and what they say of all samples of the table. Nothing is known
/// where no sample is left.
pub fn fit(table: &Table, left: &[bool]) -> CurveFit {
    let fold = Fold::of(table, left);
    if fold.measured() == 0 {
        return CurveFit::nothing(table);
    }
    CurveFit::of(table, &fold, &steps::fitted(&fold))
}
