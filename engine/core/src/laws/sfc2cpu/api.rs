//! sfc2cpu's verbs from JSON to JSON: `solve`, `evaluate`.

use std::time::Instant;

use serde::Serialize;

use crate::control::{Control, Limits};
use crate::error::BadInput;
use crate::fields::At;
use crate::json::parse;
use crate::laws::sfc2cpu::heuristics::{
    first_fit_decreasing, generator, least_loaded_first, longest_first, round_robin,
};
use crate::laws::sfc2cpu::ideal::{extended, literal};
use crate::laws::sfc2cpu::min_max::{self, STEPS};
use crate::laws::sfc2cpu::problem::{Assignment, CoreId, Problem, ROUNDING, greatest};
use crate::laws::sfc2cpu::reading::{assignment, problem};
use crate::laws::sfc2cpu::rebalance::rebalance;
use crate::laws::sfc2cpu::registry::Assigner;

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
        /// What the fullest core is asked for.
        max_load: f64,
        /// What the ideal model serves; None: loads are all that is known.
        system_mpps: Option<f64>,
        /// VNFs that stand elsewhere than before.
        moves: usize,
        /// `optimal`: the bound is reached; `feasible`: the best that was found.
        status: &'static str,
        /// No assignment of so many moves has a lower greatest load.
        bound: f64,
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
}

/// The names of the verbs.
pub const VERBS: [&str; 2] = ["solve", "evaluate"];

/// A verb that is read, so that searching can be timed apart from reading.
pub enum Question {
    /// An assignment, by an assigner, with the seed of what draws lots.
    Solve(Box<Problem>, Assigner, u64),
    /// What an assignment serves; true: losses upstream unload what comes after.
    Evaluate(Box<Problem>, Assignment, bool),
}

/// Read a verb's input.
pub fn read(verb: &str, raw: &[u8]) -> Result<Question, BadInput> {
    let tree = parse(raw)?;
    match verb {
        "solve" => solve_question(At::root(&tree)),
        "evaluate" => evaluate_question(At::root(&tree)),
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
        "max_moves",
        "assigner",
        "seed",
    ])?;
    let assigner = object.required("assigner", |at| Assigner::named(at.text()?))?;
    let seed = object.optional("seed", |at| at.whole(u32::MAX))?.unwrap_or_default();
    Ok(Question::Solve(Box::new(problem(&object)?), assigner, u64::from(seed)))
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
        Question::Solve(problem, assigner, seed) => {
            let mut brief = Control::new(Limits { time: None, evaluations: Some(STEPS) }, None);
            let control = if control.limited() { control } else { &mut brief };
            solved(&problem, assigner, seed, control)
        }
        Question::Evaluate(problem, assignment, unloads) => evaluated(&problem, &assignment, unloads),
    }
}

fn solved(problem: &Problem, assigner: Assigner, seed: u64, control: &mut Control) -> Answer {
    let began = Instant::now();
    let (assignment, bound) = match assigner {
        Assigner::MinMax => {
            let found = min_max::assign(problem, control);
            (found.assignment, found.bound)
        }
        _ => (by_rule(problem, assigner, seed), min_max::lower_bound(problem, problem.max_moves)),
    };
    let seconds = began.elapsed().as_secs_f64();
    let max_load = greatest(&problem.core_loads(&assignment));
    let served = problem.traffic.as_ref().map(|traffic| literal(problem, traffic, &assignment));
    Answer::Assigned {
        cores: assignment.iter().map(|&core| problem.cores[core].id.clone()).collect(),
        max_load,
        system_mpps: served.map(|served| served.total_pps / MPPS),
        moves: problem.moves(&assignment),
        status: if max_load <= bound * (1.0 + ROUNDING) { "optimal" } else { "feasible" },
        bound: bound.min(max_load),
        seconds,
    }
}

fn by_rule(problem: &Problem, assigner: Assigner, seed: u64) -> Assignment {
    let mut assignment = match assigner {
        Assigner::RoundRobin => round_robin(problem),
        Assigner::LeastLoadedFirst => least_loaded_first(problem),
        Assigner::FirstFitDecreasing => first_fit_decreasing(problem),
        Assigner::Generator => generator(problem, seed),
        Assigner::LongestFirst | Assigner::MinMax => longest_first(problem),
    };
    rebalance(problem, &mut assignment);
    assignment
}

fn evaluated(problem: &Problem, assignment: &Assignment, unloads: bool) -> Answer {
    let Some(traffic) = &problem.traffic else {
        return Answer::Evaluated { load: vec![], payoffs: vec![], chain_ratio: vec![], system_mpps: 0.0 };
    };
    let model = if unloads { extended } else { literal };
    let served = model(problem, traffic, assignment);
    Answer::Evaluated {
        payoffs: assignment.iter().map(|&core| served.rho[core]).collect(),
        load: served.load,
        chain_ratio: served.chains,
        system_mpps: served.total_pps / MPPS,
    }
}
