//! What Python hears of a solve that runs without the GIL: about ten times a second (the core's rhythm) the GIL is taken
//! for the signals that came meanwhile and for the caller's `progress`.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// Asks Python whether to go on, and keeps what it raised until the solve has ended.
pub struct Listener {
    progress: Option<Py<PyAny>>,
    raised: Option<PyErr>,
}

impl Listener {
    /// `progress` returns true to cancel.
    pub fn new(progress: Option<Py<PyAny>>) -> Self {
        Self { progress, raised: None }
    }

    /// True: end the solve. `now`: the arguments of `progress`.
    pub fn ask(&mut self, now: impl for<'py> PyCallArgs<'py>) -> bool {
        let answer = Python::attach(|py| {
            py.check_signals()?; // Ctrl-C: KeyboardInterrupt, in the main thread only
            let Some(progress) = &self.progress else { return Ok(false) };
            progress.call1(py, now)?.is_truthy(py)
        });
        answer.unwrap_or_else(|raised| {
            self.raised = Some(raised);
            true
        })
    }

    /// What a signal or `progress` raised.
    pub fn outcome(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
