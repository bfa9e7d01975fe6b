//! Times a fleet: `cargo run --release --example time_fleet [hosts] [chains] [nodes] [cores] [share of seats] [served|capacity]`.
//!
//! Three host models, one chain running on every host, chains of 3 to 5 NFs with mixed values and rates, four ways in.
//! A share of seats below 1 leaves so many seats for each NF that waits: at 0.9 about a tenth does not fit.

use std::collections::BTreeMap;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sextant_core::BadInput;
use sextant_core::fleet::request::{FleetHost, FleetNode, FleetRequest, RunningChain, WaitingChain};
use sextant_core::fleet::{FleetOptions, solve_fleet};
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::problem::Objective;

const TYPES: [&str; 4] = ["router", "firewall", "nids", "vpn"];

struct Shape {
    hosts: usize,
    chains: usize,
    nodes: usize,
    cores: u32,
    share: f64,
    objective: Objective,
}

fn fleet(shape: &Shape, seed: u64) -> Result<FleetRequest, BadInput> {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |most: u64| dice.next_u64() % most;
    let mut request = FleetRequest { objective: shape.objective, ..FleetRequest::default() };
    for model in 0..3 {
        let recipe =
            Recipe { chains: 1, nodes: 1, cores: shape.cores, length: 1, mode: Mode::A, seed: 3 * seed + model };
        request.models.insert(format!("model{model}"), generate(&recipe)?.nf_types);
    }
    let mut nfs_waiting = 0;
    for index in 0..shape.chains {
        let length = 3 + below(3);
        nfs_waiting += length;
        request.waiting.push(WaitingChain {
            id: format!("c{index:05}"),
            nfs: (0..length).map(|_| TYPES[below(4) as usize].to_owned()).collect(),
            value: [1.0, 2.0, 5.0][below(3) as usize],
            rate_mpps: Some(1.0 + below(50) as f64 / 10.0),
            entry: format!("e{}", below(4)),
            anti_affinity: None,
        });
    }
    let seats = (nfs_waiting as f64 * shape.share / shape.hosts as f64).ceil() as u64 + 2; // 2: what runs
    for index in 0..shape.hosts {
        let all = shape.nodes as u64 * u64::from(shape.cores);
        let taken = if shape.share < 1.0 { all.saturating_sub(seats - 1 + below(3)) } else { 0 };
        let each =
            |node: usize| (taken as usize * (node + 1) / shape.nodes - taken as usize * node / shape.nodes) as u32;
        let node = |node: usize| FleetNode {
            id: format!("n{node}"),
            cores: shape.cores,
            taken: each(node),
            background: 0.0,
            spare: 0,
        };
        request.hosts.push(FleetHost {
            id: format!("h{index:04}"),
            model: Some(format!("model{}", index % 3)),
            trusted: true,
            may_move: false,
            nodes: (0..shape.nodes).map(node).collect(),
            chains: vec![RunningChain {
                stays: false,
                anti_affinity: None,
                id: format!("r{index}"),
                nfs: vec![TYPES[index % 4].to_owned(), TYPES[index / 4 % 4].to_owned()],
                value: 1.0,
                rate_mpps: Some(3.0),
                ingress: "n0".to_owned(),
                placement: vec!["n0".to_owned(), "n0".to_owned()],
            }],
        });
    }
    let door = |index: usize, node: &str| (format!("h{index:04}"), node.to_owned());
    request.entries = BTreeMap::from([
        ("e0".to_owned(), (0..shape.hosts).map(|index| door(index, "n0")).collect()),
        ("e1".to_owned(), (0..shape.hosts).map(|index| door(index, "n1")).collect()),
        ("e2".to_owned(), (0..shape.hosts).step_by(2).map(|index| door(index, "n0")).collect()),
        ("e3".to_owned(), (0..shape.hosts).map(|index| door(index, ["n0", "n1"][index % 2])).collect()),
    ]);
    Ok(request)
}

/// Most memory this process has held, MiB, where the system reports it.
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}

fn main() -> Result<(), BadInput> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let figure = |index: usize, default: f64| given.get(index).and_then(|text| text.parse().ok()).unwrap_or(default);
    let shape = Shape {
        hosts: figure(0, 1000.0) as usize,
        chains: figure(1, 5000.0) as usize,
        nodes: figure(2, 2.0) as usize,
        cores: figure(3, 24.0) as u32,
        share: figure(4, 1.0),
        objective: if given.get(5).is_some_and(|text| text == "capacity") {
            Objective::Capacity
        } else {
            Objective::Served
        },
    };
    for seed in 0..3 {
        let request = fleet(&shape, seed)?;
        for without_exchange in [true, false] {
            let options = FleetOptions { threads: Some(2), without_exchange, ..FleetOptions::default() };
            let result = solve_fleet(&request, &options, None)?;
            let value =
                |id: &String| request.waiting.iter().find(|chain| chain.id == *id).map_or(0.0, |chain| chain.value);
            println!(
                "seed {seed} {:<9} placed {} rejected {} (value {:.0}) score {:.2} bound {:.2} exchanges {} hosts solved {} evaluations {} cpu {:.2} s wall {:.2} s peak {:.0} MiB",
                if without_exchange { "greedy" } else { "exchange" },
                result.placed.len(),
                result.rejected.len(),
                result.rejected.iter().map(value).fold(0.0, |sum, value| sum + value),
                result.score,
                result.bound,
                result.exchanges,
                result.hosts_solved,
                result.evaluations,
                result.cpu_seconds,
                result.seconds,
                peak_mib().unwrap_or(f64::NAN),
            );
        }
    }
    Ok(())
}
