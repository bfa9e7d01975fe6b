//! What a host is ordered to run, and what comes in: everything that may change while it runs. Base units; names are
//! resolved by `check`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::nf::{Nf, StreamKind};

/// Of Ethernet, with its check sequence, bytes.
pub const SMALLEST_FRAME: f64 = 64.0;

/// All that runs on a host.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// NFs by name.
    pub nfs: BTreeMap<String, Nf>,
    /// Running NFs.
    pub instances: Vec<Instance>,
    /// The order in which packets pass them.
    pub chains: Vec<Chain>,
    /// What else uses the host.
    #[serde(default)]
    pub neighbours: Vec<Neighbour>,
}

/// A running NF.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Unique in the setting.
    pub id: String,
    /// A name of `nfs`.
    pub nf: String,
    /// The core it is pinned to.
    pub core: usize,
    /// The node that holds its state; none: that of its core.
    #[serde(default)]
    pub memory_node: Option<usize>,
    /// LLC ways it may fill, a contiguous mask (way 0 is bit 0); none: all. Needs CAT.
    #[serde(default)]
    pub ways: Option<u32>,
    /// MBA throttle: 0 (none) to .9. Needs MBA.
    #[serde(default)]
    pub mba: f64,
    /// CPU weight against whatever else wants its core.
    #[serde(default = "usual_weight")]
    pub weight: f64,
    /// The most of its core it may use.
    #[serde(default)]
    pub quota: Option<Quota>,
    /// The clock of its core; none: the machine's.
    #[serde(default)]
    pub clock_hz: Option<f64>,
    /// True: it keeps its core while no packet comes; false: it sleeps then.
    #[serde(default = "yes")]
    pub polling: bool,
}

/// A CPU quota.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quota {
    /// Of a core; above 0 to 1.
    pub share: f64,
    /// The time in which the share is used up before its user stands still.
    pub period_s: f64,
}

/// NFs that packets pass one after the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// Unique in the setting.
    pub id: String,
    /// Ids of instances, at least one; each in one chain, once.
    pub stages: Vec<String>,
    /// How its stages become processes.
    pub execution: Execution,
    /// What is offered to it.
    pub traffic: Traffic,
    /// Index of the NIC that its packets come from and go to.
    pub nic: usize,
    /// The node of packet buffers and rings; none: the NIC's.
    #[serde(default)]
    pub pool_node: Option<usize>,
    /// Core of the thread that takes packets from the NIC; none: the first stage does. Chains may share it.
    #[serde(default)]
    pub rx_core: Option<usize>,
    /// Core of the thread that gives packets to the NIC; none: the last stage does. Chains may share it.
    #[serde(default)]
    pub tx_core: Option<usize>,
    /// Room of each ring between processes, packets.
    pub ring_packets: u32,
    /// Packet buffers of a pool that one thread takes from and another gives back to: DMA goes round in all of them.
    /// 0: who takes them gives them back, and those freed last are taken first.
    #[serde(default)]
    pub pool_packets: u32,
    /// Name of that pool: chains that name the same one share it, as those of one manager do, and agree on its size and
    /// node. None: it is this chain's alone.
    #[serde(default)]
    pub pool: Option<String>,
    /// RX descriptors of its queue.
    pub rx_descriptors: u32,
    /// TX descriptors of its queue; as many sent buffers are held where TX is behind.
    pub tx_descriptors: u32,
    /// Packets taken at once.
    pub burst: u32,
    /// Where packets are dropped that a later stage has no room for.
    #[serde(default)]
    pub backpressure: Backpressure,
}

/// Where packets are dropped that a later stage has no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backpressure {
    /// At the ring that is full, after the stages before it have worked on them.
    #[default]
    None,
    /// Before the first stage, as long as a ring is filled above its watermarks (`watermarks`); at a ring that is full all
    /// the same.
    Watermarks,
    /// Before the first stage: none takes more than all rings behind it have room for.
    Strict,
}

/// How stages become processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Execution {
    /// Each its own, with rings between them.
    Isolated,
    /// Neighbours on one core are one process; where all are, the chain has no ring.
    RunToCompletion,
}

/// What is offered to a chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Packets a second; 0: none.
    pub rate_pps: f64,
    /// Sizes and how often; the shares sum to 1.
    pub frames: Vec<Frame>,
    /// Flows at a time.
    pub flows: f64,
}

/// A size of frames.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// FCS included: 64 to 9216.
    pub bytes: f64,
    /// Of the packets; above 0 to 1.
    pub share: f64,
}

/// A program that is no NF and uses a core as fast as caches and memory let it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Neighbour {
    /// Unique in the setting, instances included.
    pub id: String,
    /// The core it is pinned to.
    pub core: usize,
    /// The memory it goes over; for `passing` of no account.
    pub bytes: f64,
    /// In which order.
    pub kind: StreamKind,
    /// How many accesses are under way at once; at least 1.
    pub mlp: f64,
    /// Share of them that write; 0 to 1.
    pub write_share: f64,
    /// Most accesses a second; none: as many as it can.
    #[serde(default)]
    pub accesses_s: Option<f64>,
    /// The node of its memory; none: that of its core.
    #[serde(default)]
    pub memory_node: Option<usize>,
    /// As of an instance.
    #[serde(default)]
    pub ways: Option<u32>,
    /// As of an instance.
    #[serde(default)]
    pub mba: f64,
    /// As of an instance.
    #[serde(default = "usual_weight")]
    pub weight: f64,
}

impl Traffic {
    /// Mean bytes of a frame.
    pub fn bytes(&self) -> f64 {
        self.frames.iter().map(|frame| frame.share * frame.bytes).sum()
    }

    /// Mean lines of a frame.
    pub fn lines(&self) -> f64 {
        self.frames.iter().map(|frame| frame.share * (frame.bytes / crate::machine::LINE_BYTES).ceil()).sum()
    }
}

const fn usual_weight() -> f64 {
    100.0
}

const fn yes() -> bool {
    true
}
