//! An NF as its data file describes it: what it does for a packet, and the memory it does it in. Base units: cycles, bytes.

use serde::{Deserialize, Serialize};

/// What an NF does for a packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nf {
    /// Cycles a packet with everything in the core's own caches.
    pub compute_cycles: f64,
    /// Further cycles for each byte of the frame.
    pub cycles_per_byte: f64,
    /// Instructions a packet; they are counted and cost nothing.
    pub instructions: f64,
    /// Further instructions for each byte of the frame.
    pub instructions_per_byte: f64,
    /// Its state: tables, rules, counters.
    pub streams: Vec<Stream>,
    /// What it does with the packet's own lines.
    pub packet: PacketAccess,
    /// Share of the packets that it passes on; the rest is filtered. 0 to 1.
    pub pass: f64,
}

/// A region of memory and how it is gone over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// Unique in the NF.
    pub name: String,
    /// In which order.
    pub kind: StreamKind,
    /// Size without flows.
    pub bytes: f64,
    /// Further size for each flow of the traffic.
    pub bytes_per_flow: f64,
    /// Cache lines touched for a packet of 64 B.
    pub accesses: f64,
    /// Further lines touched for each byte beyond.
    pub accesses_per_byte: f64,
    /// Share of the accesses that write; 0 to 1.
    pub write_share: f64,
    /// How many of its misses are under way at once; at least 1. A chain of dependent loads: 1.
    pub mlp: f64,
    /// Classes of unequal popularity; empty: all lines alike. The shares of each kind sum to 1.
    pub popularity: Vec<Popularity>,
}

/// In which order a region is gone over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamKind {
    /// Independent accesses to equal lines.
    Random,
    /// One line after the other, round and round.
    Periodic,
    /// Never the same line again: a copy, a scan larger than any cache.
    Passing,
}

/// A class of lines of a stream that are accessed alike.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Popularity {
    /// Of the stream's lines; above 0 to 1.
    pub lines_share: f64,
    /// Of the stream's accesses; 0 to 1.
    pub access_share: f64,
}

/// What an NF does with a packet's own lines. A frame of n bytes has n / 64 lines, rounded up; `header_lines` of them are
/// read always, of the others (the payload) a share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacketAccess {
    /// Lines of headers it reads; 0 where it forwards blindly.
    pub header_lines: f64,
    /// Share of the payload that it reads; 0 to 1.
    pub payload_read: f64,
    /// Share of the payload that it writes; 0 to 1.
    pub payload_written: f64,
    /// How many reads of the payload are under way at once; at least 1.
    pub mlp: f64,
}
