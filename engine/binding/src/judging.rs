//! What a given placement is worth, and why. All read `{"problem": ..., "assignment": ...}`.

#![expect(clippy::needless_pass_by_value, reason = "what Python gives is owned")]

use pyo3::prelude::*;
use sextant_core::api::{self, Stop};
use sextant_core::report::Detail;

use crate::text::Text;
use crate::work::without_gil;

/// The result of a placement, NF by NF.
#[pyfunction]
pub fn evaluate(py: Python<'_>, evaluation: Text) -> PyResult<String> {
    without_gil(py, || api::evaluate(evaluation.as_ref()))
}

/// Who hurts whom.
#[pyfunction]
pub fn explain(py: Python<'_>, evaluation: Text) -> PyResult<String> {
    without_gil(py, || api::explain(evaluation.as_ref()))
}

/// All that a plan reports of a host; `most_moves` points of the frontier, searched for `seconds`, and the worst
/// `most_causes` of what each NF loses (None: all).
#[pyfunction]
#[pyo3(signature = (evaluation, *, most_moves=0, most_causes=None, seconds=None))]
pub fn report(
    py: Python<'_>,
    evaluation: Text,
    most_moves: u32,
    most_causes: Option<usize>,
    seconds: Option<f64>,
) -> PyResult<String> {
    let detail = Detail { most_moves, most_causes };
    without_gil(py, || api::report(evaluation.as_ref(), detail, Stop { seconds, evaluations: None }))
}
