//! `sextant_twin._core`: the twin for Python, from JSON text to JSON text.
//!
//! Read in this order: `work` (how everything runs: without the GIL, panics caught), `text` (JSON from Python); then the
//! classes. Each is declared in `_core.pyi` beside the Python package too; the suite `stubtest-twin` compares the two.

mod fleet;
mod host;
mod text;
mod work;

/// The module; a new class is one line here.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use crate::fleet::Fleet;
    #[pymodule_export]
    use crate::host::Host;
}
