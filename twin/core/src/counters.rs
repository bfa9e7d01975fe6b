//! What a real host would count, and how far its hardware counters are off (docs/twin-model.md, section 8). Packets are
//! counted by software: exactly.

use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::error::BadInput;
use crate::outcome::{InstanceOutcome, Outcome};
use crate::setting::Instance;

/// How far hardware counters are off: standard deviations relative to the figure, drawn anew each second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Noise {
    /// Of every counter.
    pub relative: f64,
    /// Further, of those that take turns on too few registers: LLC references and misses, stalled cycles.
    pub multiplexing: f64,
}

impl Default for Noise {
    fn default() -> Self {
        Self { relative: 0.01, multiplexing: 0.01 }
    }
}

impl Noise {
    /// Refuses what is no share, or so large that counters would often stand still.
    pub fn check(&self) -> Result<(), BadInput> {
        let all = [("relative", self.relative), ("multiplexing", self.multiplexing)];
        match all.into_iter().find(|(_, spread)| !(0.0..=0.25).contains(spread)) {
            Some((field, spread)) => Err(BadInput::new(field, format!("{spread} is not within 0 and 0.25"))),
            None => Ok(()),
        }
    }

    /// Of counters that take turns: both errors together.
    fn multiplexed(&self) -> f64 {
        self.relative.hypot(self.multiplexing)
    }
}

/// What one NF is off by in one second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    cycles: f64,
    instructions: f64,
    stalled: f64,
    references: f64,
    misses: f64,
    memory: f64,
    /// Of the occupancy that is read in this second.
    pub occupancy: f64,
}

impl Errors {
    /// The second's draws.
    pub fn draw(noise: &Noise, dice: &mut Dice) -> Self {
        Self {
            cycles: dice.factor(noise.relative),
            instructions: dice.factor(noise.relative),
            stalled: dice.factor(noise.multiplexed()),
            references: dice.factor(noise.multiplexed()),
            misses: dice.factor(noise.multiplexed()),
            memory: dice.factor(noise.relative),
            occupancy: dice.factor(noise.relative),
        }
    }
}

/// Cumulative counters of an NF since its chain was added. Those of hardware are sums of noisy shares, so they only rise.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NfCounters {
    /// Packets taken.
    pub rx: u64,
    /// Packets handed on.
    pub tx: u64,
    /// Packets lost before it because its ring was full, or behind it because they could not be sent.
    pub drops: u64,
    /// Packets taken and, by its rules, not handed on.
    pub filtered: u64,
    /// CPU time.
    pub cpu_s: f64,
    /// Of its core's time, what went into packets: all of the CPU time of one that sleeps, a part of that of one that polls.
    pub busy_s: f64,
    /// Time in which its quota held it still.
    pub throttled_s: f64,
    /// Cycles for packets.
    pub cycles: f64,
    /// Of these, waiting.
    pub stalled_cycles: f64,
    /// Instructions for packets.
    pub instructions: f64,
    /// Lines asked of the LLC.
    pub llc_references: f64,
    /// Of these, not there.
    pub llc_misses: f64,
    /// Bytes to and from the memory of its own node.
    pub local_bytes: f64,
    /// And of other nodes.
    pub remote_bytes: f64,
}

impl NfCounters {
    /// Count the hardware's share of `taken` packets; `warmth` is the share of its steady occupancy that the NF had.
    pub fn count(&mut self, taken: u64, at: &InstanceOutcome, warmth: f64, errors: &Errors) {
        let packets = taken as f64;
        let misses = misses(at, warmth);
        let extra = stall_cycles(at, warmth) - at.stalled_cycles;
        self.cycles += packets * (at.cycles + extra) * errors.cycles;
        self.stalled_cycles += packets * (at.stalled_cycles + extra) * errors.stalled;
        self.instructions += packets * at.instructions * errors.instructions;
        self.llc_references += packets * at.llc_references * errors.references;
        self.llc_misses += packets * misses * errors.misses;
        // Memory traffic a packet, and what colder caches add to it; by where the steady traffic goes.
        let bytes_s = at.local_bytes_s + at.remote_bytes_s;
        if at.taken_pps > 0.0 && bytes_s > 0.0 {
            let colder = if at.llc_misses > 0.0 { misses / at.llc_misses } else { 1.0 };
            let scale = packets / at.taken_pps * colder * errors.memory;
            self.local_bytes += at.local_bytes_s * scale;
            self.remote_bytes += at.remote_bytes_s * scale;
        }
    }

