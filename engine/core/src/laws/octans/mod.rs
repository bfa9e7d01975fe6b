//! Placement algorithms, one a file: `run(instance, params, seed, control, start) -> Outcome`.

pub mod anytime;
mod board;
pub mod brute;
pub mod exact;
pub mod extended;
pub mod greedy;
pub mod node_balance;
pub mod node_first;
pub mod paper;
pub mod registry;
pub mod solve;
mod starts;
pub mod subchains;

use serde::de::DeserializeOwned;

use crate::control::Control;
use crate::declaration::Declaration;
use crate::error::BadInput;
use crate::instance::{Assignment, Instance};
use crate::problem::Problem;
use registry::DECLARATIONS;

/// What every algorithm returns to `solve`, which turns it into a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The best placement found: within capacity, pins and the limit on moves.
    pub assignment: Assignment,
    /// No placement that accepts the same chains scores more; None: the algorithm knows none.
    pub bound: Option<f64>,
    /// True if nothing ranks higher.
    pub proven: bool,
    /// Why an algorithm that proves optima has not, unless it was ended (`Control` knows that); None: nothing to add.
    pub unproven: Option<String>,
}

impl Outcome {
    /// A placement about which nothing is known.
    pub fn found(assignment: Assignment) -> Self {
        Self { assignment, bound: None, proven: false, unproven: None }
    }
}

/// Whatever `registry` declares; the compiler asks for `params` and `run` of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// Annealing and a bound, in turns.
    Anytime,
    /// Exhaustive search.
    Brute,
    /// Branch and bound: the proven optimum.
    Exact,
    /// Local node first.
    NodeFirst,
    /// Least used node first.
    NodeBalance,
    /// Algorithm 1 as the paper has it.
    Octans,
    /// Algorithm 1 for everything a problem can hold.
    OctansExtended,
}

/// What an algorithm can be given beyond the problem.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Params {
    /// Its own defaults.
    #[default]
    Default,
    /// Of `octans` and `octans_extended`.
    Subchains(subchains::Params),
}

/// Size of a problem that `exact` proves in about ten milliseconds, as log2 of the placements: 8 chains of three NFs on
/// 4 nodes, 16 chains on 2.
const MOST_EXACT: f64 = 48.0;

impl Algorithm {
    /// All of them, in the order in which they are offered.
    pub fn all() -> impl Iterator<Item = Self> {
        DECLARATIONS.iter().map(|declared| declared.algorithm)
    }

    /// The name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        self.declaration().name
    }

    /// What is declared of it.
    pub fn declaration(self) -> &'static Declaration<Self> {
        DECLARATIONS.iter().find(|declared| declared.algorithm == self).expect("every algorithm is declared")
    }

    /// The algorithm of a name.
    pub fn named(name: &str) -> Result<Self, BadInput> {
        DECLARATIONS.iter().find(|declared| declared.name == name).map(|declared| declared.algorithm).ok_or_else(|| {
            let mut names: Vec<&str> = DECLARATIONS.iter().map(|declared| declared.name).collect();
            names.sort_unstable();
            BadInput::new("algorithm", format!("'{name}' is not one of {}", names.join(", ")))
        })
    }

    /// What is used where the caller leaves it open: `exact` while a proof takes milliseconds, else `anytime`.
    pub fn automatic(instance: &Instance) -> Self {
        let ways = |nf| (instance.allowed(nf).len() as f64).log2();
        let choices: f64 = instance.chains.iter().flat_map(|chain| &chain.nfs).map(ways).sum();
        if choices <= MOST_EXACT { Self::Exact } else { Self::Anytime }
    }

    /// Its parameters from JSON, such as `{"memo": false}`; what it does not know is refused by field.
    pub fn params(self, json: serde_json::Value) -> Result<Params, BadInput> {
        match self {
            Self::Octans | Self::OctansExtended => Ok(Params::Subchains(read(json)?)),
            Self::Anytime | Self::Brute | Self::Exact | Self::NodeBalance | Self::NodeFirst => {
                read::<NoParams>(json).map(|NoParams {}| Params::Default)
            }
        }
    }

    /// False where there is one pass and nothing to end: a limit that is reached changes nothing.
    pub fn can_be_ended(self) -> bool {
        !matches!(self, Self::NodeBalance | Self::NodeFirst)
    }

    /// Refuse a problem that the algorithm has no notion of.
    pub fn check(self, problem: &Problem) -> Result<(), BadInput> {
        if self == Self::Octans { paper::check(problem) } else { Ok(()) }
    }

    /// Search. `start`: a placement to begin with, feasible or not. `check` has passed.
    pub fn run(
        self,
        instance: &Instance,
        params: Params,
        seed: u64,
        control: &mut Control,
        start: Option<&Assignment>,
    ) -> Result<Outcome, BadInput> {
        match (self, params) {
            (Self::Anytime, Params::Default) => Ok(anytime::run(instance, seed, control, start)),
            (Self::Brute, Params::Default) => brute::run(instance, control, start),
            (Self::Exact, Params::Default) => Ok(exact::run(instance, seed, control, start)),
            (Self::NodeFirst, Params::Default) => Ok(node_first::run(instance, control)),
            (Self::NodeBalance, Params::Default) => Ok(node_balance::run(instance, control)),
            (Self::Octans, params) => paper::run(instance, params.subchains(), control),
            (Self::OctansExtended, params) => extended::run(instance, params.subchains(), control, start),
            (_, Params::Subchains(_)) => Err(BadInput::new("params", format!("are not those of {}", self.name()))),
        }
    }
}

impl Params {
    fn subchains(self) -> subchains::Params {
        match self {
            Self::Default => subchains::Params::default(),
            Self::Subchains(params) => params,
        }
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParams {}

fn read<T: DeserializeOwned>(json: serde_json::Value) -> Result<T, BadInput> {
    serde_path_to_error::deserialize(json).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { "params".to_owned() } else { format!("params.{path}") };
        BadInput::new(field, error.into_inner().to_string())
    })
}
