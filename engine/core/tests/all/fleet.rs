//! Fleets by worked arithmetic, and against enumeration.
//!
//! The NF type of most tests: weight 1 / 10; local 10 Mpps (1 - (.3 llc + .1 mem + .02)), remote 8 Mpps (1 - (.2 llc +
//! .2 mem + .02)). Alone and local it delivers 10 x .98 = 9.8, at the head of a remote run 8 x (1 - .2 - .02) = 6.24.

use crate::tests::problems::fleets::{chain, fleet, fleet_json, host, place, running};
use serde_json::{Value, json};
use sextant_core::fleet::request::FleetRequest;
use sextant_core::fleet::{FleetOptions, FleetProgress, Stage, read_fleet, solve_fleet};
use sextant_core::result::Status;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// On b it is alone: 9.8. On a it stands beside another: llc = mem = .1, so both deliver 10 x (1 - .03 - .01 - .02) =
/// 9.4 and the other loses .4: it gains 9.0 there. So b, and only b's score counts, because a is untouched.
#[test]
fn a_chain_goes_where_it_gains_most() {
    let mut a = host("a", &[2, 2]);
    a["chains"] = json!([running("r", &["n0"])]);
    let both = fleet(&[a.clone(), host("b", &[2, 2])], &[chain("c", 1)]);
    let result = place(&both);
    assert_eq!(result.placed["c"], "b");
    assert!(near(result.score, 9.8) && near(result.bound, 9.8));
    assert_eq!(result.hosts.keys().collect::<Vec<_>>(), ["b"]);

    let mut full = host("b", &[2, 2]);
    full["nodes"] = json!([{"id": "n0", "cores": 2, "taken": 2}]);
    let result = place(&fleet(&[a, full], &[chain("c", 1)]));
    assert_eq!(result.placed["c"], "a");
    assert!(near(result.score, 18.8));
    assert_eq!(result.hosts["a"].result.assignment["c"], ["n0"]);
}

/// Two equal gains of 9.8: the host with more free seats; then the lower id, whatever the order of the request.
#[test]
fn ties_go_to_more_free_seats_then_to_the_lower_id() {
    let result = place(&fleet(&[host("a", &[2]), host("b", &[3])], &[chain("c", 1)]));
    assert_eq!(result.placed["c"], "b");
    let result = place(&fleet(&[host("b", &[2]), host("a", &[2])], &[chain("c", 1)]));
    assert_eq!(result.placed["c"], "a");
}

/// Two NFs fit into the two ordinary seats, one on each node, though both on n0 would deliver 9.4: the second is a
/// remote head with mem = 0: 6.24. Three NFs need one spare seat, which the local node lends.
#[test]
fn spare_seats_are_lent_for_what_the_others_cannot_hold() {
    let mut spare = host("a", &[1, 1]);
    spare["nodes"][0]["spare"] = json!(1);
    spare["nodes"][1]["spare"] = json!(1);
    let result = place(&fleet(&[spare.clone()], &[chain("c", 2)]));
    assert!(near(result.score, 6.24));
    let result = place(&fleet(&[spare.clone()], &[chain("c", 3)]));
    let nodes = &result.hosts["a"].result.assignment["c"];
    assert_eq!(nodes.iter().filter(|node| *node == "n0").count(), 2);
    // Four need both, five are too many.
    assert_eq!(place(&fleet(&[spare.clone()], &[chain("c", 4)])).placed["c"], "a");
    let result = place(&fleet(&[spare], &[chain("c", 5)]));
    assert_eq!(result.rejected, ["c"]);
    assert_eq!(result.status, Status::Infeasible);
}

