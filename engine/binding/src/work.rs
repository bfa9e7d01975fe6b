//! How every function of the module runs its work: without the GIL, with panics caught.

use pyo3::import_exception;
use pyo3::prelude::*;
use sextant_core::BadInput;
use sextant_core::guard::guarded;

mod errors {
    // Python's own classes, so that there is one of each whoever raises it.
    super::import_exception!(sextant_engine.errors, BadEngineInput);
    super::import_exception!(sextant_engine.errors, EngineDefect);
}

/// Run `work` while other Python threads go on.
///
/// Raises `BadEngineInput` with the field and the message, and `EngineDefect` where the work panics: the `PanicException` of
/// `pyo3` is no `Exception`, so it would pass every handler and end the process.
pub fn without_gil<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, BadInput> + Send) -> PyResult<T> {
    match py.detach(|| guarded(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(bad)) => Err(errors::BadEngineInput::new_err((bad.field, bad.message))),
        Err(panicked) => Err(errors::EngineDefect::new_err(panicked.0)),
    }
}
