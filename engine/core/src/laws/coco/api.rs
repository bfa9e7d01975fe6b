//! CoCo's verbs from JSON to JSON: `place`, `push_aside` (the exact rule), `split`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::control::{Control, Limits};
use crate::error::BadInput;
use crate::fields::At;
use crate::json::parse;
use crate::laws::coco::baselines::{greedy, random};
use crate::laws::coco::exact::{self, Found, STEPS};
use crate::laws::coco::problem::{CoreId, Placement, Problem, ROUNDING};
use crate::laws::coco::reading::{MAX_NUMBER, MAX_OF, first_placement, number, standing};
use crate::laws::coco::registry::Algorithm;
use crate::laws::coco::split::split;

/// Most lanes of a split.
const MAX_LANES: f64 = 4096.0;

/// What a verb answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of `place` and `push_aside`.
    Placed {
        /// The objective of the paper.
        delayed_bytes: f64,
        /// By element.
        placement: BTreeMap<String, CoreId>,
        /// NFs that stand elsewhere than before.
        #[serde(skip_serializing_if = "Option::is_none")]
        moves: Option<usize>,
        /// `optimal`: proven; `feasible`: the best that was found.
        status: &'static str,
        /// No placement costs less: delayed bytes, and price times moves.
        bound: f64,
        /// By element: CoCo's f at its summed rate.
        cpu: BTreeMap<String, f64>,
    },
    /// There is no placement, or none was found.
    Refused {
        /// Why.
        refused: String,
    },
    /// Of `split`.
    Split {
        /// How many lanes.
        replicas: usize,
        /// By chain.
        assignment: Vec<Vec<usize>>,
        /// Share of a core of the fullest one.
        max_load: f64,
    },
}

/// The names of the verbs.
pub const VERBS: [&str; 3] = ["place", "push_aside", "split"];

/// A verb that is read, so that searching can be timed apart from reading.
pub enum Question {
    /// A placement, by an algorithm, with the seed of what draws lots.
    Place(Box<Problem>, Algorithm, u64),
    /// Chains' shares of a core, and the intercept of each lane.
    Split(Vec<f64>, f64),
}

/// Read a verb's input.
pub fn read(verb: &str, raw: &[u8]) -> Result<Question, BadInput> {
    let tree = parse(raw)?;
    let root = At::root(&tree);
    match verb {
        "place" => {
            let object = root.object(&[
                "chains",
                "cpu",
                "nfs",
                "cores",
                "t_d",
                "homes",
                "nfs_at_home",
                "stays",
                "price",
                "algorithm",
                "seed",
            ])?;
            let problem = first_placement(&object)?;
            let named = object.optional("algorithm", |at| Algorithm::named(at.text()?))?;
            let seed = object.optional("seed", |at| at.whole(u32::MAX))?.unwrap_or_default();
            Ok(Question::Place(Box::new(problem), named.unwrap_or(Algorithm::Exact), u64::from(seed)))
        }
        "push_aside" => {
            let keys = [
                "cores",
                "chains",
                "cpu",
                "nfs",
                "overloaded",
                "needs",
                "rates",
                "t_d",
                "price",
                "others",
                "free_slots",
                "stays",
            ];
            Ok(Question::Place(Box::new(standing(&root.object(&keys)?)?), Algorithm::Exact, 0))
        }
        "split" => split_question(root),
        _ => Err(BadInput::new("verb", format!("'{verb}' is not one of {}", VERBS.join(", ")))),
    }
}

fn split_question(root: At) -> Result<Question, BadInput> {
    let object = root.object(&["slope", "rates", "intercept"])?;
    let slope = object.required("slope", |at| {
        let slope = number(at)?;
        if slope > 0.0 { Ok(slope) } else { Err(at.refuse("0 is not above 0: f must rise with the rate")) }
    })?;
    let intercept = object.optional("intercept", |at| at.number(0.0..=MAX_NUMBER))?.unwrap_or_default();
    if intercept >= 1.0 - ROUNDING {
        return Err(BadInput::new("intercept", format!("{intercept} leaves no time of a core for packets")));
    }
    let rates = object.required("rates", |at| at.list(1..=MAX_OF, number))?;
    let loads: Vec<f64> = rates.iter().map(|rate| slope * rate).collect();
    let lanes: f64 = loads.iter().map(|load| (load / (1.0 - intercept)).ceil()).sum();
    if lanes > MAX_LANES {
        return Err(BadInput::new("rates", format!("take {lanes:.0} lanes, more than {MAX_LANES}")));
    }
    Ok(Question::Split(loads, intercept))
}

/// Answer what was read.
pub fn answer(question: Question, control: &mut Control) -> Answer {
    let mut brief = Control::new(Limits { time: None, evaluations: Some(STEPS) }, None);
    let control = if control.limited() { control } else { &mut brief };
    match question {
        Question::Split(loads, intercept) => {
            let found = split(&loads, 1.0 - intercept, control);
            let max_load = found.max_load + intercept;
            Answer::Split { replicas: found.replicas, assignment: found.assignment, max_load }
        }
        Question::Place(problem, algorithm, seed) => {
            if let Some(refused) = impossible(&problem) {
                return Answer::Refused { refused };
            }
            let strawman = |found: Result<Placement, usize>| match found {
                Ok(placement) => {
                    Ok(Found { placement: Some(placement), bound: exact::lower_bound(&problem), proven: false })
                }
                Err(element) => Err(format!(
                    "no core has room for '{}', which takes {}; the exact algorithm may find some",
                    problem.names[element],
                    percent(problem.cpu[element])
                )),
            };
            let found = match algorithm {
                Algorithm::Exact => Ok(exact::place(&problem, control)),
                Algorithm::Greedy => strawman(greedy(&problem)),
                Algorithm::Random => strawman(random(&problem, seed)),
            };
            found.map_or_else(|refused| Answer::Refused { refused }, |found| shown(&problem, found))
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} % of a core", 100.0 * share)
}

/// What no algorithm can place, said without a search.
fn impossible(problem: &Problem) -> Option<String> {
    let most = problem.cores.iter().map(|core| core.room).fold(0.0, f64::max);
    let large = (0..problem.cpu.len()).find(|&element| problem.cpu[element] > most + ROUNDING);
    if let Some(element) = large {
        let takes = percent(problem.cpu[element]);
        return Some(format!("'{}' takes {takes}: split it into lanes first", problem.names[element]));
    }
    let (all, room) =
        (problem.cpu.iter().sum::<f64>(), problem.cores.iter().map(|core| core.room.max(0.0)).sum::<f64>());
    (all > room + ROUNDING * problem.cores.len() as f64)
        .then(|| format!("all elements together take {}; there are {}", percent(all), percent(room)))
}

fn shown(problem: &Problem, found: Found) -> Answer {
    let Some(placement) = found.placement else {
        let refused = if found.proven {
            "no placement keeps every core within its time: all were tried"
        } else {
            "the search ended before it met a placement; give it more time"
        };
        return Answer::Refused { refused: refused.into() };
    };
    let cost = problem.cost(&placement);
    let proven = found.proven || cost <= found.bound + ROUNDING * cost.abs();
    let names = || problem.names.iter().cloned();
    Answer::Placed {
        delayed_bytes: problem.delayed_bytes(&placement),
        moves: problem.homes.as_ref().map(|_| problem.moves(&placement)),
        placement: names().zip(placement.iter().map(|&core| problem.cores[core].id.clone())).collect(),
        status: if proven { "optimal" } else { "feasible" },
        bound: if proven { cost } else { found.bound },
        cpu: names().zip(problem.cpu.iter().copied()).collect(),
    }
}
