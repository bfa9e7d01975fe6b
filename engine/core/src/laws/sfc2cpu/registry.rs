//! The assigners, declared once.

use crate::error::BadInput;

/// What chooses cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assigner {
    /// Round robin.
    RoundRobin,
    /// The least loaded core, in the order of arrival.
    LeastLoadedFirst,
    /// First fit by falling load.
    FirstFitDecreasing,
    /// As the paper's generator does.
    Generator,
    /// The least loaded core, by falling load.
    LongestFirst,
    /// The least load of the fullest core, proven.
    MinMax,
    /// The most packets that the ideal model serves, proven.
    Throughput,
    /// The same by loads that a fitted model predicts.
    Calibrated,
    /// The paper's network.
    Network,
}

/// Their names in JSON.
pub const ASSIGNERS: [(&str, Assigner); 9] = [
    ("rr", Assigner::RoundRobin),
    ("llf", Assigner::LeastLoadedFirst),
    ("ffd", Assigner::FirstFitDecreasing),
    ("gen", Assigner::Generator),
    ("lpt", Assigner::LongestFirst),
    ("min_max", Assigner::MinMax),
    ("throughput", Assigner::Throughput),
    ("calibrated", Assigner::Calibrated),
    ("network", Assigner::Network),
];

impl Assigner {
    /// The assigner of a name.
    pub fn named(name: &str) -> Result<Self, BadInput> {
        ASSIGNERS.iter().find(|(known, _)| *known == name).map(|(_, assigner)| *assigner).ok_or_else(|| {
            let names = ASSIGNERS.map(|(known, _)| known).join(", ");
            BadInput::new("assigner", format!("'{name}' is not one of {names}"))
        })
    }
}
