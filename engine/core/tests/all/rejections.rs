//! Why a chain is left out, what is short and the way out, by worked examples.

use crate::tests::problems::build::{chain, nodes, pinned, placement, problem, worth};
use sextant_core::evaluate::evaluate;
use sextant_core::instance::{Instance, assignment_of};
use sextant_core::problem::{Chain, Placement, Problem};
use sextant_core::rejections::rejections_of;
use sextant_core::result::{RejectedChain, Short};

fn rejected(problem: &Problem, placed: &[&str]) -> Vec<RejectedChain> {
    let assignment = assignment_of(problem, &placement(placed), "assignment").unwrap();
    rejections_of(problem, &Instance::new(problem), &assignment)
}

/// (reason, node and cores that are short, way out) of the one chain that is left out.
fn told(problem: &Problem, placed: &[&str]) -> (String, Option<(Option<String>, u32)>, String) {
    let [one] = rejected(problem, placed).try_into().expect("one is left out");
    (one.reason, one.short.map(|Short { node, cores }| (node, cores)), one.relax.expect("there is a way out"))
}

fn node0(cores: u32) -> (Option<String>, u32) {
    (Some("n0".to_owned()), cores)
}

#[test]
fn nothing_is_told_of_accepted_chains() {
    let given = problem(nodes(&[2]), vec![chain("c", "AA")]);
    assert_eq!(rejected(&given, &["c: n0 n0"]), []);
}

/// 2 cores hold d and e (value 9 and 8); c needs 2 and has 0; giving up one frees only 1, both are worth more than c.
#[test]
fn missing_cores_are_counted_and_placed() {
    let given = problem(nodes(&[2]), vec![chain("c", "AA"), worth(9.0, chain("d", "A")), worth(8.0, chain("e", "A"))]);
    let expected = ("needs 2 cores on node n0, 0 are free", Some(node0(2)), "add 2 cores on node n0");
    assert_eq!(told(&given, &["d: n0", "e: n0"]), (expected.0.to_owned(), expected.1, expected.2.to_owned()));
}

#[test]
fn the_chain_of_least_value_that_frees_enough_is_named() {
    let given = problem(nodes(&[2]), vec![chain("c", "A"), worth(9.0, chain("d", "A")), worth(8.0, chain("e", "A"))]);
    assert_eq!(told(&given, &["d: n0", "e: n0"]).2, "remove chain 'e' (value 8), or add 1 core on node n0");
}

/// c is worth 5 and needs 2 cores; d + e = 1 + 2 are worth less, f is worth more. d alone frees 1 core: not enough.
#[test]
fn several_chains_are_given_up_if_their_sum_is_worth_less() {
    let chains = vec![
        worth(5.0, chain("c", "AA")),
        worth(1.0, chain("d", "A")),
        worth(2.0, chain("e", "A")),
        worth(9.0, chain("f", "A")),
    ];
    let given = problem(nodes(&[3]), chains);
    let way = told(&given, &["d: n0", "e: n0", "f: n0"]).2;
    assert_eq!(way, "remove chains 'd', 'e' (value 3), or add 2 cores on node n0");
}

/// d (1) and e (3) free one core each, g (4) two: d and e are taken first and do not suffice for 3 cores; with g they
/// do, and then e (the more valuable) or d may stay: 1 + 4 = 5 < 6.
#[test]
fn what_is_given_up_in_vain_is_kept() {
    let chains = vec![
        worth(9.0, chain("c", "AAA")),
        worth(1.0, chain("d", "A")),
        worth(3.0, chain("e", "A")),
        worth(4.0, chain("g", "AA")),
    ];
    let given = problem(nodes(&[4]), chains);
    let way = told(&given, &["d: n0", "e: n0", "g: n0 n0"]).2;
    assert_eq!(way, "remove chains 'd', 'g' (value 5), or add 3 cores on node n0");
}

/// Room for 2 of 3 NFs; the accepted chain is worth more than c.
#[test]
fn a_chain_that_is_too_long_is_shortened() {
    let given = problem(nodes(&[2, 1]), vec![chain("c", "AAA"), worth(2.0, chain("d", "A"))]);
    let (reason, short, way) = told(&given, &["d: n0"]);
    assert_eq!(reason, "needs 3 cores on nodes n0, n1, 2 are free");
    assert_eq!(short, Some((None, 1)));
    assert_eq!(way, "shorten it to its first 2 NFs, or add 1 core on nodes n0, n1");
}