/// Both gain 9.8; a has more free seats, but only spare ones. Where b is full, or has shared cores, a takes it.
#[test]
fn a_host_with_ordinary_seats_goes_before_one_that_has_to_lend_a_spare_one() {
    let mut a = host("a", &[0]);
    a["nodes"][0]["spare"] = json!(4);
    assert_eq!(place(&fleet(&[a.clone(), host("b", &[1])], &[chain("c", 1)])).placed["c"], "b");
    assert_eq!(place(&fleet(&[a.clone(), host("b", &[0])], &[chain("c", 1)])).placed["c"], "a");
    let mut shared = host("b", &[4]);
    shared["trusted"] = json!(false);
    assert_eq!(place(&fleet(&[a, shared], &[chain("c", 1)])).placed["c"], "a");
}

/// A chain that runs remotely (6.24) would deliver 9.8 at home: 3.56 - price .5 = 3.06 more.
#[test]
fn running_chains_move_where_they_may_and_that_is_worth_the_margin() {
    let mut a = host("a", &[2, 2]);
    a["chains"] = json!([running("r", &["n1"])]);
    let solve = |may_move: bool, margin: f64| {
        let mut a = a.clone();
        a["may_move"] = json!(may_move);
        let mut request = fleet(&[a], &[]);
        (request.move_price_mpps, request.margin_mpps) = (0.5, margin);
        place(&request)
    };
    assert!(solve(false, 0.0).hosts.is_empty());
    let stays = solve(true, 3.07);
    assert_eq!((stays.hosts["a"].result.moves, stays.status), (0, Status::Optimal));
    assert!(near(stays.score, 6.24) && near(stays.bound, 9.3));
    let moved = solve(true, 3.05);
    assert_eq!((moved.hosts["a"].result.moves, moved.status), (1, Status::Optimal));
    assert!(near(moved.score, 9.3));
    assert_eq!(moved.hosts["a"].result.assignment["r"], ["n0"]);
}

/// One move for two hosts: on b the chain counts twice, so the move gains 2 x 3.56 there.
#[test]
fn the_limit_on_moves_goes_to_whom_a_move_gains_most() {
    let hosts: Vec<_> = [("a", 1.0), ("b", 2.0)]
        .map(|(id, value)| {
            let mut host = host(id, &[2, 2]);
            let mut chain = running(&format!("r{id}"), &["n1"]);
            chain["value"] = json!(value);
            host["chains"] = json!([chain]);
            host["may_move"] = json!(true);
            host
        })
        .into();
    let mut request = fleet(&hosts, &[]);
    request.max_moves = Some(1);
    let moves = |request: &FleetRequest| {
        let found = place(request).hosts;
        ["a", "b"].map(|host| found[host].result.moves)
    };
    assert_eq!(moves(&request), [0, 1]);
    request.max_moves = Some(2);
    assert_eq!(moves(&request), [1, 1]);
    request.max_moves = Some(0);
    assert_eq!(moves(&request), [0, 0]);
}

/// Beside a newcomer, a pinned chain stays on its node and suffers: the newcomer delivers 10 (1 - .02 - .1 x .1) = 9.7
/// alone on n0; the remote head has no other on n1, so its mem stays 0 and it still delivers 6.24.
#[test]
fn what_is_pinned_suffers_and_counts() {
    let mut a = host("a", &[2, 2]);
    a["chains"] = json!([running("r", &["n1"])]);
    let result = place(&fleet(&[a], &[chain("c", 1)]));
    assert_eq!(result.hosts["a"].result.assignment["r"], ["n1"]);
    assert_eq!(result.hosts["a"].result.assignment["c"], ["n0"]);
    assert!(near(result.score, 9.7 + 6.24));
}

/// One seat each: the crowded trusted host comes before the empty one without a model, and both before shared cores,
/// whose prediction cannot be relied on.
#[test]
fn trust_comes_before_gain_and_a_core_of_ones_own_before_a_shared_one() {
    let (mut untrusted, mut unknown, mut trusted) = (host("a", &[1]), host("b", &[1]), host("c", &[2]));
    untrusted["trusted"] = json!(false);
    unknown["model"] = json!(null);
    trusted["chains"] = json!([running("r", &["n0"])]);
    let waiting = [chain("x", 1), chain("y", 1), chain("z", 1), chain("zz", 1)];
    let result = place(&fleet(&[untrusted, unknown, trusted], &waiting));
    assert_eq!((&*result.placed["x"], &*result.placed["y"], &*result.placed["z"]), ("c", "b", "a"));
    assert_eq!(result.rejected, ["zz"]);
    assert!(!result.hosts["a"].trusted);
    assert!(result.hosts["b"].result.bound.is_none() && result.hosts["b"].result.chains.is_empty());
    assert!(near(result.score, 2.0 * 9.4 + 9.8)); // nothing is predicted on b
}

