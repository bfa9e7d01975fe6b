//! NUMASFP's verbs from JSON to JSON: `allocate`, `run`, `step`, and `interval`, which is one interval of `run` for
//! whoever goes from interval to interval by himself.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::control::Control;
use crate::error::BadInput;
use crate::fields::{At, Object};
use crate::json::parse;
use crate::laws::numasfp::exact::{Asked, step};
use crate::laws::numasfp::literal::Memory;
use crate::laws::numasfp::problem::{Host, MAX_CHAIN_NFS, MAX_INTERVALS, MAX_RATES, loss};
use crate::laws::numasfp::registry::Algorithm;
use crate::laws::numasfp::run::{self, Interval, Run, Settings, begin};
use crate::laws::numasfp::table::{self, Level, MAX_GBPS, Side, Table, cap, covering};

/// Longest horizon, intervals.
pub const MAX_HORIZON: f64 = 1e6;
/// Of the paper.
pub const MAX_LIMIT: u32 = 3;
/// Intervals over which `exact` spreads the price of a move where nobody says otherwise.
pub const HORIZON: f64 = 6.0;

/// What a verb answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of `allocate`.
    Need {
        /// Cache ways.
        ways: u32,
        /// Memory bandwidth, %.
        mb_percent: u32,
    },
    /// Of `allocate`, where the table has no such level.
    Refused {
        /// Why.
        refused: String,
    },
    /// Of `run`.
    Run(Run),
    /// Of `step`.
    Step(Step),
    /// Of `interval`.
    Interval {
        /// What it came to.
        interval: Interval,
        /// What the next one is given.
        memory: Remembered,
    },
}

/// An optimum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The objective.
    pub objective_gbps: f64,
    /// Chains that change their node.
    pub moves: u32,
    /// The node of each chain.
    pub placement: BTreeMap<String, String>,
    /// What each is granted.
    pub allocation: BTreeMap<String, Level>,
    /// Chains that are offered more than the table knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clamped: Vec<String>,
    /// False: the search was ended, and this is the best it had.
    pub proven: bool,
}

/// `Memory` by names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Remembered {
    placement: BTreeMap<String, String>,
    violations: BTreeMap<String, u32>,
    rates_gbps: Option<BTreeMap<String, f64>>,
}

/// The names of the verbs.
pub const VERBS: [&str; 4] = ["allocate", "run", "step", "interval"];

/// A verb that is read, so that searching can be timed apart from reading.
pub enum Question {
    /// What a chain needs.
    Allocate(Vec<Level>, f64),
    /// Many intervals.
    Run(Host, Vec<Vec<f64>>, Option<Vec<usize>>, Settings),
    /// An optimum.
    Step(Host, Vec<f64>, Option<Vec<usize>>, Search),
    /// One interval.
    Interval(Host, Vec<f64>, Option<Memory>, Settings),
}

/// What `step` is told beside rates.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    loss: f64,
    losses: Option<Vec<f64>>,
    horizon: f64,
    most_moves: Option<u32>,
}

/// Read a verb's input.
pub fn read(verb: &str, raw: &[u8]) -> Result<Question, BadInput> {
    let tree = parse(raw)?;
    let root = At::root(&tree);
    match verb {
        "allocate" => allocate(root),
        "run" => runs(root),
        "step" => steps(root),
        "interval" => one_interval(root),
        _ => Err(BadInput::new("verb", format!("'{verb}' is not one of {}", VERBS.join(", ")))),
    }
}

/// Answer what was read.
pub fn answer(question: Question, control: &mut Control) -> Result<Answer, BadInput> {
    match question {
        Question::Allocate(levels, rate) => Ok(match covering(&levels, rate) {
            Some(index) => Answer::Need { ways: levels[index].ways, mb_percent: levels[index].mb_percent },
            None if levels.is_empty() => {
                Answer::Refused { refused: "the table has no level for it on that node".into() }
            }
            None => Answer::Refused { refused: format!("the table ends at {} Gbps on that node", cap(&levels)) },
        }),
        Question::Run(host, rates, start, settings) => {
            run::run(&host, &rates, start, settings, control).map(Answer::Run)
        }
        Question::Step(host, rates, current, search) => {
            let asked = Asked {
                current: current.as_deref(),
                loss: search.loss,
                losses: search.losses.as_deref(),
                horizon: search.horizon,
                most_moves: search.most_moves,
            };
            let found = step(&host, &host.clamp(&rates), asked, control)?;
            Ok(Answer::Step(Step {
                objective_gbps: found.gbps(),
                moves: found.moves,
                placement: by_name(&host, |chain| host.nodes[found.placement[chain]].name.clone()),
                allocation: by_name(&host, |chain| found.granted[chain]),
                clamped: host.clamped(&rates),
                proven: found.proven,
            }))
        }
        Question::Interval(host, rates, memory, settings) => {
            let begun = |control: &mut Control| begin(&host, &host.clamp(&rates), None, settings, control);
            let mut memory = memory.map_or_else(|| begun(control), Ok)?;
            let interval = run::interval(&host, &mut memory, &rates, settings, control)?;
            let memory = Remembered {
                placement: by_name(&host, |chain| host.nodes[memory.placement[chain]].name.clone()),
                violations: by_name(&host, |chain| memory.violations[chain]),
                rates_gbps: memory.rates.as_ref().map(|rates| by_name(&host, |chain| rates[chain])),
            };
            Ok(Answer::Interval { interval, memory })
        }
    }
}

