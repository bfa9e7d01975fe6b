//! What a host says of itself: counters and gauges as a real one has them, for JSON. Nothing else of the twin's state
//! leaves it (docs/twin-model.md, section 8). Counters are cumulative since a chain was added; times are the host's.

use std::collections::HashMap;

use serde::Serialize;

use crate::error::{BadInput, WHOLE};
use crate::faults::ActiveFault;
use crate::life::{Life, State};
use crate::line::{Line, Server};
use crate::setting::{Chain, Instance, Quota};
use crate::step::Host;

/// A host at one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Nanoseconds since it was made; less than a tick before its clock.
    pub taken_ns: u64,
    /// Rises when the host is switched on again: all counters begin anew.
    pub epoch: u32,
    /// False while the host is off.
    pub up: bool,
    /// In the order of the setting.
    pub chains: Vec<ChainReport>,
    /// In the order of the setting.
    pub instances: Vec<NfReport>,
    /// By NUMA node.
    pub nodes: Vec<NodeReport>,
    /// By pair of nodes.
    pub links: Vec<LinkReport>,
    /// CPU time of programs that are no NF, by core.
    pub other_cpu_ns: Vec<u64>,
    /// What has struck and is not over.
    pub faults: Vec<ActiveFault>,
}

/// A chain. offered = `source_drops` + delivered + its NFs' drops and filtered packets + waiting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChainReport {
    /// Of the setting.
    pub id: String,
    /// Another whenever the chain is set up anew.
    pub life: u64,
    /// False until all its NFs have started for the first time.
    pub open: bool,
    /// True while its NFs are frozen.
    pub paused: bool,
    /// Packets that came to the NIC.
    pub offered: u64,
    /// Packets that passed the NIC.
    pub sent: u64,
    /// Packets that left by the NIC.
    pub delivered: u64,
    /// Their bytes.
    pub delivered_bytes: u64,
    /// Packets lost at the NIC or its descriptors.
    pub source_drops: u64,
    /// Packets in its rings.
    pub waiting: u64,
    /// Latencies from NIC to NIC: (bucket, count) where there are any; buckets as in `histogram`.
    pub latency: Vec<(u32, u64)>,
}

/// A running NF.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NfReport {
    /// Of the setting.
    pub id: String,
    /// Name of its NF.
    pub nf: String,
    /// Of its process.
    pub state: State,
    /// True while it stands still because its state is being copied.
    pub moving: bool,
    /// Times its process was started.
    pub starts: u32,
    /// Where it runs now.
    pub core: usize,
    /// CPU weight that holds now.
    pub weight: f64,
    /// CPU quota that holds now.
    pub quota: Option<Quota>,
    /// LLC ways that it may fill now; none: all.
    pub ways: Option<u32>,
    /// MBA throttle that holds now: 0 (none) to .9.
    pub mba: f64,
    /// Packets taken.
    pub rx: u64,
    /// Packets handed on.
    pub tx: u64,
    /// Packets lost for want of room.
    pub drops: u64,
    /// Packets not handed on by its rules.
    pub filtered: u64,
    /// CPU time.
    pub cpu_ns: u64,
    /// Of its core's time, what went into packets.
    pub busy_ns: u64,
    /// The part of its core that its process gets now if it wants it, 0 to 1; 0 while it takes no packets.
    pub core_share: f64,
    /// Time in which its quota held it still.
    pub throttled_ns: u64,
    /// Cycles for packets.
    pub cycles: u64,
    /// Of these, waiting.
    pub stalled_cycles: u64,
    /// Instructions for packets.
    pub instructions: u64,
    /// Lines asked of the LLC.
    pub llc_references: u64,
    /// Of these, not there.
    pub llc_misses: u64,
    /// Bytes to and from the memory of its node.
    pub local_bytes: u64,
    /// And of other nodes.
    pub remote_bytes: u64,
    /// Bytes of the LLC of its node that its state holds, way by way.
    pub llc_occupancy_bytes: Vec<u64>,
    /// Packets in the ring before its process.
    pub ring_used: u64,
    /// Places in that.
    pub ring_size: u64,
    /// The most that waited there in this second or the last.
    pub ring_peak: u64,
}

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeReport {
    /// Bytes to and from its memory, cumulative.
    pub memory_bytes: u64,
    /// Its bandwidth in use now, 0 to 1.
    pub memory_load: f64,
}

/// A direction between two nodes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkReport {
    /// The node that data come from.
    pub from: usize,
    /// The node they go to.
    pub to: usize,
    /// How much, cumulative.
    pub bytes: u64,
    /// Its bandwidth in use now, 0 to 1.
    pub load: f64,
}

impl Report {
    /// As JSON text.
    pub fn json(&self) -> Result<String, BadInput> {
        serde_json::to_string(self).map_err(|error| BadInput::new(WHOLE, format!("has no report: {error}")))
    }
}

