//! Making problems, and saying what can solve them.

use pyo3::prelude::*;
use sextant_core::BadInput;
use sextant_core::generate::{Mode, Recipe};

use crate::work::without_gil;

/// What is declared of every algorithm, as JSON.
#[pyfunction]
pub fn algorithms(py: Python<'_>) -> PyResult<String> {
    without_gil(py, sextant_core::api::algorithms)
}

/// What is declared of NUMASFP's algorithms, as JSON.
#[pyfunction]
pub fn numasfp_algorithms(py: Python<'_>) -> PyResult<String> {
    without_gil(py, sextant_core::api::numasfp_algorithms)
}

/// A seeded problem for tests and benchmarks; `mode` is A, B or C.
#[pyfunction]
#[pyo3(signature = (*, chains, nodes, cores, length, mode, seed))]
pub fn generate(
    py: Python<'_>,
    chains: usize,
    nodes: usize,
    cores: u32,
    length: usize,
    mode: &str,
    seed: u64,
) -> PyResult<String> {
    without_gil(py, || {
        let mode = match mode {
            "A" => Mode::A,
            "B" => Mode::B,
            "C" => Mode::C,
            other => return Err(BadInput::new("mode", format!("'{other}' is not one of A, B, C"))),
        };
        sextant_core::api::generate(&Recipe { chains, nodes, cores, length, mode, seed })
    })
}
