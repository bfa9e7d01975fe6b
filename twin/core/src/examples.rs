//! A machine and settings to try things on, for tests and examples; round figures, no real part.

use std::collections::BTreeMap;

use crate::actuation::Delays;
use crate::counters::Noise;
use crate::machine::{Curve, Framework, Handoff, LINE_BYTES, LastLevelCache, Link, Machine, Memory, Nic, PrivateCache};
use crate::nf::{Nf, PacketAccess, Stream, StreamKind};
use crate::setting::{Backpressure, Chain, Execution, Frame, Instance, Neighbour, Setting, Traffic};

/// Two nodes of 12 cores at 2 GHz, 20 MiB of LLC in 20 ways, a NIC of 100 Gbit/s on node 0.
pub fn machine() -> Machine {
    let curve = Curve { a: 0.2, b_s: 5e-9, p: 4.0, eps: 0.05 };
    Machine {
        name: "Example".to_owned(),
        nodes: 2,
        cores_per_node: 12,
        clock_hz: 2e9,
        l2: PrivateCache { bytes: 256.0 * 1024.0, latency_s: 6e-9 },
        llc: LastLevelCache {
            bytes: 20.0 * 1024.0 * 1024.0,
            ways: 20,
            latency_s: 20e-9,
            ddio_ways: 2,
            inclusive: false,
            cat: true,
            spread: 1.0,
        },
        memory: Memory { bandwidth_bytes_s: 60e9, latency_s: 80e-9, curve },
        link: Link { bandwidth_bytes_s: 25e9, latency_s: 50e-9, curve },
        nics: vec![Nic { node: 0, bandwidth_bytes_s: 12.5e9, packets_s: 150e6 }],
        handoff: Handoff { local_s: 50e-9, remote_s: 100e-9, mlp: 4.0, ring_lines: 0.25, metadata_lines: 1.0 },
        framework: Framework { rx_cycles: 40.0, tx_cycles: 40.0, ring_cycles: 20.0, slice_s: 1e-3, switch_s: 3e-6 },
        mba: true,
        siblings: None,
        delays: Delays::default(),
        noise: Noise::default(),
    }
}

/// 200 cycles a packet and `lines` lines of state, of which it touches `accesses` at random, two at a time.
pub fn nf(lines: f64, accesses: f64) -> Nf {
    let state = Stream {
        name: "state".to_owned(),
        kind: StreamKind::Random,
        bytes: lines * LINE_BYTES,
        bytes_per_flow: 0.0,
        accesses,
        accesses_per_byte: 0.0,
        write_share: 0.2,
        mlp: 2.0,
        popularity: Vec::new(),
    };
    Nf {
        compute_cycles: 200.0,
        cycles_per_byte: 0.0,
        instructions: 300.0,
        instructions_per_byte: 0.0,
        streams: vec![state],
        packet: PacketAccess { header_lines: 1.0, payload_read: 0.0, payload_written: 0.0, mlp: 8.0 },
        pass: 1.0,
    }
}

/// An NF `nf` on a core, with defaults for everything else.
pub fn instance(id: &str, nf: &str, core: usize) -> Instance {
    Instance {
        id: id.to_owned(),
        nf: nf.to_owned(),
        core,
        memory_node: None,
        ways: None,
        mba: 0.0,
        weight: 100.0,
        quota: None,
        clock_hz: None,
        polling: true,
    }
}

/// A chain of `stages`, isolated, that is offered `rate_pps` frames of 64 B.
pub fn chain(id: &str, stages: &[&str], rate_pps: f64) -> Chain {
    Chain {
        id: id.to_owned(),
        stages: stages.iter().map(|&stage| stage.to_owned()).collect(),
        execution: Execution::Isolated,
        traffic: Traffic { rate_pps, frames: vec![Frame { bytes: 64.0, share: 1.0 }], flows: 1000.0 },
        nic: 0,
        pool_node: None,
        rx_core: None,
        tx_core: None,
        ring_packets: 1024,
        pool_packets: 0,
        pool: None,
        rx_descriptors: 512,
        tx_descriptors: 512,
        burst: 32,
        backpressure: Backpressure::None,
    }
}

/// A core that goes over memory as fast as it gets it.
pub fn memory_hog(id: &str, core: usize) -> Neighbour {
    Neighbour {
        id: id.to_owned(),
        core,
        bytes: 0.0,
        kind: StreamKind::Passing,
        mlp: 10.0,
        write_share: 0.5,
        accesses_s: None,
        memory_node: None,
        ways: None,
        mba: 0.0,
        weight: 100.0,
    }
}

/// One NF `a` of 10 000 lines and 4 accesses a packet on core 0, in chain `c` that is offered `rate_pps`.
pub fn alone(rate_pps: f64) -> Setting {
    Setting {
        nfs: BTreeMap::from([("nf".to_owned(), nf(10_000.0, 4.0))]),
        instances: vec![instance("a", "nf", 0)],
        chains: vec![chain("c", &["a"], rate_pps)],
        neighbours: Vec::new(),
    }
}

/// Eight chains of three NFs on 24 cores of both nodes, each offered 5 Mpps.
pub fn full() -> Setting {
    let mut setting =
        Setting { nfs: BTreeMap::new(), instances: Vec::new(), chains: Vec::new(), neighbours: Vec::new() };
    for (name, lines, accesses) in [("small", 2_000.0, 2.0), ("medium", 40_000.0, 4.0), ("large", 200_000.0, 8.0)] {
        setting.nfs.insert(name.to_owned(), nf(lines, accesses));
    }
    for number in 0..8 {
        let ids = ["small", "medium", "large"].map(|name| format!("{name}-{number}"));
        for (place, id) in ids.iter().enumerate() {
            let name = id.split('-').next().unwrap_or_default();
            setting.instances.push(instance(id, name, number * 3 + place));
        }
        let stages: Vec<&str> = ids.iter().map(String::as_str).collect();
        setting.chains.push(chain(&format!("chain-{number}"), &stages, 5e6));
    }
    setting
}
