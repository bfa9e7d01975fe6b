//! What a host does in steady state. Rates are a second, sizes bytes, times seconds; lists are in the setting's order.

use serde::{Deserialize, Serialize};

/// The steady state of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// By chain.
    pub chains: Vec<ChainOutcome>,
    /// By instance.
    pub instances: Vec<InstanceOutcome>,
    /// By neighbour.
    pub neighbours: Vec<NeighbourOutcome>,
    /// By NUMA node.
    pub nodes: Vec<NodeOutcome>,
    /// By pair of nodes, each direction its own; without those between a node and itself.
    pub links: Vec<LinkOutcome>,
    /// Rounds of the fixed point.
    pub rounds: u32,
    /// Largest relative change of the last round; above `steady::TOLERANCE` it had not settled.
    pub residual: f64,
}

/// A chain. offered = delivered + dropped + filtered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainOutcome {
    /// The setting's.
    pub id: String,
    /// Packets a second that come in, as the setting says.
    pub offered_pps: f64,
    /// That leave the last stage.
    pub delivered_pps: f64,
    /// That come to its descriptors, or are dropped there by watermarks: what line, NIC and memory let in.
    pub arriving_pps: f64,
    /// That were lost: at the NIC, before the first stage, at full rings.
    pub dropped_pps: f64,
    /// That NFs did not pass on.
    pub filtered_pps: f64,
    /// Of what is dropped: at the NIC or its descriptors, before any stage or thread.
    pub dropped_at_nic_pps: f64,
    /// Offered packets a second that it could take at most, with all else as it is.
    pub capacity_pps: f64,
    /// Lines of packet buffers that DMA goes round in.
    pub dma_lines: f64,
    /// Share of the lines written by DMA that were in the LLC.
    pub ddio_hit: f64,
    /// Share of the packets' lines that are still in the LLC when first read.
    pub first_read_hit: f64,
    /// From the NIC to the NIC.
    pub latency: Latency,
    /// Seconds a packet of the thread that takes packets from the NIC; 0: none.
    pub rx_service_s: f64,
    /// Seconds a packet of the thread that gives packets to the NIC; 0: none.
    pub tx_service_s: f64,
    /// Packets a second that the first process or thread could take, and the last, with their shares of their cores.
    pub ends_pps: (f64, f64),
}

/// How long packets take.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Latency {
    /// The mean.
    pub mean_s: f64,
    /// Half of them take at most this.
    pub p50_s: f64,
    /// 95 % of them.
    pub p95_s: f64,
    /// 99 % of them.
    pub p99_s: f64,
}

/// A running NF.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct InstanceOutcome {
    /// The setting's.
    pub id: String,
    /// Packets a second that come to its ring.
    pub arriving_pps: f64,
    /// That it takes.
    pub taken_pps: f64,
    /// That find its ring full.
    pub dropped_pps: f64,
    /// Of those taken: that it does not pass on.
    pub filtered_pps: f64,
    /// That it could take with its share of the core, all else as it is.
    pub capacity_pps: f64,
    /// The part of its core that it gets if it wants it, after switching.
    pub core_share: f64,
    /// Mean packets in its ring, 0 where it has none.
    pub ring_packets: f64,
    /// Seconds of its core a packet.
    pub service_s: f64,
    /// Cycles a packet.
    pub cycles: f64,
    /// Of these, waiting for caches, memory or other cores.
    pub stalled_cycles: f64,
    /// Instructions a packet.
    pub instructions: f64,
    /// Lines asked of the LLC a packet.
    pub llc_references: f64,
    /// Of these, not there.
    pub llc_misses: f64,
    /// Bytes a second to and from the memory of its own node.
    pub local_bytes_s: f64,
    /// And of other nodes.
    pub remote_bytes_s: f64,
    /// Bytes of the LLC of its node that its state holds, by way from way 0 on, as far as any.
    pub occupancy_bytes: Vec<f64>,
}

impl InstanceOutcome {
    /// Bytes of the LLC that its state holds in all ways.
    pub fn occupancy(&self) -> f64 {
        self.occupancy_bytes.iter().sum()
    }
}

/// A neighbour.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NeighbourOutcome {
    /// The setting's.
    pub id: String,
    /// Accesses a second.
    pub accesses_s: f64,
    /// Share of those that pass the core's own cache and hit the LLC.
    pub llc_hit: f64,
    /// Bytes of the LLC of its node that it holds.
    pub occupancy_bytes: f64,
    /// Bytes a second to and from memory.
    pub bytes_s: f64,
    /// Where it runs.
    pub core: usize,
    /// The part of that core's time that it uses.
    pub core_used: f64,
}

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NodeOutcome {
    /// Bytes a second to and from its memory, whoever asks.
    pub memory_bytes_s: f64,
    /// Of these, by DMA: lines written back for it, and packets read again.
    pub dma_bytes_s: f64,
    /// Its bandwidth in use, 0 to 1.
    pub memory_load: f64,
    /// Load to use from a core of the node.
    pub memory_latency_s: f64,
}

/// A direction between two nodes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LinkOutcome {
    /// The node that data come from.
    pub from: usize,
    /// The node they go to.
    pub to: usize,
    /// How much.
    pub bytes_s: f64,
    /// Its bandwidth in use, 0 to 1.
    pub load: f64,
    /// What it adds to an access.
    pub latency_s: f64,
}
