//! NUMASFP's algorithms, declared once: the command line and the docs are written from this table. They place whole
//! chains by a look-up table, so none of them is a placement algorithm of plans (`laws::octans::registry`).

use serde::Serialize;

use crate::error::BadInput;

/// What an algorithm decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// What a chain needs.
    Need,
    /// Where chains stand, once and for all; what they are granted follows the rates.
    Start,
    /// Where chains stand, interval after interval.
    Run,
}

/// What carries an algorithm out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// Need: element-wise maximum.
    MaxAlloc,
    /// Need: sum.
    SumAlloc,
    /// The law of ours, outside the core.
    Law,
    /// The optimum of each interval, the price of moves spread.
    Exact,
    /// Algorithms 1 and 2 as printed.
    Literal,
    /// The same, judging by what chains are offered.
    Extended,
    /// In the order of the input, local node first.
    NodeFirst,
    /// In the order of the input, least used cores first.
    NodeBalance,
    /// By falling rate, local node first.
    RateSorted,
    /// The placement that Octans' own model ranks first; outside this law's part of the core.
    Octans,
    /// All rates known beforehand.
    Clairvoyant,
}

/// What is declared about an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Declaration {
    /// Its variant.
    #[serde(skip)]
    pub algorithm: Algorithm,
    /// In JSON and on the command line.
    pub name: &'static str,
    /// What it decides.
    pub part: Part,
    /// One line, without a full stop.
    pub summary: &'static str,
}

const fn declared(algorithm: Algorithm, name: &'static str, part: Part, summary: &'static str) -> Declaration {
    Declaration { algorithm, name, part, summary }
}

/// All of them.
pub const DECLARATIONS: [Declaration; 11] = [
    declared(
        Algorithm::MaxAlloc,
        "max_alloc",
        Part::Need,
        "a chain needs the greatest need of its NFs: they share one group",
    ),
    declared(Algorithm::SumAlloc, "sum_alloc", Part::Need, "baseline: a chain needs the sum of its NFs' needs"),
    declared(Algorithm::Law, "law", Part::Run, "the control law: exact steps held, budgeted and watched by a shadow"),
    declared(
        Algorithm::Exact,
        "exact",
        Part::Run,
        "the optimum of every interval, the price of a move spread over some",
    ),
    declared(Algorithm::Literal, "numasfp", Part::Run, "Algorithms 1 and 2 of the NUMASFP paper to the letter"),
    declared(Algorithm::Extended, "numasfp_extended", Part::Run, "the same, but starved chains do not count as small"),
    declared(
        Algorithm::NodeFirst,
        "node_first",
        Part::Start,
        "baseline: in the order given, the local node until it is full",
    ),
    declared(Algorithm::NodeBalance, "node_balance", Part::Start, "baseline: in the order given, the least used node"),
    declared(
        Algorithm::RateSorted,
        "rate_sorted",
        Part::Start,
        "baseline: by falling rate, local first; the paper calls it Octans",
    ),
    declared(Algorithm::Octans, "octans", Part::Start, "whole chains as Octans' own equations rank them best"),
    declared(Algorithm::Clairvoyant, "clairvoyant", Part::Run, "the bound of all laws: knows every rate beforehand"),
];

impl Algorithm {
    /// The algorithm of a name, if it runs over intervals.
    pub fn named(name: &str) -> Result<Self, BadInput> {
        let runs = || DECLARATIONS.iter().filter(|declared| declared.part != Part::Need);
        runs().find(|declared| declared.name == name).map(|declared| declared.algorithm).ok_or_else(|| {
            let names: Vec<&str> = runs().map(|declared| declared.name).collect();
            BadInput::new("algorithm", format!("'{name}' is not one of {}", names.join(", ")))
        })
    }
}