/// Nothing is predicted: the ingress node first, then the others in order.
#[test]
fn without_a_model_the_local_node_is_filled_first() {
    let mut unknown = host("a", &[2, 1, 5]);
    unknown["model"] = json!(null);
    let mut request = fleet(&[unknown], &[chain("c", 4)]);
    request.entries.insert("e".to_owned(), vec![("a".to_owned(), "n1".to_owned())]);
    assert_eq!(place(&request).hosts["a"].result.assignment["c"], ["n1", "n0", "n0", "n2"]);
}

/// Four seats: value 3 on all four comes first by value, but two chains of value 2 on two seats each are worth 4.
#[test]
fn two_chains_replace_one_of_less_value_than_both() {
    let mut waiting = [chain("big", 4), chain("one", 2), chain("two", 2)];
    for (chain, value) in waiting.iter_mut().zip([3.0, 2.0, 2.0]) {
        chain["value"] = json!(value);
    }
    let request = fleet(&[host("a", &[4])], &waiting);
    let greedy = solve_fleet(&request, &FleetOptions { without_exchange: true, ..FleetOptions::default() }, None);
    assert_eq!(greedy.unwrap().rejected, ["one", "two"]);
    assert_eq!(place(&request).rejected, ["big"]);
}

/// Three seats each; two chains of one NF part, because alone each gains most. The chain of three NFs fits only when
/// they meet.
#[test]
fn a_chain_changes_hosts_to_make_room() {
    let mut waiting = [chain("x", 1), chain("y", 1), chain("long", 3)];
    waiting[2]["value"] = json!(0.5);
    let result = place(&fleet(&[host("a", &[3]), host("b", &[3])], &waiting));
    assert!(result.rejected.is_empty());
    assert_eq!(result.placed["x"], result.placed["y"]);
}

/// b (4 seats) takes x of 3 NFs first, a (3 seats) y of 2. z of 2 may go to b only, where one seat is left: it fits
/// when x and y change places, and then all seven seats are held.
#[test]
fn chains_of_different_lengths_change_places_to_make_room() {
    let mut waiting = [chain("x", 3), chain("y", 2), chain("z", 2)];
    for (chain, value) in waiting.iter_mut().zip([5.0, 4.0, 1.0]) {
        chain["value"] = json!(value);
    }
    let mut request = fleet(&[host("a", &[3]), host("b", &[4])], &waiting);
    request.entries.insert("b".to_owned(), vec![("b".to_owned(), "n0".to_owned())]);
    request.waiting[2].entry = "b".to_owned();
    let result = place(&request);
    assert!(result.rejected.is_empty());
    assert_eq!((&*result.placed["x"], &*result.placed["y"], &*result.placed["z"]), ("a", "b", "b"));
}

/// Ended at once: nobody is placed, and the result says so. Ended when hosts are solved: all are placed, by insertion
/// where the solve was not reached.
#[test]
fn a_watcher_ends_the_solve_with_a_valid_result() {
    let request = fleet(&[host("a", &[3]), host("b", &[3])], &[chain("x", 2), chain("y", 2)]);
    let mut at_once = |_: FleetProgress| true;
    let result = solve_fleet(&request, &FleetOptions::default(), Some(&mut at_once)).unwrap();
    assert!(result.stopped && result.placed.is_empty() && result.hosts.is_empty());
    assert_eq!(result.rejected, ["x", "y"]);

    let mut stages = Vec::new();
    let mut when_solving = |progress: FleetProgress| {
        stages.push(progress.stage);
        progress.stage == Stage::Solving
    };
    let result = solve_fleet(&request, &FleetOptions::default(), Some(&mut when_solving)).unwrap();
    assert_eq!(stages, [Stage::Choosing, Stage::Exchanging, Stage::Solving]);
    assert!(result.stopped && result.rejected.is_empty());
    assert_eq!(result.hosts.len(), 2);
    assert!(near(result.score, 2.0 * 9.4)); // each pair local: llc = mem = .1
    assert_eq!(result.hosts["a"].algorithm, "insertion");
}