impl Host {
    /// The host now.
    pub fn report(&self) -> Report {
        let setting = &self.present.setting;
        let chains = setting.chains.iter().zip(&self.lines);
        let mut rings: HashMap<usize, &Server> = HashMap::new();
        for server in self.lines.iter().flat_map(|line| &line.servers) {
            rings.extend(server.members.iter().map(|&member| (member, server)));
        }
        let instances = setting.instances.iter().zip(&self.lives).enumerate();
        Report {
            taken_ns: self.at_ns,
            epoch: self.epoch,
            up: self.off_until_ns.is_none(),
            chains: chains.map(|(chain, line)| line.report(chain, self.present.paused.contains(&chain.id))).collect(),
            instances: instances
                .map(|(index, (instance, life))| {
                    let at = self.settled.outcome.instances.get(index).filter(|at| at.id == instance.id);
                    let occupancy = life.occupancy_by_way(at, self.machine.llc.ways);
                    let core_share = at.filter(|_| life.works(self.at_ns)).map_or(0.0, |at| at.core_share);
                    life.report(instance, rings.get(&index).copied(), self.at_ns, &occupancy, core_share)
                })
                .collect(),
            nodes: self.node_reports(),
            links: self.link_reports(),
            other_cpu_ns: self.nodes.other_cpu_s.iter().map(|cpu_s| (cpu_s * 1e9) as u64).collect(),
            faults: self.faults.clone(),
        }
    }

    fn node_reports(&self) -> Vec<NodeReport> {
        let load = |node: usize| self.settled.outcome.nodes.get(node).map_or(0.0, |node| node.memory_load);
        let report = |(node, &bytes): (usize, &f64)| NodeReport {
            memory_bytes: bytes as u64,
            memory_load: self.read(load(node)),
        };
        self.nodes.memory_bytes.iter().enumerate().map(report).collect()
    }

    fn link_reports(&self) -> Vec<LinkReport> {
        let nodes = self.machine.nodes;
        let pairs = (0..nodes).flat_map(|from| (0..nodes).filter(move |&to| to != from).map(move |to| (from, to)));
        let load = |place: usize| self.settled.outcome.links.get(place).map_or(0.0, |link| link.load);
        let report = |(place, ((from, to), &bytes)): (usize, ((usize, usize), &f64))| LinkReport {
            from,
            to,
            bytes: bytes as u64,
            load: self.read(load(place)),
        };
        pairs.zip(&self.nodes.link_bytes).enumerate().map(report).collect()
    }

    /// A load as it is read: with this second's error; nothing while the host is off.
    fn read(&self, load: f64) -> f64 {
        if self.off_until_ns.is_some() { 0.0 } else { (load * self.nodes.error).clamp(0.0, 1.0) }
    }
}

impl Line {
    fn report(&self, chain: &Chain, paused: bool) -> ChainReport {
        let counts = self.latency.counts();
        let latency = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        ChainReport {
            id: chain.id.clone(),
            life: self.life,
            open: self.open,
            paused,
            offered: self.counters.offered,
            sent: self.counters.offered - self.counters.source_drops,
            delivered: self.counters.delivered,
            delivered_bytes: self.counters.delivered_bytes,
            source_drops: self.counters.source_drops,
            waiting: self.waiting(),
            latency: latency.map(|(bucket, count)| (bucket as u32, *count)).collect(),
        }
    }
}

impl Life {
    fn report(
        &self,
        instance: &Instance,
        ring: Option<&Server>,
        ns: u64,
        occupancy: &[f64],
        core_share: f64,
    ) -> NfReport {
        let counters = &self.counters;
        NfReport {
            id: instance.id.clone(),
            nf: instance.nf.clone(),
            state: self.state,
            moving: self.held_until_ns > ns,
            starts: self.starts,
            core: instance.core,
            weight: instance.weight,
            quota: instance.quota,
            ways: instance.ways,
            mba: instance.mba,
            rx: counters.rx,
            tx: counters.tx,
            drops: counters.drops,
            filtered: counters.filtered,
            cpu_ns: (counters.cpu_s * 1e9) as u64,
            busy_ns: (counters.busy_s * 1e9) as u64,
            core_share,
            throttled_ns: (counters.throttled_s * 1e9) as u64,
            cycles: counters.cycles as u64,
            stalled_cycles: counters.stalled_cycles as u64,
            instructions: counters.instructions as u64,
            llc_references: counters.llc_references as u64,
            llc_misses: counters.llc_misses as u64,
            local_bytes: counters.local_bytes as u64,
            remote_bytes: counters.remote_bytes as u64,
            llc_occupancy_bytes: occupancy.iter().map(|bytes| (bytes * self.errors.occupancy) as u64).collect(),
            ring_used: ring.map_or(0, |ring| ring.waiting),
            ring_size: ring.map_or(0, |ring| ring.room),
            ring_peak: ring.map_or(0, |ring| ring.peaks.0.max(ring.peaks.1).min(ring.room)),
        }
    }
}
