//! The placement problem of one host as JSON has it. Throughputs are in Mpps. `reader` makes one from text, knows
//! what may be left out and refuses what is doubtful; `instance` turns names into indices.

use std::collections::BTreeMap;

use serde::Serialize;

/// Most NUMA nodes of a problem.
pub const MAX_NODES: usize = 1024;
/// Most chains of a problem.
pub const MAX_CHAINS: usize = 100_000;
/// Most NFs of a chain.
pub const MAX_NFS: usize = 256;
/// Longest id, in characters.
pub const MAX_ID: usize = 200;
/// Bound of every quantity, so that no sum or quotient leaves the finite numbers.
pub const LARGEST: f64 = 1e9;

/// Accepted chains and the node of each of their NFs; a rejected chain is absent.
pub type Placement = BTreeMap<String, Vec<String>>;

/// A NUMA node. Free cores = cores - taken; on a host with shared slots both count slots.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Node {
    /// Unique among the nodes.
    pub id: String,
    /// True where packets can arrive.
    pub local: bool,
    /// Cores, those in use by others included.
    pub cores: u32,
    /// Cores in use by others.
    pub taken: u32,
    /// Foreign weight on this node; it belongs to `M_k`, `R_k` and the sum over the server.
    pub background: f64,
}

/// drop = alpha x LLC competition + beta x memory competition + c (Octans, Eq. 9).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DropCoefficients {
    /// Per unit of competing level on the last-level cache; not negative.
    pub alpha: f64,
    /// Per unit of competing level on memory or interconnect; not negative.
    pub beta: f64,
    /// Lost in any case.
    pub c: f64,
}

/// A throughput without competitors, Mpps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LocalRemote {
    /// On the node the chain's packets arrive on.
    pub local: f64,
    /// On any other.
    pub remote: f64,
}

/// What the model needs of an NF type (Octans, Eq. 7 and 9).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NfParameters {
    /// Resource stalls per packet, scaled for the host model; weight = 1 / stalls.
    pub stalls: f64,
    /// Throughput without competitors.
    pub ideal: LocalRemote,
    /// Coefficients on the chain's local node.
    pub local: DropCoefficients,
    /// Coefficients on any other node.
    pub remote: DropCoefficients,
}

/// An ordered list of NFs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chain {
    /// Unique among the chains.
    pub id: String,
    /// NF types, in the order of the packets.
    pub nfs: Vec<String>,
    /// Weight in both aims; above 0.
    pub value: f64,
    /// What is offered; counts with objective `served` only.
    pub rate_mpps: Option<f64>,
    /// The node its packets arrive on; None: the first local node.
    pub ingress: Option<String>,
    /// Nodes that all of its NFs are confined to.
    pub pin: Option<Vec<String>>,
    /// The node of each NF that has no choice.
    pub nf_pins: Option<Vec<Option<String>>>,
}

/// What a chain counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// Its capacity.
    #[default]
    Capacity,
    /// min(rate, capacity), where it has a rate.
    Served,
}

/// Where shall every NF run?
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Problem {
    /// NUMA nodes of the host.
    pub nodes: Vec<Node>,
    /// Parameters by NF type.
    pub nf_types: BTreeMap<String, NfParameters>,
    /// Chains to place.
    pub chains: Vec<Chain>,
    /// What a chain counts.
    pub objective: Objective,
    /// The placement that runs now; chains named here only are gone.
    pub initial: Option<Placement>,
    /// What one moved NF costs in the score.
    pub move_price_mpps: f64,
    /// The initial placement stays unless it is beaten by more than this.
    pub margin_mpps: f64,
    /// Most moves.
    pub max_moves: Option<u32>,
}
