//! A machine as its data file describes it, in base units: seconds, hertz, bytes, bytes a second.
//!
//! All NUMA nodes of a machine are alike: cores, one last-level cache (LLC), one memory controller. Node n has the physical
//! cores n x `cores_per_node` up to, but without, (n + 1) x `cores_per_node`. Where each has two threads, core c is the first
//! of physical core c, and core c + all physical cores its sibling, as Linux counts them.

use serde::{Deserialize, Serialize};

use crate::actuation::Delays;
use crate::counters::Noise;

/// A line of any cache, bytes.
pub const LINE_BYTES: f64 = 64.0;

/// A host model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// As the CPU's maker calls it.
    pub name: String,
    /// NUMA nodes, 1 to 16.
    pub nodes: usize,
    /// Physical cores of a node, 1 to 256.
    pub cores_per_node: usize,
    /// A core's clock unless a setting names another.
    pub clock_hz: f64,
    /// The private cache of a core.
    pub l2: PrivateCache,
    /// The last-level cache of a node.
    pub llc: LastLevelCache,
    /// The memory of a node.
    pub memory: Memory,
    /// Between any two nodes; not used where there is one.
    pub link: Link,
    /// Network cards, by index.
    pub nics: Vec<Nic>,
    /// What it costs to read what another core wrote.
    pub handoff: Handoff,
    /// What moves packets between NFs.
    pub framework: Framework,
    /// True where memory bandwidth allocation (MBA) exists.
    pub mba: bool,
    /// How the two threads of a physical core share it; none: it has one.
    #[serde(default)]
    pub siblings: Option<Siblings>,
    /// What an order takes until it has effect.
    #[serde(default)]
    pub delays: Delays,
    /// How far its hardware counters are off.
    #[serde(default)]
    pub noise: Noise,
}

/// How two threads of a physical core share what it has (section 5).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Siblings {
    /// What both get done while neither waits for a cache or memory, of what one alone does; 1 to 2.
    pub gain: f64,
}

/// A core's own cache.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivateCache {
    /// Its size.
    pub bytes: f64,
    /// Load to use when it hits.
    pub latency_s: f64,
}

/// A last-level cache, way-partitioned where the part can.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastLevelCache {
    /// All ways together.
    pub bytes: f64,
    /// 1 to 32.
    pub ways: u32,
    /// Load to use when it hits.
    pub latency_s: f64,
    /// Ways that DMA may allocate into, the highest ones; 0: DMA goes to memory.
    pub ddio_ways: u32,
    /// True where a line that it evicts leaves the cores' own caches too (to Broadwell); else it takes what those evict.
    pub inclusive: bool,
    /// True where cache allocation (CAT) exists: settings may name masks.
    pub cat: bool,
    /// Unevenness of sets, d: variance of a set's load = d / mean lines a set. 1: lines at random pages; 0: even.
    pub spread: f64,
}

/// The memory of a node behind its controller.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// What it can carry: channels x transfer rate x efficiency.
    pub bandwidth_bytes_s: f64,
    /// Load to use from the own node when idle (L0).
    pub latency_s: f64,
    /// How the latency grows with load.
    pub curve: Curve,
}

/// L(rho) = L0 (1 + a rho) + b rho^p / (1 - rho + eps), rho capped at 1 (docs/twin-model.md, equation 4).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Linear growth, relative to L0; at least 0.
    pub a: f64,
    /// Size of the growth near saturation.
    pub b_s: f64,
    /// Its exponent; at least 1.
    pub p: f64,
    /// Keeps it finite; above 0.
    pub eps: f64,
}

/// The link between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// In each direction.
    pub bandwidth_bytes_s: f64,
    /// What it adds to an access when idle: remote idle latency - local idle latency.
    pub latency_s: f64,
    /// How that grows with load.
    pub curve: Curve,
}

/// A network card.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nic {
    /// The node it is attached to.
    pub node: usize,
    /// Line rate in each direction: a frame takes its bytes, FCS included, and 20 more (preamble, gap).
    pub bandwidth_bytes_s: f64,
    /// Most packets a second in each direction, whatever their size.
    pub packets_s: f64,
}

/// What it costs to read what another core wrote, idle (Molka et al., ICPP'15).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handoff {
    /// From another core's cache in the node.
    pub local_s: f64,
    /// From a core's cache in another node, where the line's home is.
    pub remote_s: f64,
    /// How many such reads are under way at once, by bursts and prefetching; at least 1.
    pub mlp: f64,
    /// Lines of a ring that a packet's pointer takes: 8 B / 64 B = .125, more for head and tail.
    pub ring_lines: f64,
    /// Lines of a packet's metadata that change hands.
    pub metadata_lines: f64,
}

/// What moves packets between NFs, and the operating system that shares cores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Framework {
    /// Cycles a packet for who takes it from the NIC.
    pub rx_cycles: f64,
    /// Cycles a packet for who gives it to the NIC.
    pub tx_cycles: f64,
    /// Cycles a packet of either side of a ring between processes.
    pub ring_cycles: f64,
    /// How long a process runs before another one of its core may.
    pub slice_s: f64,
    /// What it takes to switch to another process, caches apart.
    pub switch_s: f64,
}

impl Machine {
    /// All cores that a process can be pinned to: threads of physical cores.
    pub const fn cores(&self) -> usize {
        let physical = self.nodes * self.cores_per_node;
        if self.siblings.is_some() { 2 * physical } else { physical }
    }

    /// The physical core of a core.
    pub const fn physical_of(&self, core: usize) -> usize {
        core % (self.nodes * self.cores_per_node)
    }

    /// The other thread of the physical core of a core.
    pub const fn sibling_of(&self, core: usize) -> Option<usize> {
        if self.siblings.is_some() { Some((core + self.nodes * self.cores_per_node) % self.cores()) } else { None }
    }

    /// The node of a core.
    pub const fn node_of(&self, core: usize) -> usize {
        self.physical_of(core) / self.cores_per_node
    }

    /// Sets of the last-level cache: lines of one way.
    pub fn llc_sets(&self) -> f64 {
        self.llc.bytes / LINE_BYTES / f64::from(self.llc.ways)
    }

    /// All ways as a mask.
    pub const fn all_ways(&self) -> u32 {
        u32::MAX >> (32 - self.llc.ways)
    }

    /// The ways that DMA may allocate into: the highest ones.
    pub const fn ddio_mask(&self) -> u32 {
        let all = self.all_ways();
        if self.llc.ddio_ways == 0 { 0 } else { all & !(all >> self.llc.ddio_ways) }
    }
}
