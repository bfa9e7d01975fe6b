//! The engine from text to text, as the command line and Python call it. No I/O: bytes in, JSON out, `BadInput` where
//! the caller is wrong.

use std::io;
use std::time::Duration;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};

use crate::control::{Control, Limits, Watcher};
use crate::declaration::Declaration;
use crate::error::BadInput;
use crate::fleet::{FleetOptions, FleetWatcher, read_fleet, solve_fleet};
use crate::generate::{self, Recipe};
use crate::laws::octans::solve;
use crate::laws::octans::{Algorithm, Params};
use crate::laws::{coco, numasfp, octans, sfc2cpu};
use crate::reader::{read_evaluation, read_placement, read_problem};
use crate::{cpu_time::CpuTime, evaluate, explain, report};

/// How to solve.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Asked<'a> {
    /// The algorithm's name.
    pub algorithm: &'a str,
    /// When to end.
    pub stop: Stop,
    /// Of algorithms that draw lots.
    pub seed: u64,
    /// The algorithm's parameters in JSON; None: its defaults.
    pub params: Option<&'a [u8]>,
    /// A placement in JSON to begin the search with.
    pub start: Option<&'a [u8]>,
}

/// When to return the best found; None: no such limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stop {
    /// Wall time; finite, not negative.
    pub seconds: Option<f64>,
    /// Evaluated placements.
    pub evaluations: Option<u64>,
}

impl Stop {
    fn limits(self) -> Result<Limits, BadInput> {
        Ok(Limits { time: self.seconds.map(duration).transpose()?, evaluations: self.evaluations })
    }
}

/// What a solve gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct Solved {
    /// The result.
    pub json: String,
    /// CPU time of the search in this thread; reading and writing are left out.
    pub cpu_seconds: f64,
}

/// Place the chains of a problem in JSON.
pub fn solve<'a>(problem: &[u8], asked: Asked, watcher: Option<&'a mut Watcher<'a>>) -> Result<Solved, BadInput> {
    let algorithm = Algorithm::named(asked.algorithm)?;
    let params = asked.params.map_or(Ok(Params::Default), |raw| algorithm.params(params(raw)?))?;
    let start = asked.start.map(read_placement).transpose().map_err(|error| error.within("start"))?;
    let options = solve::Options { seed: asked.seed, limits: asked.stop.limits()?, start, params };
    let problem = read_problem(problem)?;
    let began = CpuTime::now();
    let result = solve::solve(&problem, algorithm, &options, watcher)?;
    let cpu_seconds = began.elapsed().as_secs_f64();
    Ok(Solved { json: json(&result)?, cpu_seconds })
}

/// What the placement in `{"problem": ..., "assignment": ...}` is worth.
pub fn evaluate(evaluation: &[u8]) -> Result<String, BadInput> {
    let (problem, placement) = read_evaluation(evaluation)?;
    json(&evaluate::evaluate(&problem, &placement)?)
}

/// Who hurts whom under the placement in `{"problem": ..., "assignment": ...}`.
pub fn explain(evaluation: &[u8]) -> Result<String, BadInput> {
    let (problem, placement) = read_evaluation(evaluation)?;
    json(&explain::explain(&problem, &placement)?)
}

/// All that a plan reports of a host with the placement in `{"problem": ..., "assignment": ...}`; see `report`.
pub fn report(evaluation: &[u8], detail: report::Detail, stop: Stop) -> Result<String, BadInput> {
    let (problem, placement) = read_evaluation(evaluation)?;
    json(&report::report(&problem, &placement, detail, stop.limits()?)?)
}

/// Place the chains of a fleet; `algorithm` None: by the size of each host.
pub fn plan_fleet<'a>(
    request: &[u8],
    algorithm: Option<&str>,
    seed: u64,
    stop: Stop,
    threads: Option<usize>,
    watcher: Option<&'a mut FleetWatcher<'a>>,
) -> Result<String, BadInput> {
    let options = FleetOptions {
        algorithm: algorithm.map(Algorithm::named).transpose()?,
        seed,
        limits: stop.limits()?,
        threads,
        without_exchange: false,
    };
    json(&solve_fleet(&read_fleet(request)?, &options, watcher)?)
}

