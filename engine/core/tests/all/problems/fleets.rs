//! Small fleets.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sextant_core::fleet::request::FleetRequest;
use sextant_core::fleet::{FleetOptions, FleetResult, read_fleet, solve_fleet};

/// An empty host of model m with so many cores on each node n0, n1, ...
pub fn host(id: &str, cores: &[u32]) -> Value {
    let node = |(index, cores): (usize, &u32)| json!({"id": format!("n{index}"), "cores": cores});
    json!({"id": id, "model": "m", "nodes": cores.iter().enumerate().map(node).collect::<Vec<_>>()})
}

/// A chain of firewalls that runs on these nodes, with ingress n0.
pub fn running(id: &str, nodes: &[&str]) -> Value {
    json!({"id": id, "nfs": vec!["fw"; nodes.len()], "ingress": "n0", "placement": nodes})
}

/// A chain of so many firewalls that waits at entry e.
pub fn chain(id: &str, length: usize) -> Value {
    json!({"id": id, "nfs": vec!["fw"; length], "entry": "e"})
}

/// A fleet whose entry e leads to node n0 of every host.
pub fn fleet(hosts: &[Value], waiting: &[Value]) -> FleetRequest {
    read_fleet(fleet_json(hosts, waiting).to_string().as_bytes()).expect("a request")
}

/// The same as JSON.
pub fn fleet_json(hosts: &[Value], waiting: &[Value]) -> Value {
    let doors: Vec<Value> = hosts.iter().map(|host| json!([host["id"], "n0"])).collect();
    let entries = BTreeMap::from([("e", doors)]);
    json!({
        "models": {"m": {"fw": {"stalls": 10, "ideal": {"local": 10, "remote": 8},
            "local": {"alpha": 0.3, "beta": 0.1, "c": 0.02}, "remote": {"alpha": 0.2, "beta": 0.2, "c": 0.02}}}},
        "hosts": hosts, "entries": entries, "waiting": waiting,
    })
}

/// Solved without limits.
pub fn place(request: &FleetRequest) -> FleetResult {
    solve_fleet(request, &FleetOptions::default(), None).unwrap()
}
