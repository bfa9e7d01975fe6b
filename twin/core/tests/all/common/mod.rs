//! Random machines and settings, sensible and absurd.

#![allow(missing_docs, reason = "for tests")]

use sextant_twin_core::actuation::Delays;
use sextant_twin_core::check::{check_machine, check_setting};
use sextant_twin_core::counters::Noise;
use sextant_twin_core::machine::{Curve, Framework, Handoff, LastLevelCache, Link, Machine, Memory, Nic, PrivateCache};
use sextant_twin_core::nf::{Nf, PacketAccess, Popularity, Stream, StreamKind};
use sextant_twin_core::setting::{Backpressure, Chain, Execution, Frame, Instance, Neighbour, Quota, Setting, Traffic};

/// Draws of proptest (0 to 1), used one after the other, round and round.
pub struct Dice<'a> {
    draws: &'a [f64],
    next: usize,
}

/// How many draws a host wants before it repeats itself.
pub const DRAWS: usize = 400;

impl<'a> Dice<'a> {
    pub fn new(draws: &'a [f64]) -> Self {
        Self { draws, next: 0 }
    }

    fn draw(&mut self) -> f64 {
        self.next += 1;
        self.draws[(self.next - 1) % self.draws.len()]
    }

    fn within(&mut self, least: f64, most: f64) -> f64 {
        least + self.draw() * (most - least)
    }

    /// Every order of magnitude alike.
    fn scale(&mut self, least: f64, most: f64) -> f64 {
        (least.ln() + self.draw() * (most / least).ln()).exp().clamp(least, most)
    }

    fn whole(&mut self, least: usize, most: usize) -> usize {
        (least + (self.draw() * (most - least + 1) as f64) as usize).min(most)
    }

    fn chance(&mut self, p: f64) -> bool {
        self.draw() < p
    }

    fn kind(&mut self) -> StreamKind {
        [StreamKind::Random, StreamKind::Periodic, StreamKind::Passing][self.whole(0, 2)]
    }
}

pub fn machine(dice: &mut Dice) -> Machine {
    let curve = |dice: &mut Dice| Curve {
        a: dice.within(0.0, 1.0),
        b_s: dice.scale(1e-10, 1e-7),
        p: dice.within(1.0, 20.0),
        eps: dice.scale(1e-3, 1.0),
    };
    let ways = dice.whole(1, 20) as u32;
    let (nodes, l2_s) = (dice.whole(1, 3), dice.within(2e-9, 8e-9));
    let machine = Machine {
        name: "Random".to_owned(),
        nodes,
        cores_per_node: dice.whole(1, 6),
        clock_hz: dice.scale(1e9, 4e9),
        l2: PrivateCache { bytes: dice.scale(4096.0, 4e6), latency_s: l2_s },
        llc: LastLevelCache {
            bytes: f64::from(ways) * dice.scale(5e4, 4e6),
            ways,
            latency_s: dice.within(10e-9, 40e-9),
            ddio_ways: dice.whole(0, ways as usize) as u32,
            inclusive: dice.whole(0, 1) == 1,
            cat: true,
            spread: dice.within(0.0, 3.0),
        },
        memory: Memory {
            bandwidth_bytes_s: dice.scale(1e7, 4e11),
            latency_s: dice.within(50e-9, 200e-9),
            curve: curve(dice),
        },
        link: Link {
            bandwidth_bytes_s: dice.scale(1e7, 1e11),
            latency_s: dice.within(20e-9, 200e-9),
            curve: curve(dice),
        },
        nics: (0..2)
            .map(|_| Nic {
                node: dice.whole(0, nodes - 1),
                bandwidth_bytes_s: dice.scale(1e8, 5e10),
                packets_s: dice.scale(1e6, 3e8),
            })
            .collect(),
        handoff: Handoff {
            local_s: dice.within(20e-9, 80e-9),
            remote_s: dice.within(80e-9, 300e-9),
            mlp: dice.within(1.0, 10.0),
            ring_lines: dice.within(0.0, 1.0),
            metadata_lines: dice.within(0.0, 3.0),
        },
        framework: Framework {
            rx_cycles: dice.within(0.0, 200.0),
            tx_cycles: dice.within(0.0, 200.0),
            ring_cycles: dice.within(0.0, 100.0),
            slice_s: dice.scale(1e-5, 1e-2),
            switch_s: dice.scale(1e-7, 1e-4),
        },
        mba: true,
        siblings: None,
        delays: Delays::default(),
        noise: Noise::default(),
    };
    check_machine(&machine).expect("a random machine is one that could be");
    machine
}

