//! Small fleets against enumeration: every chain on every host or on none, every host by brute force.
//!
//! What is exact: a host's final placement is optimal for its chains, and the summed value is never below that of the
//! first choice. What is not: the hosts chosen are a local optimum; how often it is the global one is counted.

use std::collections::{BTreeMap, HashMap};

use crate::tests::problems::fleets::place;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sextant_core::control::Limits;
use sextant_core::fleet::request::{FleetHost, FleetNode, FleetRequest, RunningChain, WaitingChain};
use sextant_core::fleet::{FleetOptions, FleetResult, read_fleet, solve_fleet};
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::laws::octans::Algorithm;
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::problem::{Chain, Node, Objective, Problem};
use sextant_core::rank::close;

const TYPES: [&str; 4] = ["router", "firewall", "nids", "vpn"];

/// Hosts of two nodes of one or two cores, every second one with a chain that runs; chains of one to three NFs.
fn random(seed: u64, hosts: usize, chains: usize) -> FleetRequest {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |most: u64| dice.next_u64() % most;
    let mut request = FleetRequest::default();
    if below(2) == 0 {
        request.objective = Objective::Served;
    }
    for model in 0..2 {
        let recipe = Recipe { chains: 1, nodes: 1, cores: 4, length: 1, mode: Mode::A, seed: 2 * seed + model };
        request.models.insert(format!("m{model}"), generate(&recipe).unwrap().nf_types);
    }
    for index in 0..hosts {
        let node = |id: usize, cores: u64| FleetNode {
            id: format!("n{id}"),
            cores: cores as u32,
            taken: 0,
            background: 0.0,
            spare: 0,
        };
        let runs = RunningChain {
            id: format!("r{index}"),
            nfs: vec![TYPES[below(4) as usize].to_owned()],
            value: 1.0,
            rate_mpps: Some(3.0),
            ingress: "n0".to_owned(),
            placement: vec![["n0", "n1"][below(2) as usize].to_owned()],
            stays: false,
            anti_affinity: None,
        };
        request.hosts.push(FleetHost {
            id: format!("h{index}"),
            model: Some(format!("m{}", below(2))),
            trusted: true,
            may_move: false,
            nodes: vec![node(0, 1 + below(3)), node(1, 1 + below(2))],
            chains: if index % 2 == 1 { vec![runs] } else { vec![] },
        });
    }
    let door = |index: usize, node: &str| (format!("h{index}"), node.to_owned());
    request.entries.insert("e0".to_owned(), (0..hosts).map(|index| door(index, "n0")).collect());
    request.entries.insert("e1".to_owned(), (1..hosts).map(|index| door(index, "n1")).collect());
    for index in 0..chains {
        request.waiting.push(WaitingChain {
            id: format!("c{index}"),
            nfs: (0..=below(3)).map(|_| TYPES[below(4) as usize].to_owned()).collect(),
            value: 1.0 + below(3) as f64,
            rate_mpps: Some(1.0 + below(60) as f64 / 10.0),
            entry: format!("e{}", below(3) / 2),
            anti_affinity: None,
        });
    }
    request
}

/// (value of all on the host, score) of a host with these newcomers, by brute force; None if some cannot be there.
fn by_brute(request: &FleetRequest, host: &FleetHost, newcomers: &[usize]) -> Option<f64> {
    let mut problem = Problem { objective: request.objective, ..Problem::default() };
    problem.nf_types = request.models[host.model.as_ref().unwrap()].clone();
    problem.nodes = host
        .nodes
        .iter()
        .map(|node| Node { id: node.id.clone(), local: true, cores: node.cores, taken: 0, background: 0.0 })
        .collect();
    for chain in &host.chains {
        problem.chains.push(Chain {
            id: chain.id.clone(),
            nfs: chain.nfs.clone(),
            value: chain.value,
            rate_mpps: chain.rate_mpps,
            ingress: Some(chain.ingress.clone()),
            pin: None,
            nf_pins: Some(chain.placement.iter().cloned().map(Some).collect()),
        });
    }
    for &index in newcomers {
        let chain = &request.waiting[index];
        let (_, ingress) = request.entries[&chain.entry].iter().find(|(id, _)| *id == host.id)?;
        problem.chains.push(Chain {
            id: chain.id.clone(),
            nfs: chain.nfs.clone(),
            value: chain.value,
            rate_mpps: chain.rate_mpps,
            ingress: Some(ingress.clone()),
            pin: None,
            nf_pins: None,
        });
    }
    let result = solve(&problem, Algorithm::Brute, &Options::default(), None).unwrap();
    (result.chains.len() == problem.chains.len()).then_some(result.score)
}

/// Value and gain (score above that of the hosts as they are) of the best choice of hosts.
fn optimum(request: &FleetRequest) -> (f64, f64) {
    let (hosts, chains) = (request.hosts.len(), request.waiting.len());
    let mut gains: Vec<HashMap<Vec<usize>, Option<f64>>> = vec![HashMap::new(); hosts];
    let mut best = (0.0, 0.0);
    for code in 0..(hosts + 1).pow(chains as u32) {
        let choice: Vec<usize> = (0..chains).map(|chain| code / (hosts + 1).pow(chain as u32) % (hosts + 1)).collect();
        let value: f64 = (0..chains).filter(|&c| choice[c] < hosts).map(|c| request.waiting[c].value).sum();
        let gain: Option<f64> = (0..hosts)
            .map(|host| {
                let here: Vec<usize> = (0..chains).filter(|&chain| choice[chain] == host).collect();
                *gains[host].entry(here).or_insert_with_key(|here| {
                    let place = &request.hosts[host];
                    Some(by_brute(request, place, here)? - by_brute(request, place, &[])?)
                })
            })
            .sum();
        if let Some(gain) = gain.filter(|&gain| value > best.0 || (close(value, best.0) && gain > best.1)) {
            best = (value, gain);
        }
    }
    best
}

