//! Pressure curves out of samples. Numbers go as they are: a fit takes less time than its JSON text would.

use pyo3::prelude::*;
use sextant_core::BadInput;
use sextant_core::curves::{Curve, Line, Pressing, Sample, Table, fit};

use crate::work::without_gil;

/// Curve, drop, its error, co-located NFs: type, whether near, rate over the ideal one.
type Measured = (usize, f64, f64, Vec<(usize, bool, f64)>);
/// Number of the curve, pressures of its knots, their drops, share of far pressure, samples.
type Knots = (usize, Vec<f64>, Vec<f64>, f64, usize);
/// Pressures near and far by type, curves, drops by sample.
type Fit = (Vec<Option<f64>>, Vec<Option<f64>>, Vec<Knots>, Vec<Option<f64>>);

/// Samples that curves are fitted on, each with the curve that it is on and the types that press on it.
#[pyclass(frozen)]
pub struct CurveTable(Table);

#[pymethods]
impl CurveTable {
    /// `curves`: side, whether 0 without co-located NFs, number of the curve that it is like. `samples`: curve, drop, its
    /// error, co-located NFs (type, whether near, rate over the ideal one).
    #[new]
    #[pyo3(signature = (*, types, curves, samples))]
    fn new(
        py: Python<'_>,
        types: usize,
        curves: Vec<(usize, bool, Option<usize>)>,
        samples: Vec<Measured>,
    ) -> PyResult<Self> {
        without_gil(py, || {
            let curves = curves.into_iter().map(|(side, from_zero, like)| Curve { side, from_zero, like });
            let samples = samples.into_iter().map(|(curve, drop, error, co_located)| {
                let co_located = co_located.into_iter().map(|(nf_type, near, rate)| Pressing { nf_type, near, rate });
                Sample::new(curve, drop, error, co_located.collect())
            });
            Ok(Self(Table::new(types, curves.collect(), samples.collect())?))
        })
    }

    /// The same with rates to a power.
    fn raised(&self, py: Python<'_>, exponent: f64) -> PyResult<Self> {
        without_gil(py, || {
            if !(exponent.is_finite() && exponent >= 0.0) {
                return Err(BadInput::new("exponent", "a number from 0 on"));
            }
            Ok(Self(self.0.raised(exponent)))
        })
    }

    /// By the samples that are `left` (one flag each): pressures near and far by type, curves of two samples at least,
    /// and what they say of every sample.
    #[expect(clippy::needless_pass_by_value, reason = "what Python gives is owned")]
    fn fit(&self, py: Python<'_>, left: Vec<bool>) -> PyResult<Fit> {
        without_gil(py, || {
            if left.len() != self.0.samples.len() {
                return Err(BadInput::new("left", format!("{} flags, one a sample", self.0.samples.len())));
            }
            let fitted = fit(&self.0, &left);
            Ok((fitted.near, fitted.far, fitted.lines.iter().map(knots).collect(), fitted.drops))
        })
    }
}

fn knots(line: &Line) -> Knots {
    let (pressures, drops) = line.knots.iter().map(|knot| (knot.pressure, knot.drop)).unzip();
    (line.curve, pressures, drops, line.share, line.samples)
}
