//! Every rule of the problem format refuses with the path of its field.

use std::fmt::Write as _;

use crate::tests::problems::any::problems;
use proptest::prelude::*;
use serde_json::{Value, json};
use sextant_core::error::BadInput;
use sextant_core::error::WHOLE;
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::json::{MAX_BYTES, MAX_VALUES};
use sextant_core::problem::{MAX_CHAINS, MAX_ID, MAX_NFS, MAX_NODES, Objective};
use sextant_core::reader::{read_evaluation, read_problem};

fn good() -> Value {
    json!({
        "nodes": [{"id": "n0", "local": true, "cores": 4}, {"id": "n1", "local": false, "cores": 4}],
        "nf_types": {"A": {
            "stalls": 10, "ideal": {"local": 10.0, "remote": 8.0},
            "local": {"alpha": 0.2, "beta": 0.1, "c": 0.0}, "remote": {"alpha": 0.1, "beta": 0.2, "c": 0.0},
        }},
        "chains": [{"id": "c0", "nfs": ["A", "A"]}],
    })
}

/// `good` with one field set.
fn changed(pointer: &str, value: Value) -> String {
    let mut tree = good();
    let (parent, last) = pointer.rsplit_once('/').unwrap();
    match tree.pointer_mut(parent).unwrap() {
        Value::Object(object) => _ = object.insert(last.to_owned(), value),
        Value::Array(list) => list[last.parse::<usize>().unwrap()] = value,
        _ => unreachable!("{pointer} leads into a leaf"),
    }
    tree.to_string()
}

fn refused(raw: impl AsRef<[u8]>) -> BadInput {
    read_problem(raw.as_ref()).expect_err("it breaks a rule")
}

#[test]
fn only_the_required_fields_are_needed() {
    let problem = read_problem(good().to_string().as_bytes()).unwrap();
    assert_eq!((problem.nodes[0].taken, problem.nodes[0].background), (0, 0.0));
    assert_eq!((problem.chains[0].value, &problem.chains[0].pin), (1.0, &None));
    assert_eq!((problem.objective, problem.max_moves), (Objective::Capacity, None));
}

