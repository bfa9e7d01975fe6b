//! `sextant_engine._core`: the placement engine for Python, from JSON text to JSON text, fits of pressure
//! curves, and Gaussian processes that are asked.
//!
//! Read in this order: `work` (how every function runs: without the GIL, panics caught), `watch`
//! (progress, cancelling and signals meanwhile), `text` (JSON from Python); then the functions, by what they are for.
//! Each is declared in `_core.pyi` beside the Python package too; the suite `stubtest-engine` compares the two.

mod curves;
mod generating;
mod judging;
mod process;
mod solving;
mod text;
mod watch;
mod work;

/// The module; a new function is one line here.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use crate::curves::CurveTable;
    #[pymodule_export]
    use crate::generating::{algorithms, generate, numasfp_algorithms};
    #[pymodule_export]
    use crate::judging::{evaluate, explain, report};
    #[pymodule_export]
    use crate::process::ProcessTable;
    #[pymodule_export]
    use crate::solving::{plan_fleet, solve, solve_law};
}
