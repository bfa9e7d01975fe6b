//! What is asked of a fleet, as JSON has it. Throughputs are in Mpps. `reader` makes one from text, knows
//! what may be left out and refuses what is doubtful; `roster` turns names into indices.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::problem::{NfParameters, Objective};

/// Parameters by NF type, of one host model.
pub type HostModel = BTreeMap<String, NfParameters>;

/// What chains of one group must not share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// A host.
    Host,
    /// A NUMA node of a host.
    Node,
}

/// Chains of the same group are kept apart; two of them may share a host only where both have scope `Node`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AntiAffinity {
    /// Equal for chains that are kept apart.
    pub group: String,
    /// What they must not share.
    pub scope: Scope,
}

/// A NUMA node of a host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetNode {
    /// Unique on its host.
    pub id: String,
    /// Ordinary seats: those of the listed chains, those in use by others, free ones.
    pub cores: u32,
    /// Seats in use by others; cores - taken are for the chains.
    pub taken: u32,
    /// Foreign weight on this node.
    pub background: f64,
    /// Seats of last choice, beside `cores`: granted only for what the ordinary ones of the host cannot hold, and of
    /// the fleet's hosts those that need to grant none are chosen first.
    pub spare: u32,
}

/// A chain that runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunningChain {
    /// Unique in the fleet.
    pub id: String,
    /// NF types, in the order of the packets.
    pub nfs: Vec<String>,
    /// Weight in both aims; above 0.
    pub value: f64,
    /// What is offered; counts with objective `served` only.
    pub rate_mpps: Option<f64>,
    /// The node its packets arrive on.
    pub ingress: String,
    /// The node of every NF.
    pub placement: Vec<String>,
    /// True: it stays where it runs, whatever its host may do with the others.
    pub stays: bool,
    /// Whom it must not stand with. Running chains that stand together already may stay so.
    pub anti_affinity: Option<AntiAffinity>,
}

/// A host that may take chains; hosts that are down do not belong here.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetHost {
    /// Unique in the fleet.
    pub id: String,
    /// Name of its host model; None: nothing is predicted here.
    pub model: Option<String>,
    /// False where cores are shared: Octans' model does not hold, so nothing moves and gains are not compared with
    /// those on trusted hosts.
    pub trusted: bool,
    /// True: running chains may change nodes at the price.
    pub may_move: bool,
    /// At least one.
    pub nodes: Vec<FleetNode>,
    /// What runs here.
    pub chains: Vec<RunningChain>,
}

/// A chain that waits for a host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitingChain {
    /// Unique in the fleet.
    pub id: String,
    /// NF types, in the order of the packets.
    pub nfs: Vec<String>,
    /// Weight in both aims; above 0.
    pub value: f64,
    /// What is offered; counts with objective `served` only.
    pub rate_mpps: Option<f64>,
    /// Its key in `entries`.
    pub entry: String,
    /// Whom it must not stand with.
    pub anti_affinity: Option<AntiAffinity>,
}

/// Which chain goes to which host, and where does every NF run?
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct FleetRequest {
    /// By name.
    pub models: BTreeMap<String, HostModel>,
    /// Hosts that are up.
    pub hosts: Vec<FleetHost>,
    /// The ways in, shared by many chains: (host, the node packets arrive on there), a host at most once each.
    pub entries: BTreeMap<String, Vec<(String, String)>>,
    /// Chains to place.
    pub waiting: Vec<WaitingChain>,
    /// What a chain counts.
    pub objective: Objective,
    /// What one moved NF costs in the score.
    pub move_price_mpps: f64,
    /// Running chains of a host stay unless moving them gains that host more than this.
    pub margin_mpps: f64,
    /// Most moves in the fleet.
    pub max_moves: Option<u32>,
}
