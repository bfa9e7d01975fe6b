//! Anti-affinity in a fleet: worked examples, and small fleets against enumeration.

use std::collections::{BTreeMap, BTreeSet};

use crate::tests::problems::fleets::{chain, fleet, fleet_json, host, place, running};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Value, json};
use sextant_core::control::Limits;
use sextant_core::fleet::request::{AntiAffinity, FleetRequest, Scope};
use sextant_core::fleet::{FleetOptions, FleetResult, read_fleet, solve_fleet};
use sextant_core::result::Status;

/// A chain of a group.
fn of(mut chain: Value, group: &str, scope: &str) -> Value {
    chain["anti_affinity"] = json!({"group": group, "scope": scope});
    chain
}

/// A host that a chain goes to only where no other takes it: nothing is predicted there.
fn unpredicted(id: &str, cores: u32) -> Value {
    let mut one = host(id, &[cores]);
    one["model"] = Value::Null;
    one
}

/// `placed` with the nodes: chain -> (host, nodes).
fn seats(found: &FleetResult) -> BTreeMap<String, (String, BTreeSet<String>)> {
    let of_host = |(host, one): (&String, &sextant_core::fleet::HostResult)| {
        let named = |(chain, nodes): (&String, &Vec<String>)| {
            (chain.clone(), (host.clone(), nodes.iter().cloned().collect::<BTreeSet<_>>()))
        };
        one.result.assignment.iter().map(named).collect::<Vec<_>>()
    };
    found.hosts.iter().flat_map(of_host).collect()
}

/// Three replicas, two hosts with room for all three on each: two are placed, apart; the third has no host.
#[test]
fn replicas_stand_on_different_hosts_and_the_last_on_none() {
    let three: Vec<Value> = ["a", "b", "c"].map(|id| of(chain(id, 2), "web", "host")).into();
    let found = place(&fleet(&[host("h1", &[8, 8]), host("h2", &[8, 8])], &three));
    assert_eq!(found.placed.len(), 2);
    assert_ne!(found.placed["a"], found.placed["b"]);
    assert_eq!(found.rejected, ["c"]);
}

/// `r` runs on h1, which every chain prefers: its replica goes to h2, and a chain of another group to h1.
#[test]
fn a_chain_that_runs_keeps_its_host_from_the_others_of_its_group() {
    let mut taken = host("h1", &[8, 8]);
    taken["chains"] = json!([of(running("r", &["n0"]), "web", "host")]);
    let waiting = [of(chain("w", 2), "web", "host"), of(chain("other", 8), "db", "host")];
    let found = place(&fleet(&[taken, unpredicted("h2", 2)], &waiting));
    assert_eq!(found.placed, BTreeMap::from([("w".into(), "h2".into()), ("other".into(), "h1".into())]));
}

/// Two replicas of three NFs that may share the host and no node of it: each has a node of its own, although the
/// search would rather spread them, and what it proves is only of these nodes.
#[test]
fn replicas_by_node_share_a_host_and_no_node() {
    let two = ["a", "b"].map(|id| of(chain(id, 3), "web", "node"));
    let found = place(&fleet(&[host("h1", &[4, 4])], &two));
    let seats = seats(&found);
    assert_eq!((seats["a"].1.len(), seats["b"].1.len()), (1, 1));
    assert!(seats["a"].1.is_disjoint(&seats["b"].1));
    assert_eq!(found.status, Status::Feasible);
    assert!(found.bound >= found.score);
}

/// One says `host`, the other `node`: the stricter scope holds, so one host is not enough.
#[test]
fn of_two_scopes_the_stricter_holds() {
    let two = [of(chain("a", 1), "web", "host"), of(chain("b", 1), "web", "node")];
    assert_eq!(place(&fleet(&[host("h1", &[4, 4])], &two)).rejected, ["b"]);
}