    /// Count the time that packets took of an interval, with caches as warm as they were.
    pub fn count_busy(&mut self, seconds: f64, taken: u64, at: &InstanceOutcome, speed: f64) {
        self.busy_s += (seconds * at.core_share).min(taken as f64 * at.service_s / speed);
    }

    /// Count CPU time of an interval: who polls uses its share of the core whatever comes, another what packets take.
    pub fn count_cpu(&mut self, seconds: f64, taken: u64, at: &InstanceOutcome, instance: &Instance) {
        let most = seconds * at.core_share;
        let used = if instance.polling { most } else { most.min(taken as f64 * at.service_s) };
        self.cpu_s += used;
        if let Some(quota) = instance.quota.filter(|quota| used >= 0.9 * quota.share * seconds) {
            self.throttled_s += seconds * (1.0 - quota.share);
        }
    }
}

/// Cumulative counters of memory controllers, links and cores since the host was switched on.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeCounters {
    /// Bytes to and from each node's memory.
    pub memory_bytes: Vec<f64>,
    /// Bytes over the link, by direction as `Outcome::links` are.
    pub link_bytes: Vec<f64>,
    /// CPU time of programs that are no NF, by core; of the kernel's books, so exact.
    pub other_cpu_s: Vec<f64>,
    /// What the bytes are off by in this second.
    pub error: f64,
}

impl NodeCounters {
    /// Of as many nodes and cores.
    pub fn new(nodes: usize, cores: usize) -> Self {
        Self {
            memory_bytes: vec![0.0; nodes],
            link_bytes: vec![0.0; nodes * (nodes - 1)],
            other_cpu_s: vec![0.0; cores],
            error: 1.0,
        }
    }

    /// The draw of another second.
    pub fn begin_second(&mut self, noise: &Noise, dice: &mut Dice) {
        self.error = dice.factor(noise.relative);
    }

    /// Count a copy from one node's memory to another's; links lie by where they come from, then by where they go to.
    pub fn copy(&mut self, from: usize, to: usize, bytes: f64) {
        let others = self.memory_bytes.len() - 1;
        self.link_bytes[from * others + if to > from { to - 1 } else { to }] += bytes;
        self.memory_bytes[from] += bytes;
        self.memory_bytes[to] += bytes;
    }

    /// Count an interval of a steady state.
    pub fn count(&mut self, seconds: f64, outcome: &Outcome) {
        let factor = seconds * self.error;
        for (bytes, node) in self.memory_bytes.iter_mut().zip(&outcome.nodes) {
            *bytes += node.memory_bytes_s * factor;
        }
        for (bytes, link) in self.link_bytes.iter_mut().zip(&outcome.links) {
            *bytes += link.bytes_s * factor;
        }
        for neighbour in &outcome.neighbours {
            self.other_cpu_s[neighbour.core] += neighbour.core_used * seconds;
        }
    }
}

/// LLC misses a packet of an NF that holds a share of its steady occupancy: its hits shrink with it.
pub fn misses(at: &InstanceOutcome, warmth: f64) -> f64 {
    warmth.mul_add(at.llc_misses - at.llc_references, at.llc_references)
}

/// Stalled cycles a packet likewise. Steady, k (hits x LLC + misses x memory latency) cycles with the NF's own overlap in k; memory is taken
/// as `MEMORY_OVER_LLC` times as far as the LLC, so that k follows from the steady outcome alone.
pub fn stall_cycles(at: &InstanceOutcome, warmth: f64) -> f64 {
    let weight = |misses: f64| (at.llc_references - misses) + MEMORY_OVER_LLC * misses;
    let steady = weight(at.llc_misses);
    if steady > 0.0 { at.stalled_cycles * weight(misses(at, warmth)) / steady } else { at.stalled_cycles }
}

/// Idle local memory latency over LLC latency: 81 / 20 ns on the machines of FD.io CSIT.
const MEMORY_OVER_LLC: f64 = 4.0;