/// d stands on the only core of n0 but may stand on n1 as well.
#[test]
fn another_chain_makes_room_where_it_can() {
    let given = problem(nodes(&[1, 1]), vec![pinned(&["n0"], chain("c", "A")), chain("d", "A")]);
    let (reason, short, way) = told(&given, &["d: n0"]);
    assert_eq!((reason.as_str(), short), ("needs 1 core on node n0, 0 are free", Some(node0(1))));
    assert_eq!(way, "move NF 0 of 'd' to node n1, or add 1 core on node n0");
}

/// d moves from n0 to n1 only if e moves from n1 to n2.
#[test]
fn room_is_made_along_a_path() {
    let chains = vec![
        pinned(&["n0"], chain("c", "A")),
        pinned(&["n0", "n1"], chain("d", "A")),
        pinned(&["n1", "n2"], chain("e", "A")),
    ];
    let given = problem(nodes(&[1, 1, 1]), chains);
    let way = told(&given, &["d: n0", "e: n1"]).2;
    assert_eq!(way, "move NF 0 of 'd' to node n1 and NF 0 of 'e' to node n2, or add 1 core on node n0");
}

/// d could make room, but nothing may move; n1 has a core that c's pin excludes.
#[test]
fn a_pin_is_loosened_where_others_may_not_move() {
    let given = |c| Problem {
        initial: Some(placement(&["d: n0"])),
        max_moves: Some(0),
        ..problem(nodes(&[1, 1]), vec![c, worth(2.0, chain("d", "A"))])
    };
    let chain_pin = pinned(&["n0"], chain("c", "A"));
    assert_eq!(told(&given(chain_pin), &["d: n0"]).2, "add node n1 to its pin, or add 1 core on node n0");
    let nf_pin = Chain { nf_pins: Some(vec![Some("n0".to_owned())]), ..chain("c", "A") };
    assert_eq!(told(&given(nf_pin), &["d: n0"]).2, "unpin its NF 0, or add 1 core on node n0");
}

/// c ran on n1, which has lost its core, and must stand on n0; d can leave n0 for n2. That is 2 moves, none is allowed.
#[test]
fn the_limit_on_moves_is_raised_where_it_stands_in_the_way() {
    let given = Problem {
        initial: Some(placement(&["c: n1", "d: n0"])),
        max_moves: Some(0),
        ..problem(nodes(&[1, 0, 1]), vec![pinned(&["n0"], chain("c", "A")), chain("d", "A")])
    };
    let way = told(&given, &["d: n0"]).2;
    assert_eq!(way, "raise max_moves to 2, or add 1 core on node n0 and raise max_moves to 1");
}

/// c runs on n1, which has no core left for it; n0 has two, but both NFs would move and one may.
#[test]
fn a_chain_that_may_not_move_says_so() {
    let given = Problem {
        initial: Some(placement(&["c: n1 n1"])),
        max_moves: Some(1),
        ..problem(nodes(&[2, 0]), vec![chain("c", "AA")])
    };
    let (reason, short, way) = told(&given, &[]);
    assert_eq!((reason.as_str(), short), ("would have to move 2 NFs, 1 more may move", None));
    assert_eq!(way, "raise max_moves to 2");
}

/// c and d ran on n2, which has lost its core; d has moved to n0, which is the one move allowed. Without e (value 1), c
/// would be the second to move; without d it is the first.
#[test]
fn a_chain_that_is_removed_gives_its_moves_back() {
    let given = Problem {
        initial: Some(placement(&["c: n2", "d: n2"])),
        max_moves: Some(1),
        ..problem(nodes(&[1, 1, 0]), vec![chain("c", "A"), worth(2.0, chain("d", "A")), chain("e", "A")])
    };
    let way = told(&given, &["d: n0", "e: n1"]).2;
    assert_eq!(way, "remove chain 'd' (value 2), or add 1 core on nodes n0, n1, n2 and raise max_moves to 2");
}