/// `few` may only go to h1, where the more valuable `many` went first: `many` makes room by going to h2.
#[test]
fn a_replica_makes_room_for_one_that_has_no_other_host() {
    let (mut many, few) = (of(chain("many", 1), "web", "host"), of(chain("few", 1), "web", "host"));
    many["value"] = json!(5);
    let mut asked = fleet_json(&[host("h1", &[8]), unpredicted("h2", 1)], &[many, few]);
    asked["entries"]["only"] = json!([["h1", "n0"]]);
    asked["waiting"][1]["entry"] = json!("only");
    let found = place(&read_fleet(asked.to_string().as_bytes()).unwrap());
    assert_eq!(found.placed, BTreeMap::from([("many".into(), "h2".into()), ("few".into(), "h1".into())]));
}

/// Two chains of a group that run together stay so: nobody who waits is to suffer from it.
#[test]
fn what_runs_together_already_is_left_so() {
    let mut both = host("h1", &[8]);
    both["chains"] = json!([of(running("r1", &["n0"]), "web", "host"), of(running("r2", &["n0"]), "web", "host")]);
    let found = place(&fleet(&[both], &[chain("w", 1)]));
    assert_eq!(found.placed.len(), 1);
}

/// Time is over before the first evaluation: chains are seated all the same, and apart.
#[test]
fn chains_seated_in_a_hurry_are_apart_too() {
    let four = ["a", "b", "c", "d"].map(|id| of(chain(id, 2), "web", if id < "c" { "node" } else { "host" }));
    let request = fleet(&[host("h1", &[4, 4]), host("h2", &[4]), host("h3", &[4])], &four);
    let limits = Limits { evaluations: Some(0), ..Limits::default() };
    let found = solve_fleet(&request, &FleetOptions { limits, ..FleetOptions::default() }, None).unwrap();
    assert!(found.hurried);
    assert_eq!(broken(&request, &found), Vec::<String>::new());
}

#[test]
fn a_scope_that_is_none_is_refused() {
    let asked = fleet_json(&[host("h1", &[1])], &[of(chain("a", 1), "web", "rack")]);
    let refused = read_fleet(asked.to_string().as_bytes()).unwrap_err();
    assert_eq!(refused.to_string(), "waiting.0.anti_affinity.scope: is neither 'host' nor 'node'");
}

/// The rule as it stands in the glossary, over all pairs: what shares a host or node that it must not, but for two that
/// ran there.
fn broken(request: &FleetRequest, found: &FleetResult) -> Vec<String> {
    let mut groups: BTreeMap<&str, (&AntiAffinity, bool)> = BTreeMap::new();
    for chain in &request.waiting {
        groups.extend(chain.anti_affinity.as_ref().map(|group| (chain.id.as_str(), (group, false))));
    }
    for chain in request.hosts.iter().flat_map(|host| &host.chains) {
        groups.extend(chain.anti_affinity.as_ref().map(|group| (chain.id.as_str(), (group, true))));
    }
    let seats = seats(found);
    let mut wrong = Vec::new();
    for (one, (host, nodes)) in &seats {
        for (other, (there, theirs)) in seats.range(one.clone()..).skip(1) {
            let (Some(a), Some(b)) = (groups.get(one.as_str()), groups.get(other.as_str())) else { continue };
            if a.0.group != b.0.group || host != there || (a.1 && b.1) {
                continue;
            }
            if [a.0.scope, b.0.scope] != [Scope::Node, Scope::Node] || !nodes.is_disjoint(theirs) {
                wrong.push(format!("{one} with {other} on {host}"));
            }
        }
    }
    wrong
}

/// A small fleet: hosts by (cores of each node, whether a chain of group g0 runs there), chains by (length, value,
/// group, scope).
type Small = (Vec<((u32, u32), bool)>, Vec<(usize, u32, usize, bool)>);

fn small() -> impl Strategy<Value = Small> {
    let hosts = prop::collection::vec(((1..4u32, 0..4u32), any::<bool>()), 1..=3);
    let chains = prop::collection::vec((1..=3usize, 1..=3u32, 0..3usize, any::<bool>()), 1..=5);
    (hosts, chains)
}

