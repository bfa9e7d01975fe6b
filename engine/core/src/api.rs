//! The engine from text to text, as the command line and Python call it. No I/O: bytes in, JSON out, `BadInput` where
//! the caller is wrong.

use std::time::Duration;

use serde::Serialize;

use crate::algorithms::Algorithm;
use crate::control::{Limits, Watcher};
use crate::error::BadInput;
use crate::generate::{self, Recipe};
use crate::reader::{read_evaluation, read_problem};
use crate::{evaluate, solve};

/// How to solve.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Asked<'a> {
    /// The algorithm's name.
    pub algorithm: &'a str,
    /// Wall time after which to return the best found; finite, not negative. None: run to the end.
    pub seconds: Option<f64>,
    /// Evaluated placements after which to return the best found.
    pub evaluations: Option<u64>,
    /// Of algorithms that draw lots.
    pub seed: u64,
}

/// The result, as JSON, of a problem in JSON.
pub fn solve<'a>(problem: &[u8], asked: Asked, watcher: Option<&'a mut Watcher<'a>>) -> Result<String, BadInput> {
    let algorithm = Algorithm::named(asked.algorithm)?;
    let limits = Limits { time: asked.seconds.map(duration).transpose()?, evaluations: asked.evaluations };
    let options = solve::Options { seed: asked.seed, limits, ..solve::Options::default() };
    json(&solve::solve(&read_problem(problem)?, algorithm, &options, watcher)?)
}

/// What the placement in `{"problem": ..., "assignment": ...}` is worth, as JSON.
pub fn evaluate(evaluation: &[u8]) -> Result<String, BadInput> {
    let (problem, placement) = read_evaluation(evaluation)?;
    json(&evaluate::evaluate(&problem, &placement)?)
}

/// A seeded problem, as JSON.
pub fn generate(recipe: &Recipe) -> Result<String, BadInput> {
    json(&generate::generate(recipe)?)
}

fn duration(seconds: f64) -> Result<Duration, BadInput> {
    if !(seconds.is_finite() && seconds >= 0.0) {
        return Err(BadInput::new("seconds", format!("{seconds} is not a finite number of at least 0")));
    }
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)) // beyond 2^64 s: never
}

fn json(value: &impl Serialize) -> Result<String, BadInput> {
    serde_json::to_string(value).map_err(|error| BadInput::new("result", format!("cannot be written: {error}")))
}