fn by_name<T>(host: &Host, of: impl Fn(usize) -> T) -> BTreeMap<String, T> {
    host.chains.iter().enumerate().map(|(index, chain)| (chain.name.clone(), of(index))).collect()
}

fn allocate(root: At) -> Result<Question, BadInput> {
    let object = root.object(&["table", "chain", "node", "rate_gbps", "rule"])?;
    let table = object.required("table", Table::read)?;
    let chain = object.required("chain", |at| at.list(1..=MAX_CHAIN_NFS, |at| at.id()))?;
    let side: Side = object.required("node", table::side)?;
    let rate = object.required("rate_gbps", |at| at.number(0.0..=MAX_GBPS))?;
    let rule = object.optional("rule", table::rule)?.unwrap_or_default();
    Ok(Question::Allocate(table.levels(&chain, side, rule, |index| format!("chain.{index}"))?, rate))
}

fn runs(root: At) -> Result<Question, BadInput> {
    let keys = ["table", "chains", "nodes", "start", "rates", "algorithm", "max_limit", "loss", "params"];
    let object = root.object(&keys)?;
    let (host, settings) = settled(&object)?;
    let start = object.nullable("start", |at| host.placement(at))?;
    let rates = object.required("rates", |at| at.list(1..=MAX_INTERVALS, |at| host.rates(at)))?;
    if rates.len() * host.chains.len() > MAX_RATES {
        let size = format!("has {} intervals of {} chains", rates.len(), host.chains.len());
        return Err(BadInput::new("rates", format!("{size}, more than {MAX_RATES} rates together; run it in parts")));
    }
    Ok(Question::Run(host, rates, start, settings))
}

fn one_interval(root: At) -> Result<Question, BadInput> {
    let keys = ["table", "chains", "nodes", "memory", "rates_gbps", "algorithm", "max_limit", "loss", "params"];
    let object = root.object(&keys)?;
    let (host, settings) = settled(&object)?;
    if settings.algorithm == Algorithm::Clairvoyant {
        return Err(BadInput::new("algorithm", "'clairvoyant' knows all intervals at once; use the verb run"));
    }
    let memory = object.nullable("memory", |at| {
        let object = at.object(&["placement", "violations", "rates_gbps"])?;
        Ok(Memory {
            placement: object.required("placement", |at| host.placement(at))?,
            violations: object.required("violations", |at| host.by_chain(at, |at| at.whole(u32::MAX)))?,
            rates: object.nullable("rates_gbps", |at| host.rates(at))?,
        })
    })?;
    let rates = object.required("rates_gbps", |at| host.rates(at))?;
    Ok(Question::Interval(host, rates, memory, settings))
}

/// What `run` and `interval` have in common.
fn settled(object: &Object) -> Result<(Host, Settings), BadInput> {
    let params = object.nullable("params", |at| {
        let object = at.object(&["horizon", "rule"])?;
        Ok((object.optional("horizon", horizon)?, object.optional("rule", table::rule)?))
    })?;
    let (spread, rule) = params.unwrap_or_default();
    let settings = Settings {
        algorithm: object.required("algorithm", |at| Algorithm::named(at.text()?))?,
        max_limit: object.optional("max_limit", |at| at.whole(u32::MAX - 1))?.unwrap_or(MAX_LIMIT),
        loss: object.optional("loss", loss)?.unwrap_or_default(),
        horizon: spread.unwrap_or(HORIZON),
    };
    if settings.algorithm == Algorithm::Law {
        return Err(BadInput::new(
            "algorithm",
            "'law' has a memory of its own; python -m sextant_engine numasfp runs it",
        ));
    }
    Ok((Host::read(object, rule.unwrap_or_default())?, settings))
}

fn steps(root: At) -> Result<Question, BadInput> {
    let keys = ["table", "chains", "nodes", "current", "rates_gbps", "loss", "losses", "horizon", "most_moves", "rule"];
    let object = root.object(&keys)?;
    let rule = object.optional("rule", table::rule)?.unwrap_or_default();
    let host = Host::read(&object, rule)?;
    let current = object.nullable("current", |at| host.placement(at))?;
    let rates = object.required("rates_gbps", |at| host.rates(at))?;
    let search = Search {
        loss: object.optional("loss", loss)?.unwrap_or_default(),
        losses: object.nullable("losses", |at| host.by_chain(at, loss))?,
        horizon: object.optional("horizon", horizon)?.unwrap_or(1.0),
        most_moves: object.nullable("most_moves", |at| at.whole(u32::MAX))?,
    };
    Ok(Question::Step(host, rates, current, search))
}

fn horizon(at: At) -> Result<f64, BadInput> {
    at.number(1.0..=MAX_HORIZON)
}
