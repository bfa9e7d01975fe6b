//! The assigners, declared once.

use super::reading::MAX_OF;
use crate::declaration::{Bound, Declaration, Places};
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

const SIZE: Bound = Bound { most: MAX_OF as u64, of: "NFs, or cores, of a host", beyond: "refused" };

const fn declared(
    algorithm: Assigner,
    name: &'static str,
    summary: &'static str,
    exact: bool,
    offered: bool,
) -> Declaration<Assigner> {
    Declaration {
        algorithm,
        law: "sfc2cpu",
        name,
        summary,
        since: "0.1.0",
        places: Places::Cores,
        exact,
        offered,
        races: false,
        bounds: &[SIZE],
    }
}

/// Those that a plan may be asked to assign newcomers by, on hosts whose cores are shared.
pub const DECLARATIONS: [Declaration<Assigner>; 9] = [
    declared(
        Assigner::Throughput,
        "throughput",
        "sfc2cpu: the most packets that an ideal host serves where NFs share cores, proven",
        true,
        true,
    ),
    declared(Assigner::MinMax, "min_max", "sfc2cpu: the least load of the fullest shared core, proven", true, true),
    declared(
        Assigner::Calibrated,
        "calibrated",
        "sfc2cpu: the most packets by what NFs cost beside others, as fitted on the host itself",
        false,
        true,
    ),
    declared(
        Assigner::Network,
        "network",
        "sfc2cpu: as the network expects that was trained and promoted for so many shared cores",
        false,
        true,
    ),
    declared(
        Assigner::LongestFirst,
        "lpt",
        "sfc2cpu: NFs by falling load, each to the least loaded shared core",
        false,
        true,
    ),
    declared(
        Assigner::LeastLoadedFirst,
        "llf",
        "baseline of sfc2cpu: each NF in its turn to the least loaded shared core",
        false,
        true,
    ),
    declared(
        Assigner::FirstFitDecreasing,
        "ffd",
        "baseline of sfc2cpu: NFs by falling load, each to the first shared core with time for it",
        false,
        true,
    ),
    declared(
        Assigner::RoundRobin,
        "rr",
        "baseline of sfc2cpu: one NF after another to the shared cores in turn",
        false,
        true,
    ),
    declared(
        Assigner::Generator,
        "gen",
        "sfc2cpu's generator: each NF to a shared core drawn from those with time for it",
        false,
        false,
    ),
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
