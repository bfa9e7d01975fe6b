//! What is asked of a fleet, as JSON has it. Throughputs are in Mpps; unknown keys are refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_path_to_error::Segment;

use crate::error::{BadInput, WHOLE};
use crate::problem::{NfParameters, Objective};

/// Parameters by NF type, of one host model.
pub type HostModel = BTreeMap<String, NfParameters>;

/// A NUMA node of a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetNode {
    /// Unique on its host.
    pub id: String,
    /// Ordinary seats: those of the listed chains, those in use by others, free ones.
    pub cores: u32,
    /// Seats in use by others; cores - taken are for the chains.
    #[serde(default)]
    pub taken: u32,
    /// Foreign weight on this node.
    #[serde(default)]
    pub background: f64,
    /// Seats of last choice, beside `cores`: granted only for what the host's ordinary ones cannot hold.
    #[serde(default)]
    pub spare: u32,
}

/// A chain that runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunningChain {
    /// Unique in the fleet.
    pub id: String,
    /// NF types, in the order of the packets.
    pub nfs: Vec<String>,
    /// Weight in both aims.
    #[serde(default = "one")]
    pub value: f64,
    /// What is offered; counts with objective `served` only.
    #[serde(default)]
    pub rate_mpps: Option<f64>,
    /// The node its packets arrive on.
    pub ingress: String,
    /// The node of every NF.
    pub placement: Vec<String>,
}

/// A host that may take chains; hosts that are down do not belong here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetHost {
    /// Unique in the fleet.
    pub id: String,
    /// Name of its host model; None: nothing is predicted here.
    #[serde(default)]
    pub model: Option<String>,
    /// False where cores are shared: Octans' model does not hold, so nothing moves and gains are not compared with
    /// those on trusted hosts.
    #[serde(default = "yes")]
    pub trusted: bool,
    /// True: running chains may change nodes at the price.
    #[serde(default)]
    pub may_move: bool,
    /// At least one.
    pub nodes: Vec<FleetNode>,
    /// What runs here.
    #[serde(default)]
    pub chains: Vec<RunningChain>,
}

/// A chain that waits for a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitingChain {
    /// Unique in the fleet.
    pub id: String,
    /// NF types, in the order of the packets.
    pub nfs: Vec<String>,
    /// Weight in both aims.
    #[serde(default = "one")]
    pub value: f64,
    /// What is offered; counts with objective `served` only.
    #[serde(default)]
    pub rate_mpps: Option<f64>,
    /// Its key in `entries`.
    pub entry: String,
}

/// Which chain goes to which host, and where does every NF run?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetRequest {
    /// By name.
    pub models: BTreeMap<String, HostModel>,
    /// Hosts that are up.
    pub hosts: Vec<FleetHost>,
    /// The ways in, shared by many chains: (host, the node packets arrive on there), a host at most once each.
    #[serde(default)]
    pub entries: BTreeMap<String, Vec<(String, String)>>,
    /// Chains to place.
    #[serde(default)]
    pub waiting: Vec<WaitingChain>,
    /// What a chain counts.
    #[serde(default)]
    pub objective: Objective,
    /// What one moved NF costs in the score.
    #[serde(default)]
    pub move_price_mpps: f64,
    /// Running chains of a host stay unless moving them gains that host more than this.
    #[serde(default)]
    pub margin_mpps: f64,
    /// Most moves in the fleet.
    #[serde(default)]
    pub max_moves: Option<u32>,
}

impl FleetRequest {
    /// The request that `raw` holds; `check` judges it as a whole.
    pub fn read(raw: &[u8]) -> Result<Self, BadInput> {
        let mut json = serde_json::Deserializer::from_slice(raw);
        serde_path_to_error::deserialize(&mut json)
            .map_err(|error| BadInput::new(dotted(error.path()), error.inner().to_string()))
    }
}

fn dotted(path: &serde_path_to_error::Path) -> String {
    let parts = path.iter().filter_map(|segment| match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(key.clone()),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    let path = parts.collect::<Vec<_>>().join(".");
    if path.is_empty() { WHOLE.to_owned() } else { path }
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}
