//! Problems that are valid and mean harm: nothing panics, nothing overflows, nothing runs away.

use crate::tests::problems::build::{chain, nodes, pinned, problem};
use crate::tests::problems::harness;
use proptest::prelude::*;
use sextant_core::control::Limits;
use sextant_core::evaluate::evaluate;
use sextant_core::laws::octans::Algorithm;
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::problem::{Chain, MAX_CHAINS, MAX_NFS, MAX_NODES, Problem};
use sextant_core::result::SolveResult;

/// Algorithms that must cope with any size under a limit of evaluations: those that declare no most NFs.
fn unbounded() -> impl Iterator<Item = Algorithm> {
    Algorithm::all().filter(|algorithm| algorithm.declaration().bounds.iter().all(|bound| bound.of != "NFs"))
}

fn limited(problem: &Problem, algorithm: Algorithm) -> SolveResult {
    let limits = Limits { evaluations: Some(20), ..Limits::default() };
    let found = solve(problem, algorithm, &Options { limits, ..Options::default() }, None).unwrap();
    assert_eq!(evaluate(problem, &found.assignment).unwrap().violations, Vec::<String>::new());
    found
}

fn many(count: usize, nfs: &str) -> Vec<Chain> {
    (0..count).map(|index| chain(&format!("c{index}"), nfs)).collect()
}

/// 1024 nodes of 10 cores hold 5120 of 100 000 chains of two.
#[test]
fn as_many_chains_and_nodes_as_the_format_allows() {
    let given = problem(nodes(&[10; MAX_NODES]), many(MAX_CHAINS, "AB"));
    for algorithm in unbounded() {
        let found = limited(&given, algorithm);
        assert_eq!((found.assignment.len(), found.rejected.len()), (5120, MAX_CHAINS - 5120));
    }
}

/// Every chain runs already, on nodes that have lost all their cores.
#[test]
fn a_host_without_a_free_core_places_nothing() {
    let mut given = problem(nodes(&[4; 64]), many(MAX_CHAINS, "AB"));
    given.nodes.iter_mut().for_each(|node| node.taken = 4);
    let ran = given.chains.iter().enumerate().map(|(index, chain)| {
        let node = |shift: usize| format!("n{}", (index + shift) % 64);
        (chain.id.clone(), vec![node(0), node(1)])
    });
    given.initial = Some(ran.collect());
    given.max_moves = Some(0);
    for algorithm in unbounded() {
        assert_eq!(limited(&given, algorithm).assignment.len(), 0);
    }
}

/// 4 cores for 256 NFs; beside it a chain that fits.
#[test]
fn a_chain_longer_than_the_host_is_rejected_alone() {
    let given = problem(nodes(&[2, 2]), vec![chain("long", &"A".repeat(MAX_NFS)), chain("short", "AB")]);
    for algorithm in unbounded() {
        let found = limited(&given, algorithm);
        assert_eq!(found.assignment.keys().collect::<Vec<_>>(), ["short"]);
        assert_eq!(found.rejected[0].reason, "needs 256 cores on nodes n0, n1, 2 are free");
    }
}

/// 255 NFs may stand on either of two nodes, the last one only on a full one: 2^255 ways, none of which is a placement.
#[test]
fn a_search_through_dead_ends_obeys_the_limit() {
    let mut pins = vec![None; MAX_NFS];
    pins[MAX_NFS - 1] = Some("n2".to_owned());
    let trap = Chain { nf_pins: Some(pins), ..chain("trap", &"A".repeat(MAX_NFS)) };
    let given = problem(nodes(&[300, 300, 0]), vec![trap]);
    assert_eq!(limited(&given, Algorithm::Brute).rejected.len(), 1);
}

/// 20 000 chains on one node, each seated in its turn: the search is deep, its stack is not.
#[test]
fn a_deep_search_needs_no_deep_stack() {
    let given = problem(nodes(&[1_000_000]), many(20_000, "AAAA"));
    assert_eq!(limited(&given, Algorithm::Brute).assignment.len(), 20_000);
}

/// Every chain has pins of its own, so that no two ask for the same.
#[test]
fn rejections_of_as_many_shapes_as_chains_stay_linear() {
    let names: Vec<String> = (0..16).map(|index| format!("n{index}")).collect();
    let own = |index: usize| {
        let nodes: Vec<&str> =
            (0..16).filter(|bit| (index + 1) >> bit & 1 == 1).map(|bit| names[bit].as_str()).collect();
        pinned(&nodes, chain(&format!("c{index}"), "AAA"))
    };
    let given = problem(nodes(&[100; 16]), (0..60_000).map(own).collect());
    for algorithm in [Algorithm::NodeFirst, Algorithm::NodeBalance] {
        let found = limited(&given, algorithm);
        assert_eq!(found.rejected.len(), 60_000 - found.assignment.len());
        assert!(found.rejected.iter().all(|rejected| rejected.relax.is_some()));
    }
}

/// Bytes near a problem's JSON form: cut, doubled and overwritten.
fn near_json() -> impl Strategy<Value = Vec<u8>> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, any::<u8>()), 0..6);
    let scraps: &[&[u8]] = &[b"NaN", b"1e400", b"-1", b"null", b"[", b"{", b"\"n0\"", b"\"\"", b"\\ud800", b"0.5"];
    (prop::collection::vec(any::<u8>(), 0..64), edits).prop_map(|(seed, edits)| {
        let mut raw = serde_json::to_vec(&harness::problem_from(&seed)).unwrap();
        for (at, kind, byte) in edits {
            let at = at.index(raw.len() + 1);
            match kind {
                0 => raw.truncate(at.max(1)),
                1 => raw.insert(at, byte),
                2 => _ = raw.splice(at..at, scraps[usize::from(byte) % scraps.len()].iter().copied()),
                _ => raw = [&raw[..at], &raw[at / 2..]].concat(),
            }
        }
        raw
    })
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(raw in prop::collection::vec(any::<u8>(), 0..200)) {
        harness::reader(&raw);
    }

    #[test]
    fn nearly_valid_bytes_are_read_or_refused(raw in near_json()) {
        harness::reader(&raw);
    }

    #[test]
    fn every_algorithm_keeps_the_rules(bytes in prop::collection::vec(any::<u8>(), 0..150)) {
        harness::solvers(&harness::problem_from(&bytes), 2000);
    }
}
