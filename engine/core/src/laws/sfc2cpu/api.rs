//! sfc2cpu's verbs from JSON to JSON: `solve`, `evaluate`, `network`.

use std::time::Instant;

use serde::Serialize;

use crate::control::{Control, Limits};
use crate::error::BadInput;
use crate::fields::At;
use crate::json::parse;
use crate::laws::sfc2cpu::assigning::{Bound, By, Found, assign, ideal_worth};
use crate::laws::sfc2cpu::ideal::{extended, literal};
use crate::laws::sfc2cpu::inflation::Model;
use crate::laws::sfc2cpu::network::{Network, Scratch, State};
use crate::laws::sfc2cpu::problem::{Assignment, CoreId, Problem, ROUNDING, greatest};
use crate::laws::sfc2cpu::reading::{assignment, problem};
use crate::laws::sfc2cpu::registry::Assigner;
use crate::laws::sfc2cpu::weights::{network, state};
use crate::laws::sfc2cpu::{calibrated, min_max, throughput};

/// Packets a second in a million.
const MPPS: f64 = 1e6;

/// What a verb answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of `solve`.
    Assigned {
        /// The core of each VNF.
        cores: Vec<CoreId>,
        /// What the fullest core is asked for, as predicted where there is a model.
        max_load: f64,
        /// What the ideal model serves, by predicted loads where there is a model; None: loads are all that is known.
        system_mpps: Option<f64>,
        /// VNFs that stand elsewhere than before.
        moves: usize,
        /// `optimal`: the bound is reached; `feasible`: the best that was found.
        status: &'static str,
        /// No assignment of so many moves has a lower greatest load; of `throughput` and `calibrated`: none serves more
        /// Mpps.
        bound: f64,
        /// Kinds that the model does not know, and judges by the upper quartile of those that it knows.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        unknown_kinds: Vec<String>,
        /// Of the search alone.
        seconds: f64,
    },
    /// Of `evaluate`.
    Evaluated {
        /// What each core is asked for, in the order of the cores.
        load: Vec<f64>,
        /// Of each VNF: the part of what it asks for that its core can serve.
        payoffs: Vec<f64>,
        /// Of each chain: the part of its packets that comes out.
        chain_ratio: Vec<f64>,
        /// Of all chains.
        system_mpps: f64,
    },
    /// Of `network`.
    Payoffs {
        /// What the current VNF is expected to be served on each core.
        q: Vec<f64>,
        /// How many weights there are, biases left out.
        parameters: usize,
    },
}

/// The names of the verbs.
pub const VERBS: [&str; 3] = ["solve", "evaluate", "network"];

/// A verb that is read, so that searching can be timed apart from reading.
pub enum Question {
    /// An assignment, by an assigner, with the seed of what draws lots.
    Solve(Box<Problem>, By, u64),
    /// What an assignment serves; true: losses upstream unload what comes after.
    Evaluate(Box<Problem>, Assignment, bool),
    /// What a network expects.
    Expect(Box<Network>, State),
}

/// Read a verb's input.
pub fn read(verb: &str, raw: &[u8]) -> Result<Question, BadInput> {
    let tree = parse(raw)?;
    match verb {
        "solve" => solve_question(At::root(&tree)),
        "evaluate" => evaluate_question(At::root(&tree)),
        "network" => network_question(At::root(&tree)),
        _ => Err(BadInput::new("verb", format!("'{verb}' is not one of {}", VERBS.join(", ")))),
    }
}

fn solve_question(root: At) -> Result<Question, BadInput> {
    let object = root.object(&[
        "vnfs",
        "chains",
        "clock_hz",
        "loads",
        "cores",
        "gamma",
        "placed",
        "stays",
        "max_moves",
        "assigner",
        "model",
        "weights",
        "seed",
    ])?;
    let assigner = object.required("assigner", |at| Assigner::named(at.text()?))?;
    let seed = object.optional("seed", |at| at.whole(u32::MAX))?.unwrap_or_default();
    let problem = problem(&object)?;
    let model = object.nullable("model", Model::read)?;
    let weights = object.nullable("weights", network)?;
    let by = match assigner {
        Assigner::Throughput => By::Throughput,
        Assigner::Calibrated => {
            By::Calibrated(Box::new(model.ok_or_else(|| BadInput::new("model", "is missing; fit answers one"))?))
        }
        Assigner::Network => {
            let network =
                weights.ok_or_else(|| BadInput::new("weights", "is missing; a network is nothing without"))?;
            network.suits(problem.cores.len(), problem.loads.len())?;
            By::Network(Box::new(network))
        }
        rule => By::Loads(rule),
    };
    if problem.traffic.is_none() && !matches!(by, By::Loads(_)) {
        return Err(BadInput::new("vnfs", "is missing; loads say nothing about packets"));
    }
    Ok(Question::Solve(Box::new(problem), by, u64::from(seed)))
}