#[test]
fn a_broken_rule_names_its_field() {
    let long = "x".repeat(MAX_ID + 1);
    let two_pins = json!([{"id": "c0", "nfs": ["A"], "pin": ["n0"], "nf_pins": ["n1"]}]);
    let twins = json!([{"id": "c0", "nfs": ["A"]}, {"id": "c0", "nfs": ["A"]}]);
    let cases = [
        ("/nodes", json!({}), "nodes"),
        ("/nodes", json!(null), "nodes"),
        ("/nodes", json!(vec![json!({}); MAX_NODES + 1]), "nodes"),
        ("/nodes/0", json!(["n0", true, 4]), "nodes.0"),
        ("/nodes/0", json!({"id": "n0", "local": true}), "nodes.0.cores"),
        ("/nodes/0/cores", json!("4"), "nodes.0.cores"),
        ("/nodes/0/cores", json!(-1), "nodes.0.cores"),
        ("/nodes/0/cores", json!(1.5), "nodes.0.cores"),
        ("/nodes/0/cores", json!(1_000_001), "nodes.0.cores"),
        ("/nodes/0/cores", json!(1u64 << 32), "nodes.0.cores"),
        ("/nodes/0/cores", json!(null), "nodes.0.cores"),
        ("/nodes/0/taken", json!(5), "nodes.0.taken"),
        ("/nodes/0/taken", json!(0.5), "nodes.0.taken"),
        ("/nodes/0/background", json!(-0.1), "nodes.0.background"),
        ("/nodes/0/background", json!(1.1e9), "nodes.0.background"),
        ("/nodes/0/local", json!(false), "nodes"),
        ("/nodes/0/local", json!(1), "nodes.0.local"),
        ("/nodes/1/id", json!("n0"), "nodes.1.id"),
        ("/nodes/0/id", json!(""), "nodes.0.id"),
        ("/nodes/0/id", json!(long), "nodes.0.id"),
        ("/nodes/0/id", json!(7), "nodes.0.id"),
        ("/nodes/0/kores", json!(1), "nodes.0.kores"),
        ("/nf_types", json!([]), "nf_types"),
        ("/nf_types/", json!({}), "nf_types.''"),
        ("/nf_types/A/stalls", json!(0), "nf_types.A.stalls"),
        ("/nf_types/A/stalls", json!(-3), "nf_types.A.stalls"),
        ("/nf_types/A/stalls", json!(1e-300), "nf_types.A.stalls"),
        ("/nf_types/A/stalls", json!(0.9e-9), "nf_types.A.stalls"),
        ("/nf_types/A/stalls", json!(1.1e9), "nf_types.A.stalls"),
        ("/nf_types/A/stall", json!(1), "nf_types.A.stall"),
        ("/nf_types/A/ideal", json!([14, 11]), "nf_types.A.ideal"),
        ("/nf_types/A/ideal/local", json!(0), "nf_types.A.ideal.local"),
        ("/nf_types/A/ideal/local", json!("14"), "nf_types.A.ideal.local"),
        ("/nf_types/A/ideal/remote", json!(1e300), "nf_types.A.ideal.remote"),
        ("/nf_types/A/ideal/far", json!(1), "nf_types.A.ideal.far"),
        ("/nf_types/A/local/alpha", json!(-0.1), "nf_types.A.local.alpha"),
        ("/nf_types/A/remote/beta", json!(-0.1), "nf_types.A.remote.beta"),
        ("/nf_types/A/remote/c", json!(-1.1e9), "nf_types.A.remote.c"),
        ("/nf_types/A/local", json!({"alpha": 0.1, "beta": 0.1}), "nf_types.A.local.c"),
        ("/chains", json!(vec![json!(0); MAX_CHAINS + 1]), "chains"),
        ("/chains", twins, "chains.1.id"),
        ("/chains", two_pins, "chains.0.nf_pins.0"),
        ("/chains/0/nfs", json!([]), "chains.0.nfs"),
        ("/chains/0/nfs", json!(vec!["A"; MAX_NFS + 1]), "chains.0.nfs"),
        ("/chains/0/nfs/1", json!("X"), "chains.0.nfs.1"),
        ("/chains/0/nfs/1", json!(""), "chains.0.nfs.1"),
        ("/chains/0/value", json!(0), "chains.0.value"),
        ("/chains/0/value", json!(1.1e9), "chains.0.value"),
        ("/chains/0/rate_mpps", json!(-1), "chains.0.rate_mpps"),
        ("/chains/0/ingress", json!("n9"), "chains.0.ingress"),
        ("/chains/0/ingress", json!("n1"), "chains.0.ingress"),
        ("/chains/0/pin", json!([]), "chains.0.pin"),
        ("/chains/0/pin", json!("n0"), "chains.0.pin"),
        ("/chains/0/pin", json!(["n0", "n9"]), "chains.0.pin.1"),
        ("/chains/0/nf_pins", json!(["n0"]), "chains.0.nf_pins"),
        ("/chains/0/nf_pins", json!([]), "chains.0.nf_pins"),
        ("/chains/0/nf_pins", json!([null, "n9"]), "chains.0.nf_pins.1"),
        ("/objective", json!("fastest"), "objective"),
        ("/objective", json!({"capacity": null}), "objective"),
        ("/initial", json!({"c0": ["n0", "n9"]}), "initial.c0.1"),
        ("/initial", json!({"c0": ["n0"]}), "initial.c0"),
        ("/initial", json!({"gone": ["n9"]}), "initial.gone.0"),
        ("/move_price_mpps", json!(-1), "move_price_mpps"),
        ("/margin_mpps", json!(null), "margin_mpps"),
        ("/max_moves", json!(-1), "max_moves"),
        ("/max_moves", json!(2.5), "max_moves"),
        ("/extra", json!(1), "extra"),
    ];
    for (pointer, value, field) in cases {
        let told = refused(changed(pointer, value));
        assert_eq!(told.field, field, "at {pointer}: {told}");
        assert!(told.message.len() > 10, "{told}");
    }
}