/// Value and gain of a result; checks that every host is optimal for its chains.
fn judged(request: &FleetRequest, result: &FleetResult) -> (f64, f64) {
    let mut gain = 0.0;
    let mut value = 0.0;
    for (id, found) in &result.hosts {
        let host = request.hosts.iter().find(|host| host.id == *id).unwrap();
        let here: Vec<usize> = (0..request.waiting.len())
            .filter(|&chain| result.placed.get(&request.waiting[chain].id) == Some(id))
            .collect();
        let best = by_brute(request, host, &here).expect("the chains fit");
        assert!((found.result.score - best).abs() < 1e-9, "{} is not {best}", found.result.score);
        assert_eq!(found.result.assignment.len(), here.len() + host.chains.len());
        gain += best - by_brute(request, host, &[]).unwrap();
        value += here.iter().map(|&chain| request.waiting[chain].value).sum::<f64>();
    }
    let score: f64 = result.hosts.values().map(|found| found.result.score).sum();
    assert!((result.score - score).abs() < 1e-9 && result.bound >= result.score - 1e-9);
    assert_eq!(result.placed.len() + result.rejected.len(), request.waiting.len());
    (value, gain)
}

/// Of 150 fleets of three hosts and five chains, how many reach the optimum's value, and then its score.
#[test]
fn small_fleets_against_enumeration() {
    let (mut valuable, mut optimal, mut worst) = (0, 0, 0.0f64);
    for seed in 0..150 {
        let request = random(seed, 3, 5);
        let greedy = FleetOptions { without_exchange: true, ..FleetOptions::default() };
        let first = judged(&request, &solve_fleet(&request, &greedy, None).unwrap());
        let found = judged(&request, &place(&request));
        let best = optimum(&request);
        assert!(found.0 >= first.0, "seed {seed}: the exchange lost value");
        assert!(
            found.0 < best.0 || (close(found.0, best.0) && found.1 <= best.1 + 1e-9),
            "seed {seed}: above the optimum"
        );
        if close(found.0, best.0) {
            valuable += 1;
            let gap = (best.1 - found.1) / best.1.max(1.0);
            worst = worst.max(gap);
            optimal += usize::from(gap < 1e-9);
        }
    }
    // Found: 137, 106, and a worst gap of 21.3 % where one chain of value 3 stands for two of 1 and 2.
    assert!(valuable >= 135 && optimal >= 100 && worst < 0.25, "{valuable} {optimal} {worst}");
}

/// The result as JSON, without times.
fn timeless(result: &FleetResult) -> serde_json::Value {
    let mut json = serde_json::to_value(result).unwrap();
    json["seconds"].take();
    json["cpu_seconds"].take();
    for host in json["hosts"].as_object_mut().unwrap().values_mut() {
        host["result"]["seconds"].take();
    }
    json
}

/// One thread or two, without a limit and with limits that end every stage early: the same result. Everything that
/// fits is placed in any case.
#[test]
fn the_number_of_threads_does_not_matter() {
    for (seed, evaluations) in [(1, None), (2, Some(0)), (3, Some(40)), (4, Some(400)), (5, Some(4000))] {
        let request = random(seed, 12, 14);
        let solve = |threads| {
            let limits = Limits { time: None, evaluations };
            let options = FleetOptions { threads: Some(threads), limits, ..FleetOptions::default() };
            solve_fleet(&request, &options, None).unwrap()
        };
        let (one, two) = (solve(1), solve(2));
        assert_eq!(timeless(&one), timeless(&two));
        assert!(!one.placed.is_empty() && !one.stopped);
    }
}

/// A request is valid, and comes back from its JSON form to the last bit.
#[test]
fn requests_come_back_from_json() {
    for seed in 0..20 {
        let request = random(seed, 4, 6);
        assert_eq!(read_fleet(&serde_json::to_vec(&request).unwrap()), Ok(request));
    }
}

/// The order of the request's lists does not matter.
#[test]
fn the_order_of_the_request_does_not_matter() {
    for seed in 0..10 {
        let request = random(seed, 4, 6);
        let mut shuffled = request.clone();
        shuffled.hosts.reverse();
        shuffled.waiting.rotate_left(2);
        shuffled.entries.values_mut().for_each(|doors| doors.reverse());
        let (one, mut two) = (place(&request), place(&shuffled));
        two.rejected.sort();
        assert_eq!((one.placed, one.score.to_bits()), (two.placed, two.score.to_bits()));
        let nodes = |result: BTreeMap<String, sextant_core::fleet::HostResult>| {
            result.into_iter().map(|(id, host)| (id, host.result.assignment)).collect::<Vec<_>>()
        };
        assert_eq!(nodes(one.hosts), nodes(two.hosts));
    }
}
