//! How every function of the module runs its work: without the GIL, with panics caught.

use pyo3::import_exception;
use pyo3::prelude::*;
use sextant_twin_core::BadInput;
use sextant_twin_core::guard::guarded;

mod errors {
    // Python's own classes, so that there is one of each whoever raises it.
    super::import_exception!(sextant_twin.errors, BadTwinInput);
    super::import_exception!(sextant_twin.errors, TwinDefect);
}

/// Run `work` while other Python threads go on.
///
/// Raises `BadTwinInput` with the field and the message, and `TwinDefect` where the work panics: the `PanicException` of
/// `pyo3` is no `Exception`, so it would pass every handler and end the process.
pub fn without_gil<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, BadInput> + Send) -> PyResult<T> {
    match py.detach(|| guarded(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(bad)) => Err(errors::BadTwinInput::new_err((bad.field, bad.message))),
        Err(panicked) => Err(errors::TwinDefect::new_err(panicked.0)),
    }
}
