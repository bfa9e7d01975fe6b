//! A host whose steady state is asked for.

#![expect(clippy::needless_pass_by_value, reason = "what Python gives is owned")]

use pyo3::prelude::*;
use sextant_twin_core::api;
use sextant_twin_core::machine::Machine;
use sextant_twin_core::reader::read_machine;

use crate::text::Text;
use crate::work::without_gil;

/// A host of a machine, given as JSON in base units. It keeps nothing of what it is asked.
#[pyclass(frozen, module = "sextant_twin._core")]
pub struct Host {
    machine: Machine,
}

#[pymethods]
impl Host {
    #[new]
    fn new(py: Python<'_>, machine: Text) -> PyResult<Self> {
        without_gil(py, || Ok(Self { machine: read_machine(machine.as_ref())? }))
    }

    /// The steady state of a setting: JSON in, JSON out.
    fn steady(&self, py: Python<'_>, setting: Text) -> PyResult<String> {
        without_gil(py, || api::steady(&self.machine, setting.as_ref()))
    }
}