fn network_question(root: At) -> Result<Question, BadInput> {
    let object = root.object(&["weights", "state"])?;
    let (network, state) = (object.required("weights", network)?, object.required("state", state)?);
    let within = |error: BadInput| if error.field == "vnfs" { error.within("state") } else { error };
    network.suits(state.cores.len(), state.vnfs.len()).map_err(within)?;
    Ok(Question::Expect(Box::new(network), state))
}

fn evaluate_question(root: At) -> Result<Question, BadInput> {
    let object = root.object(&["vnfs", "chains", "clock_hz", "cores", "gamma", "assignment", "extended"])?;
    let problem = problem(&object)?;
    let assignment = object.required("assignment", |at| assignment(at, &problem))?;
    let extended = object.optional("extended", |at| at.flag())?.unwrap_or_default();
    Ok(Question::Evaluate(Box::new(problem), assignment, extended))
}

/// Answer what was read.
pub fn answer(question: Question, control: &mut Control) -> Answer {
    match question {
        Question::Solve(problem, by, seed) => {
            let steps = match by {
                By::Throughput => throughput::STEPS,
                By::Calibrated(_) => calibrated::STEPS,
                By::Loads(_) | By::Network(_) => min_max::STEPS,
            };
            let mut brief = Control::new(Limits { time: None, evaluations: Some(steps) }, None);
            let control = if control.limited() { control } else { &mut brief };
            let began = Instant::now();
            let found = assign(&problem, &by, seed, control);
            solved(&problem, &by, &found, began.elapsed().as_secs_f64())
        }
        Question::Evaluate(problem, assignment, unloads) => evaluated(&problem, &assignment, unloads),
        Question::Expect(network, state) => {
            let q = network.payoffs(&state, &mut Scratch::default()).to_vec();
            Answer::Payoffs { q, parameters: network.parameters() }
        }
    }
}

fn solved(problem: &Problem, by: &By, found: &Found, seconds: f64) -> Answer {
    let traffic = problem.traffic.as_ref();
    let worth = found.predicted.or_else(|| traffic.map(|traffic| ideal_worth(problem, traffic, &found.assignment)));
    let max_load = worth.map_or_else(|| greatest(&problem.core_loads(&found.assignment)), |worth| worth.max_load);
    let served = worth.map(|worth| worth.served_pps);
    let (proven, bound) = match (found.bound, served) {
        (Bound::Served(bound), Some(served)) => (served >= bound * (1.0 - ROUNDING), bound.max(served) / MPPS),
        (Bound::Served(bound), None) => (false, bound / MPPS),
        (Bound::MaxLoad(bound), _) => (max_load <= bound * (1.0 + ROUNDING), bound.min(max_load)),
    };
    let unknown = match (by, traffic) {
        (By::Calibrated(model), Some(traffic)) => model.unknown(traffic),
        _ => Vec::new(),
    };
    Answer::Assigned {
        cores: found.assignment.iter().map(|&core| problem.cores[core].id.clone()).collect(),
        max_load,
        system_mpps: served.map(|served| served / MPPS),
        moves: problem.moves(&found.assignment),
        status: if proven { "optimal" } else { "feasible" },
        bound,
        unknown_kinds: unknown,
        seconds,
    }
}

fn evaluated(problem: &Problem, assignment: &Assignment, unloads: bool) -> Answer {
    let Some(traffic) = &problem.traffic else {
        return Answer::Evaluated { load: vec![], payoffs: vec![], chain_ratio: vec![], system_mpps: 0.0 };
    };
    let model = if unloads { extended } else { literal };
    let served = model(problem.demand(), traffic, assignment);
    Answer::Evaluated {
        payoffs: assignment.iter().map(|&core| served.rho[core]).collect(),
        load: served.load,
        chain_ratio: served.chains,
        system_mpps: served.total_pps / MPPS,
    }
}