/// Chains of one NF that differ in one thing each: a pinned NF, a place where it ran.
#[test]
fn only_chains_that_ask_for_the_same_are_answered_alike() {
    let chains = vec![
        chain("plain", "A"),
        Chain { nf_pins: Some(vec![Some("n1".to_owned())]), ..chain("fixed", "A") },
        chain("ran", "A"),
        worth(2.0, chain("d", "AA")),
    ];
    let given =
        Problem { initial: Some(placement(&["ran: n1"])), max_moves: Some(0), ..problem(nodes(&[3, 0]), chains) };
    let ways: Vec<Option<String>> = rejected(&given, &["d: n0 n0"]).into_iter().map(|one| one.relax).collect();
    let expected = ["place it on node n0", "unpin its NF 0, or add 1 core on node n1", "raise max_moves to 1"];
    assert_eq!(ways, expected.map(|way| Some(way.to_owned())));
}

/// One core is left of three; d (value 2) holds the others. For a chain worth 3 it is given up, one worth 1 is cut.
#[test]
fn what_is_cheapest_depends_on_the_value() {
    let chains = vec![chain("plain", "AA"), worth(3.0, chain("dear", "AA")), worth(2.0, chain("d", "AA"))];
    let given = problem(nodes(&[3]), chains);
    let ways: Vec<Option<String>> = rejected(&given, &["d: n0 n0"]).into_iter().map(|one| one.relax).collect();
    let expected = ["shorten it to its first NF", "remove chain 'd' (value 2)"];
    assert_eq!(ways, expected.map(|way| Some(format!("{way}, or add 1 core on node n0"))));
}

#[test]
fn a_chain_that_fits_is_placed() {
    let given = problem(nodes(&[2, 2]), vec![chain("c", "AA")]);
    let (reason, short, way) = told(&given, &[]);
    assert_eq!((reason.as_str(), short), ("was left out, though the 2 cores it needs are free on nodes n0, n1", None));
    assert_eq!(way, "place it on node n0");
}

/// Two NFs pinned to n0, which has one core; n1 could take the other.
#[test]
fn pinned_nfs_are_counted_on_their_node() {
    let pins = |nf_pins: [Option<&str>; 3]| {
        let nf_pins = Some(nf_pins.map(|pin| pin.map(str::to_owned)).to_vec());
        problem(nodes(&[1, 3]), vec![Chain { nf_pins, ..chain("c", "AAA") }])
    };
    let (reason, short, way) = told(&pins([Some("n0"), Some("n0"), None]), &[]);
    assert_eq!((reason.as_str(), short), ("needs 2 cores on node n0, 1 are free", Some(node0(1))));
    assert_eq!(way, "unpin its NF 1, or add 1 core on node n0");
    assert_eq!(told(&pins([Some("n0"); 3]), &[]).2, "unpin its NFs 1, 2, or add 2 cores on node n0");
}

/// Six nodes are full: four of them stand for all.
#[test]
fn long_lists_are_cut() {
    let given = problem(nodes(&[0; 6]), vec![chain("c", "A")]);
    let (reason, _, way) = told(&given, &[]);
    assert_eq!(reason, "needs 1 core on nodes n0, n1, n2, n3 and 2 more, 0 are free");
    assert_eq!(way, "add 1 core on nodes n0, n1, n2, n3 and 2 more");
}

/// One shape asked 50 000 times, and 2000 shapes of their own, against 2000 accepted chains.
#[test]
fn thousands_of_rejections_are_told_quickly() {
    let mut chains: Vec<Chain> = (0..2000).map(|index| worth(2.0, chain(&format!("a{index}"), "A"))).collect();
    chains.extend((0..50_000).map(|index| chain(&format!("r{index}"), "AA")));
    chains.extend((0..2000).map(|index| worth(1.0 + f64::from(index), chain(&format!("s{index}"), "AAA"))));
    let given = problem(nodes(&[1000, 1000]), chains);
    let accepted: Placement =
        (0..2000).map(|index| (format!("a{index}"), vec![format!("n{}", index / 1000)])).collect();
    let found = evaluate(&given, &accepted).unwrap();
    assert_eq!(found.result.rejected.len(), 52_000);
    assert_eq!(found.result.rejected[0].relax.as_deref(), Some("add 2 cores on nodes n0, n1"));
}
