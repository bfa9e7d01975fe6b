//! Placement algorithms, one a file: `run(instance, params, seed, control, start) -> Outcome`.

pub mod anytime;
pub mod brute;
pub mod greedy;
pub mod node_balance;
pub mod node_first;

use crate::control::Control;
use crate::error::BadInput;
use crate::instance::{Assignment, Instance};

/// What every algorithm returns to `solve`, which turns it into a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The best placement found: within capacity, pins and the limit on moves.
    pub assignment: Assignment,
    /// No placement that accepts the same chains scores more; None: the algorithm knows none.
    pub bound: Option<f64>,
    /// True if nothing ranks higher.
    pub proven: bool,
}

/// The algorithms by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// Annealing and a bound, in turns.
    Anytime,
    /// Exhaustive search.
    Brute,
    /// Local node first.
    NodeFirst,
    /// Least used node first.
    NodeBalance,
}

impl Algorithm {
    /// All of them, by name.
    pub const ALL: [Self; 4] = [Self::Anytime, Self::Brute, Self::NodeBalance, Self::NodeFirst];

    /// The name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anytime => "anytime",
            Self::Brute => "brute",
            Self::NodeFirst => "node_first",
            Self::NodeBalance => "node_balance",
        }
    }

    /// The algorithm of a name.
    pub fn named(name: &str) -> Result<Self, BadInput> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.into_iter().map(Self::name).collect();
            BadInput::new("algorithm", format!("'{name}' is not one of {}", names.join(", ")))
        })
    }

    /// Search. `start`: a placement to begin with, feasible or not.
    pub fn run(
        self,
        instance: &Instance,
        seed: u64,
        control: &mut Control,
        start: Option<&Assignment>,
    ) -> Result<Outcome, BadInput> {
        match self {
            Self::Anytime => Ok(anytime::run(instance, seed, control, start)),
            Self::Brute => brute::run(instance, control, start),
            Self::NodeFirst => Ok(node_first::run(instance, control)),
            Self::NodeBalance => Ok(node_balance::run(instance, control)),
        }
    }
}
