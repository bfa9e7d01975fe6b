//! What a solver gives back; its JSON form is the command line's.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::problem::Placement;

/// How good a result is known to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Proven best.
    Optimal,
    /// The best that was found.
    Feasible,
    /// No chain can be placed.
    Infeasible,
}

/// What is missing for a rejected chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Short {
    /// The node its pins confine it to; None: anywhere on the host.
    pub node: Option<String>,
    /// Cores missing.
    pub cores: u32,
}

/// A chain that was not placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RejectedChain {
    /// Its id.
    pub chain: String,
    /// Why.
    pub reason: String,
    /// What is missing; None where cores are not what is missing.
    pub short: Option<Short>,
    /// The cheapest relaxation, as an instruction.
    pub relax: Option<String>,
}

/// An accepted chain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChainResult {
    /// What it delivers, clamped to [0, ideal throughput of its bottleneck].
    pub mpps: f64,
    /// Position of its slowest NF.
    pub bottleneck: usize,
}

/// A placement and what it is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SolveResult {
    /// Who found it.
    pub algorithm: String,
    /// How good it is known to be.
    pub status: Status,
    /// Unclamped sum of the counted throughputs, Mpps.
    pub objective: f64,
    /// Sum of value x throughput - price x moves.
    pub score: f64,
    /// No placement with these accepted chains scores more.
    pub bound: Option<f64>,
    /// Why it is not proven best; None where it is, and for algorithms that prove nothing and were not ended early.
    pub unproven: Option<String>,
    /// Node of every NF of every accepted chain.
    pub assignment: Placement,
    /// The others, in the problem's order.
    pub rejected: Vec<RejectedChain>,
    /// NFs whose node differs from the initial placement.
    pub moves: u32,
    /// Accepted chains.
    pub chains: BTreeMap<String, ChainResult>,
    /// Placements evaluated.
    pub evaluations: u64,
    /// Wall time.
    pub seconds: f64,
}