type Edit = fn(&mut Value);

/// Bad input is named by its path.
#[test]
fn bad_input_is_refused_by_its_path() {
    let refused = |edit: fn(&mut Value)| {
        let mut a = host("a", &[1, 1]);
        a["chains"] = json!([running("r", &["n0"])]);
        let mut request = fleet_json(&[a], &[chain("c", 1)]);
        edit(&mut request);
        read_fleet(request.to_string().as_bytes()).unwrap_err().field
    };
    let cases: [(&str, Edit); 25] = [
        ("hosts.0.model", |r| r["hosts"][0]["model"] = json!("z")),
        ("hosts.1.id", |r| r["hosts"] = json!([r["hosts"][0], {"id": "a", "nodes": [{"id": "n0", "cores": 1}]}])),
        ("hosts.0.id", |r| r["hosts"][0]["id"] = json!("")),
        ("hosts.0.nodes", |r| r["hosts"][0]["nodes"] = json!([])),
        ("hosts.0.nodes.1.id", |r| r["hosts"][0]["nodes"][1]["id"] = json!("n0")),
        ("hosts.0.nodes.1.taken", |r| r["hosts"][0]["nodes"][1]["taken"] = json!(2)),
        ("hosts.0.nodes.0.background", |r| r["hosts"][0]["nodes"][0]["background"] = json!(-0.1)),
        ("hosts.0.chains.0.placement.0", |r| r["hosts"][0]["nodes"][0]["taken"] = json!(1)),
        ("hosts.0.chains.0.ingress", |r| r["hosts"][0]["chains"][0]["ingress"] = json!("z")),
        ("hosts.0.chains.0.placement", |r| r["hosts"][0]["chains"][0]["placement"] = json!([])),
        ("waiting.0.id", |r| r["waiting"][0]["id"] = json!("r")),
        ("waiting.0.nfs", |r| r["waiting"][0]["nfs"] = json!([])),
        ("waiting.0.value", |r| r["waiting"][0]["value"] = json!(-1)),
        ("waiting.0.value", |r| r["waiting"][0]["value"] = json!(0)),
        ("waiting.0.rate_mpps", |r| r["waiting"][0]["rate_mpps"] = json!(1e10)),
        ("waiting.0.entry", |r| r["waiting"][0]["entry"] = json!("z")),
        ("entries.e.0.0", |r| r["entries"]["e"][0][0] = json!("z")),
        ("entries.e.0.1", |r| r["entries"]["e"][0][1] = json!("z")),
        ("entries.e.1.0", |r| r["entries"]["e"] = json!([["a", "n0"], ["a", "n1"]])),
        ("entries.e.0", |r| r["entries"]["e"][0] = json!(["a"])),
        ("models.m.fw.local.beta", |r| r["models"]["m"]["fw"]["local"]["beta"] = json!(-1)),
        ("models.m.fw.stalls", |r| r["models"]["m"]["fw"]["stalls"] = json!(0)),
        ("move_price_mpps", |r| r["move_price_mpps"] = json!("3")),
        ("max_moves", |r| r["max_moves"] = json!(1.5)),
        ("hots", |r| r["hots"] = json!(1)),
    ];
    for (field, edit) in cases {
        assert_eq!(refused(edit), field);
    }
    let twice = br#"{"models": {}, "hosts": [], "entries": {"e": [], "e": []}}"#;
    assert_eq!(read_fleet(twice).unwrap_err().field, "entries.e");
}