#[test]
fn what_is_legal_at_the_edge_is_read() {
    let longest = "x".repeat(MAX_ID);
    for (pointer, value) in [
        ("/nodes/0/cores", json!(0)),
        ("/nodes/0/cores", json!(1_000_000)),
        ("/nodes/0/taken", json!(4)),
        ("/nodes/0/background", json!(1e9)),
        ("/nodes/1/id", json!(longest)),
        ("/nf_types/A/stalls", json!(1e-9)),
        ("/nf_types/A/remote/c", json!(-1e9)),
        ("/chains/0/nfs", json!(vec!["A"; MAX_NFS])), // longer than the host: a rejection, not an error
        ("/chains/0/rate_mpps", json!(null)),
        ("/chains/0/nf_pins", json!([null, "n1"])),
        ("/initial", json!({"gone": ["n0"]})),
        ("/max_moves", json!(u32::MAX)),
    ] {
        read_problem(changed(pointer, value).as_bytes()).unwrap_or_else(|error| panic!("{pointer}: {error}"));
    }
    read_problem(br#"{"nf_types": {}}"#).unwrap();
}

#[test]
fn what_json_leaves_doubtful_is_refused() {
    let good = good().to_string();
    let digits = "9".repeat(5000);
    let cases = [
        (r#"{"nf_types": {}, "nodes": [], "nodes": []}"#.to_owned(), "nodes"),
        (r#"{"nodes": [{"id": "a", "local": true, "cores": 1, "cores": 2}]}"#.to_owned(), "nodes.0.cores"),
        (good.replace("\"c\":0.0", "\"c\":0,\"c\":0"), "nf_types.A.local.c"),
        (r#"{"nodes": [], "nf_types": {"A": 1, "A": 1}}"#.to_owned(), "nf_types.A"),
        (format!(r#"{},"initial":{{"c0":["n0","n0"],"c0":["n0","n0"]}}}}"#, &good[..good.len() - 1]), "initial.c0"),
        (r#"{"nf_types": {}, "nf_\u0074ypes": {}}"#.to_owned(), "nf_types"),
        (good.replace("10.0", "NaN"), "nf_types.A.ideal.local"),
        (good.replace("10.0", "nan"), "nf_types.A.ideal.local"),
        (good.replace("10.0", "Infinity"), "nf_types.A.ideal.local"),
        (good.replace("10.0", "-Infinity"), "nf_types.A.ideal.local"),
        (good.replace("10.0", "1e400"), "nf_types.A.ideal.local"),
        (good.replace("10.0", "\n  -1e999\n"), "nf_types.A.ideal.local"),
        (r#"{"nf_types": {}, "margin_mpps": NaN}"#.to_owned(), "margin_mpps"),
        (r#"{"chains": [{"nfs": [NaN]}]}"#.to_owned(), "chains.0.nfs.0"),
        (r#"{"": 1e400}"#.to_owned(), "''"),
        (r#"{"": 1}"#.to_owned(), "''"),
        ("NaN".to_owned(), WHOLE),
        (format!(r#"{{"nf_types": {{}}, "max_moves": {digits}}}"#), WHOLE),
        ("{".to_owned(), WHOLE),
        (String::new(), WHOLE),
        ("[".repeat(100_000), WHOLE),
        (r#"{"a":"#.repeat(100_000), WHOLE),
        ("[]".to_owned(), WHOLE),
        ("nul".to_owned(), WHOLE),
        (r#"{"nodes": []} []"#.to_owned(), WHOLE),
        (r#"{"nodes": [],}"#.to_owned(), WHOLE),
        (r#"{"nodes": "\ud800"}"#.to_owned(), WHOLE),
        (r#"{"nodes": []}"#.to_owned(), "nf_types"),
    ];
    for (raw, field) in cases {
        let told = refused(&raw);
        assert_eq!(told.field, field, "{told} in {raw:.90}");
    }
    assert_eq!(refused(b"\xff\xfe").field, WHOLE);
}

#[test]
fn messages_say_what_is_wrong_and_what_would_be_right() {
    for (raw, told) in [
        (
            changed("/nodes/0/cores", json!(1.5)),
            "nodes.0.cores: is not a whole number, without point and exponent, within 0 and 1000000",
        ),
        (changed("/chains/0/value", json!(0)), "chains.0.value: 0 is not above 0 and at most 1e9"),
        (
            changed("/nodes/0/kores", json!(1)),
            "nodes.0.kores: is not a key of the format; remove it or correct its spelling",
        ),
        (changed("/chains/0/nfs", json!([])), "chains.0.nfs: has 0 entries, not 1 to 256"),
        (changed("/chains/0/nfs/1", json!("X")), "chains.0.nfs.1: 'X' is not in nf_types; add its parameters"),
        ("{".to_owned(), "(whole input): is not JSON: EOF while parsing an object at line 1 column 1"),
        (r#"{"max_moves": NaN}"#.to_owned(), "max_moves: is not a finite number"),
    ] {
        assert_eq!(refused(raw).to_string(), told);
    }
}

/// A path and a message stay short, however long what they quote.
#[test]
fn an_endless_key_is_cut_in_the_path() {
    let told = refused(format!(r#"{{"{}": 1}}"#, "ö".repeat(1_000_000)));
    assert_eq!(told.field, format!("{}...", "ö".repeat(MAX_ID)));
}

#[test]
fn input_beyond_the_limits_of_size_is_refused() {
    let padded = |bytes: usize| " ".repeat(bytes - 2) + "{}";
    assert_eq!(refused(padded(MAX_BYTES)).field, "nf_types");
    assert_eq!(refused(padded(MAX_BYTES + 1)).message, "is larger than 67108864 bytes");
    let told = refused(format!("[{}0]", "0,".repeat(MAX_VALUES)));
    assert!(told.message.starts_with("holds more than 8388608 values"), "{told}");
}

#[test]
fn an_evaluation_names_fields_within_its_problem() {
    let read = |problem: Value, assignment: Value| {
        let raw = json!({"problem": problem, "assignment": assignment}).to_string();
        read_evaluation(raw.as_bytes()).map(|(_, placement)| placement).map_err(|error| error.field)
    };
    let mut homeless = good();
    homeless["nodes"] = json!([]);
    assert_eq!(read(good(), json!({"c0": ["n0", "n1"]})).unwrap()["c0"], ["n0", "n1"]);
    assert_eq!(read(homeless, json!({})), Err("problem.nodes".to_owned()));
    assert_eq!(read(json!({}), json!({})), Err("problem.nf_types".to_owned()));
    assert_eq!(read(good(), json!({"c0": [7]})), Err("assignment.c0.0".to_owned()));
    assert_eq!(read(good(), json!([])), Err("assignment".to_owned()));
}

/// 100 000 chains, each with pins of its own: 20 MB. Linear work takes a second here; quadratic work would not end.
#[test]
fn the_largest_number_of_chains_is_read() {
    let mut chains = String::new();
    for index in 0..MAX_CHAINS {
        let comma = if index == 0 { "" } else { "," };
        write!(chains, r#"{comma}{{"id":"c{index}","nfs":["A","A"],"pin":["n0","n1"],"nf_pins":[null,"n1"]}}"#)
            .unwrap();
    }
    let raw = good().to_string().replace(r#"{"id":"c0","nfs":["A","A"]}"#, &chains);
    assert_eq!(read_problem(raw.as_bytes()).unwrap().chains.len(), MAX_CHAINS);
}

proptest! {
    /// What the engine writes it reads back, unchanged.
    #[test]
    fn a_problem_survives_its_json_form(chains in 0usize..5, nodes in 1usize..5, cores in 1u32..20, seed: u64) {
        let problem = generate(&Recipe { chains, nodes, cores, length: 3, mode: Mode::B, seed }).unwrap();
        let raw = serde_json::to_vec(&problem).unwrap();
        prop_assert_eq!(read_problem(&raw).unwrap(), problem);
    }
}

proptest! {
    /// The random problems of the other tests are valid, and come back from their JSON form to the last bit.
    #[test]
    fn problems_come_back_from_json(problem in problems(0..=4)) {
        prop_assert_eq!(read_problem(&serde_json::to_vec(&problem).unwrap()), Ok(problem));
    }
}
