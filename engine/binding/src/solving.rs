//! Placing the chains of one host.

use std::time::Duration;

use pyo3::prelude::*;
use sextant_core::BadInput;
use sextant_core::algorithms::Algorithm;
use sextant_core::control::{Limits, Watcher};
use sextant_core::problem::{Placement, Problem};
use sextant_core::solve::Options;

use crate::text::{Text, read, write};
use crate::watch::Listener;
use crate::work::{timed, without_gil};

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
        let algorithm = Algorithm::named(algorithm)?;
        refuse(params, algorithm)?;
        let limits = Limits { time: seconds.map(duration).transpose()?, evaluations };
        let options = Options { seed, limits, start: start.map(|text| read::<Placement>(text, "start")).transpose()? };
        let problem = read::<Problem>(problem, "")?;
        let mut ask = |now| listener.ask(now);
        let watcher: &mut Watcher = &mut ask;
        let (result, cpu_seconds) = timed(|| sextant_core::solve::solve(&problem, algorithm, &options, Some(watcher)));
        Ok((write(&result?)?, cpu_seconds))
    });
    listener.outcome()?;
    answer
}

/// No algorithm has parameters: any key is one too many.
fn refuse(params: Option<&str>, algorithm: Algorithm) -> Result<(), BadInput> {
    let given: serde_json::Map<String, serde_json::Value> =
        params.map(|text| read(text, "params")).transpose()?.unwrap_or_default();
    given.keys().next().map_or(Ok(()), |key| {
        Err(BadInput::new(format!("params.{key}"), format!("is not a parameter of {}", algorithm.name())))
    })
}

fn duration(seconds: f64) -> Result<Duration, BadInput> {
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        BadInput::new("seconds", format!("{seconds} is not a duration; give 0 or more, or None for no limit"))
    })
}