pub fn nf(dice: &mut Dice) -> Nf {
    let stream = |dice: &mut Dice, number: usize| Stream {
        name: format!("s{number}"),
        kind: dice.kind(),
        bytes: dice.scale(64.0, 1e9),
        bytes_per_flow: dice.within(0.0, 256.0),
        accesses: dice.scale(0.01, 300.0),
        accesses_per_byte: if dice.chance(0.3) { dice.scale(1e-3, 1.0) } else { 0.0 },
        write_share: dice.within(0.0, 1.0),
        mlp: dice.within(1.0, 10.0),
        popularity: if dice.chance(0.3) {
            let hot = dice.within(0.01, 0.99);
            let lines = dice.within(0.01, 0.99);
            let class = |lines_share, access_share| Popularity { lines_share, access_share };
            vec![class(lines, hot), class(1.0 - lines, 1.0 - hot)]
        } else {
            Vec::new()
        },
    };
    Nf {
        compute_cycles: if dice.chance(0.1) { 0.0 } else { dice.scale(1.0, 1e5) },
        cycles_per_byte: dice.within(0.0, 5.0),
        instructions: dice.within(0.0, 1e4),
        instructions_per_byte: 0.0,
        streams: (0..dice.whole(0, 3)).map(|number| stream(dice, number)).collect(),
        packet: PacketAccess {
            header_lines: dice.whole(0, 2) as f64,
            payload_read: dice.within(0.0, 1.0),
            payload_written: dice.within(0.0, 1.0),
            mlp: dice.within(1.0, 10.0),
        },
        pass: [0.0, dice.within(0.0, 1.0), 1.0, 1.0][dice.whole(0, 3)],
    }
}

fn mask(dice: &mut Dice, machine: &Machine) -> Option<u32> {
    let first = dice.whole(0, machine.llc.ways as usize - 1) as u32;
    let count = dice.whole(1, (machine.llc.ways - first) as usize) as u32;
    dice.chance(0.5).then_some((u32::MAX >> (32 - count)) << first)
}

pub fn instance(dice: &mut Dice, machine: &Machine, id: usize, nfs: usize) -> Instance {
    Instance {
        id: format!("i{id}"),
        nf: format!("n{}", dice.whole(0, nfs - 1)),
        core: dice.whole(0, machine.cores() - 1),
        memory_node: dice.chance(0.2).then(|| dice.whole(0, machine.nodes - 1)),
        ways: mask(dice, machine),
        mba: if dice.chance(0.3) { dice.within(0.0, 0.9) } else { 0.0 },
        weight: dice.scale(1.0, 10_000.0),
        quota: dice.chance(0.2).then(|| Quota { share: dice.scale(1e-3, 1.0), period_s: dice.scale(1e-3, 1.0) }),
        clock_hz: dice.chance(0.2).then(|| dice.scale(1e9, 4e9)),
        polling: dice.chance(0.7),
    }
}

fn chain(dice: &mut Dice, machine: &Machine, id: usize, stages: Vec<String>) -> Chain {
    let core = |dice: &mut Dice| dice.chance(0.3).then(|| dice.whole(0, machine.cores() - 1));
    Chain {
        id: format!("c{id}"),
        stages,
        execution: if dice.chance(0.5) { Execution::Isolated } else { Execution::RunToCompletion },
        traffic: Traffic {
            rate_pps: if dice.chance(0.1) { 0.0 } else { dice.scale(1.0, 1e9) },
            frames: vec![Frame { bytes: 64.0, share: 0.5 }, Frame { bytes: dice.within(64.0, 1518.0), share: 0.5 }],
            flows: dice.scale(1.0, 1e7),
        },
        nic: dice.whole(0, 1),
        pool_node: dice.chance(0.2).then(|| dice.whole(0, machine.nodes - 1)),
        rx_core: core(dice),
        tx_core: core(dice),
        ring_packets: dice.scale(1.0, 65_536.0) as u32,
        pool_packets: if dice.chance(0.3) { dice.scale(1.0, 1e5) as u32 } else { 0 },
        pool: None,
        rx_descriptors: dice.scale(1.0, 8192.0) as u32,
        tx_descriptors: dice.scale(1.0, 8192.0) as u32,
        burst: dice.whole(1, 64) as u32,
        backpressure: match dice.whole(0, 9) {
            0..=2 => Backpressure::Strict,
            3..=5 => Backpressure::Watermarks,
            _ => Backpressure::None,
        },
    }
}

pub fn setting(dice: &mut Dice, machine: &Machine) -> Setting {
    let nfs = dice.whole(1, 3);
    let mut setting = Setting::default();
    (0..nfs).for_each(|number| drop(setting.nfs.insert(format!("n{number}"), nf(dice))));
    for number in 0..dice.whole(0, 4) {
        let first = setting.instances.len();
        let count = dice.whole(1, 3);
        (first..first + count).for_each(|id| setting.instances.push(instance(dice, machine, id, nfs)));
        let stages = (first..first + count).map(|id| format!("i{id}")).collect();
        setting.chains.push(chain(dice, machine, number, stages));
    }
    if dice.chance(0.3) {
        for chain in &mut setting.chains {
            (chain.pool, chain.pool_packets, chain.pool_node) = (Some("all".to_owned()), 32_767, Some(0));
        }
    }
    if dice.chance(0.2) {
        let id = setting.instances.len();
        setting.instances.push(instance(dice, machine, id, nfs)); // in no chain
    }
    for number in 0..dice.whole(0, 2) {
        setting.neighbours.push(Neighbour {
            id: format!("hog{number}"),
            core: dice.whole(0, machine.cores() - 1),
            bytes: dice.scale(64.0, 1e9),
            kind: dice.kind(),
            mlp: dice.within(1.0, 20.0),
            write_share: dice.within(0.0, 1.0),
            accesses_s: dice.chance(0.3).then(|| dice.scale(1.0, 1e9)),
            memory_node: dice.chance(0.3).then(|| dice.whole(0, machine.nodes - 1)),
            ways: mask(dice, machine),
            mba: 0.0,
            weight: 100.0,
        });
    }
    check_setting(&setting, machine).expect("a random setting is one that could run");
    setting
}