/// What a verb of a law answers; CPU time is that of the answer, reading and writing left out.
pub fn solve_law<'a>(
    law: &str,
    verb: &str,
    raw: &[u8],
    stop: Stop,
    watcher: Option<&'a mut Watcher<'a>>,
) -> Result<Solved, BadInput> {
    let limits = stop.limits()?;
    match law {
        "coco" => {
            let question = coco::api::read(verb, raw)?;
            let mut control = Control::new(limits, watcher);
            let began = CpuTime::now();
            let answer = coco::api::answer(question, &mut control);
            let cpu_seconds = began.elapsed().as_secs_f64();
            Ok(Solved { json: json(&answer)?, cpu_seconds })
        }
        "numasfp" => {
            let question = numasfp::api::read(verb, raw)?;
            let began = CpuTime::now();
            let answer = numasfp::api::answer(question, &mut Control::new(limits, watcher))?;
            let cpu_seconds = began.elapsed().as_secs_f64();
            Ok(Solved { json: json(&answer)?, cpu_seconds })
        }
        "sfc2cpu" => {
            let question = sfc2cpu::api::read(verb, raw)?;
            let began = CpuTime::now();
            let answer = sfc2cpu::api::answer(question, &mut Control::new(limits, watcher));
            let cpu_seconds = began.elapsed().as_secs_f64();
            Ok(Solved { json: json(&answer)?, cpu_seconds })
        }
        _ => Err(BadInput::new("law", format!("'{law}' is not one of coco, numasfp, sfc2cpu"))),
    }
}

/// What is declared of NUMASFP's algorithms: name, part, summary.
pub fn numasfp_algorithms() -> Result<String, BadInput> {
    json(&numasfp::registry::DECLARATIONS)
}

/// What is declared of every algorithm that plans: name, summary, since, places, exact, offered, races, bounds; in the
/// order of the offer.
pub fn algorithms() -> Result<String, BadInput> {
    let mut all: Vec<Declaration<()>> = octans::registry::DECLARATIONS.iter().map(Declaration::shown).collect();
    all.extend(coco::registry::DECLARATIONS.iter().map(Declaration::shown));
    all.extend(sfc2cpu::registry::DECLARATIONS.iter().map(Declaration::shown));
    json(&all)
}

/// A seeded problem.
pub fn generate(recipe: &Recipe) -> Result<String, BadInput> {
    json(&generate::generate(recipe)?)
}

fn params(raw: &[u8]) -> Result<serde_json::Value, BadInput> {
    serde_json::from_slice(raw).map_err(|error| BadInput::new("params", format!("is not JSON: {error}")))
}

fn duration(seconds: f64) -> Result<Duration, BadInput> {
    if !(seconds.is_finite() && seconds >= 0.0) {
        return Err(BadInput::new("seconds", format!("{seconds} is not a finite number of at least 0")));
    }
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)) // beyond 2^64 s: never
}

fn json(value: &impl Serialize) -> Result<String, BadInput> {
    let unwritable = |error: String| BadInput::new("result", format!("cannot be written: {error}"));
    let mut raw = Vec::new();
    let mut writer = serde_json::Serializer::with_formatter(&mut raw, WithoutNegativeZero);
    value.serialize(&mut writer).map_err(|error| unwritable(error.to_string()))?;
    String::from_utf8(raw).map_err(|error| unwritable(error.to_string()))
}

/// Compact JSON in which zero has no sign: sums of nothing, and drops of nothing, are -0.0 in the core.
struct WithoutNegativeZero;

impl Formatter for WithoutNegativeZero {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        CompactFormatter.write_f64(writer, value + 0.0) // -0.0 + 0.0 = 0.0
    }
}