/// Group 2 is none.
fn request((hosts, chains): &Small, by_node: bool) -> FleetRequest {
    let scope = |node: bool| if node && by_node { "node" } else { "host" };
    let hosts: Vec<Value> = hosts
        .iter()
        .enumerate()
        .map(|(index, ((first, second), runs))| {
            let mut one = host(&format!("h{index}"), &[*first, *second]);
            if *runs {
                one["chains"] = json!([of(running(&format!("r{index}"), &["n0"]), "g0", scope(true))]);
            }
            one
        })
        .collect();
    let chains: Vec<Value> = chains
        .iter()
        .enumerate()
        .map(|(index, (length, value, group, node))| {
            let mut one = chain(&format!("c{index}"), *length);
            one["value"] = json!(value);
            if *group < 2 { of(one, &format!("g{group}"), scope(*node)) } else { one }
        })
        .collect();
    fleet(&hosts, &chains)
}

/// The greatest value of waiting chains that can be placed at all: every chain on every host or none, with every split
/// between its two nodes.
fn most_value(request: &FleetRequest) -> f64 {
    let free: Vec<[u32; 2]> = request
        .hosts
        .iter()
        .map(|host| [host.nodes[0].cores - host.chains.len() as u32, host.nodes[1].cores])
        .collect();
    let mut held: Vec<(usize, Vec<bool>, Option<AntiAffinity>)> = Vec::new();
    for (index, host) in request.hosts.iter().enumerate() {
        held.extend(host.chains.iter().map(|chain| (index, vec![true, false], chain.anti_affinity.clone())));
    }
    try_next(request, 0, &mut free.clone(), &mut held)
}

fn try_next(
    request: &FleetRequest,
    next: usize,
    free: &mut Vec<[u32; 2]>,
    held: &mut Vec<(usize, Vec<bool>, Option<AntiAffinity>)>,
) -> f64 {
    let Some(chain) = request.waiting.get(next) else { return 0.0 };
    let mut best = try_next(request, next + 1, free, held);
    let length = chain.nfs.len() as u32;
    for host in 0..free.len() {
        for first in 0..=length {
            let on = [first, length - first];
            let uses: Vec<bool> = on.iter().map(|&count| count > 0).collect();
            let bad = held.iter().any(|(there, theirs, group)| match (&chain.anti_affinity, group) {
                (Some(a), Some(b)) if *there == host && a.group == b.group => {
                    [a.scope, b.scope] != [Scope::Node, Scope::Node] || (0..2).any(|node| uses[node] && theirs[node])
                }
                _ => false,
            });
            if bad || (0..2).any(|node| on[node] > free[host][node]) {
                continue;
            }
            (0..2).for_each(|node| free[host][node] -= on[node]);
            held.push((host, uses, chain.anti_affinity.clone()));
            best = best.max(chain.value + try_next(request, next + 1, free, held));
            held.pop();
            (0..2).for_each(|node| free[host][node] += on[node]);
        }
    }
    best
}

fn value(request: &FleetRequest, found: &FleetResult) -> f64 {
    request.waiting.iter().filter(|chain| found.placed.contains_key(&chain.id)).map(|chain| chain.value).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// No chain stands where it must not, whatever the scopes; none is placed that enumeration knows no place for; and
    /// one chain alone is placed wherever there is a place.
    #[test]
    fn groups_are_kept_apart(fleet in small()) {
        let request = request(&fleet, true);
        let found = place(&request);
        prop_assert_eq!(broken(&request, &found), Vec::<String>::new());
        let (value, most) = (value(&request, &found), most_value(&request));
        prop_assert!(value <= most, "{value} of {most}");
        prop_assert!(request.waiting.len() > 1 || value == most, "{value} of {most}");
    }
}

/// How often the search places as much value as enumeration, of 400 fleets: it is a local search.
#[test]
fn most_small_fleets_get_all_the_value_there_is() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut counted = [0, 0];
    for (by_node, count) in [false, true].into_iter().zip(&mut counted) {
        for _ in 0..200 {
            let request = request(&small().new_tree(&mut runner).unwrap().current(), by_node);
            *count += usize::from(value(&request, &place(&request)) >= most_value(&request));
        }
    }
    assert!(counted[0] >= 190 && counted[1] >= 180, "{counted:?}");
}
