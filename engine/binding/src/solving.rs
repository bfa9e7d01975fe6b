//! Placing the chains of one host, or of a fleet.

#![expect(clippy::needless_pass_by_value, reason = "what Python gives is owned")]

use pyo3::prelude::*;
use sextant_core::api::{self, Asked, Stop};
use sextant_core::control::Watcher;
use sextant_core::fleet::FleetWatcher;

use crate::text::Text;
use crate::watch::Listener;
use crate::work::without_gil;

/// Place the chains of a problem; returns the result and the CPU seconds of the search, reading and writing left out.
///
/// `params`, `start`: JSON of the algorithm's parameters and of a placement to begin with. `seconds`, `evaluations`:
/// when to end. `progress(best, bound, evaluations)`: called about ten times a second; true ends the search with the
/// best so far.
#[pyfunction]
#[pyo3(signature = (problem, algorithm, *, params=None, seed=0, seconds=None, evaluations=None, start=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn solve(
    py: Python<'_>,
    problem: Text,
    algorithm: &str,
    params: Option<&str>,
    seed: u64,
    seconds: Option<f64>,
    evaluations: Option<u64>,
    start: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, f64)> {
    let mut listener = Listener::new(progress);
    let answer = without_gil(py, || {
        let (params, start) = (params.map(str::as_bytes), start.map(str::as_bytes));
        let asked = Asked { algorithm, stop: Stop { seconds, evaluations }, seed, params, start };
        let mut ask = |now: sextant_core::control::Progress| listener.ask((now.best, now.bound, now.evaluations));
        let watcher: &mut Watcher = &mut ask;
        let solved = api::solve(problem.as_ref(), asked, Some(watcher))?;
        Ok((solved.json, solved.cpu_seconds))
    });
    listener.outcome()?;
    answer
}

/// Place the chains of a fleet, hosts on threads.
///
/// `algorithm`: None chooses by the size of each host. `progress(stage, done, total, best, bound, evaluations)` as in
/// `solve`.
#[pyfunction]
#[pyo3(signature = (request, *, algorithm=None, seed=0, seconds=None, evaluations=None, threads=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn plan_fleet(
    py: Python<'_>,
    request: Text,
    algorithm: Option<&str>,
    seed: u64,
    seconds: Option<f64>,
    evaluations: Option<u64>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let mut listener = Listener::new(progress);
    let answer = without_gil(py, || {
        let mut ask = |now: sextant_core::fleet::FleetProgress| {
            listener.ask((now.stage.name(), now.done, now.total, now.best, now.bound, now.evaluations))
        };
        let watcher: &mut FleetWatcher = &mut ask;
        api::plan_fleet(request.as_ref(), algorithm, seed, Stop { seconds, evaluations }, threads, Some(watcher))
    });
    listener.outcome()?;
    answer
}

/// What a verb of a law answers, and the CPU seconds of that, reading and writing left out; `progress` as in `solve`.
#[pyfunction]
#[pyo3(signature = (law, verb, question, *, seconds=None, evaluations=None, progress=None))]
pub fn solve_law(
    py: Python<'_>,
    law: &str,
    verb: &str,
    question: Text,
    seconds: Option<f64>,
    evaluations: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, f64)> {
    let mut listener = Listener::new(progress);
    let answer = without_gil(py, || {
        let mut ask = |now: sextant_core::control::Progress| listener.ask((now.best, now.bound, now.evaluations));
        let watcher: &mut Watcher = &mut ask;
        let stop = Stop { seconds, evaluations };
        let solved = api::solve_law(law, verb, question.as_ref(), stop, Some(watcher))?;
        Ok((solved.json, solved.cpu_seconds))
    });
    listener.outcome()?;
    answer
}
