//! Why a chain is left out, and ways out that really are ways out.

mod small;

use proptest::prelude::*;
use sextant_core::algorithms::Algorithm;
use sextant_core::evaluate::evaluate;
use sextant_core::instance::{Assignment, Instance, Pattern, assignment_of, node_indices};
use sextant_core::problem::{Chain, Placement, Problem};
use sextant_core::rank::violations;
use sextant_core::rejections::rejections_of;
use sextant_core::relax::{Host, Relaxation};
use sextant_core::result::{RejectedChain, Short};
use sextant_core::seating::Demand;
use sextant_core::solve::{Options, solve};
use small::{chain, nodes, pinned, placement, problem, worth};

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

// ---- What is offered is tried, by brute force that shares nothing with the search.

/// Patterns of a chain of so many NFs.
fn patterns(nodes: usize, nfs: usize) -> impl Iterator<Item = Pattern> {
    (0..nodes.pow(nfs as u32))
        .map(move |number| (0..nfs).map(|position| (number / nodes.pow(position as u32) % nodes) as u16).collect())
}

/// True if the chain can be seated beside the others as they stand.
fn fits(problem: &Problem, others: &Assignment, chain: usize) -> bool {
    let instance = Instance::new(problem);
    let mut assignment = others.clone();
    patterns(problem.nodes.len(), problem.chains[chain].nfs.len()).any(|pattern| {
        assignment[chain] = Some(pattern);
        violations(&instance, &assignment).is_empty()
    })
}

/// True if the chain can be seated together with the accepted ones, wherever they stand.
fn fits_somehow(problem: &Problem, accepted: &Assignment, chain: usize) -> bool {
    fn seat(problem: &Problem, wanted: &[usize], assignment: &mut Assignment) -> bool {
        let Some((&next, rest)) = wanted.split_first() else {
            return violations(&Instance::new(problem), assignment).is_empty();
        };
        patterns(problem.nodes.len(), problem.chains[next].nfs.len()).any(|pattern| {
            assignment[next] = Some(pattern);
            seat(problem, rest, assignment)
        })
    }
    let wanted: Vec<usize> =
        (0..problem.chains.len()).filter(|&index| index == chain || accepted[index].is_some()).collect();
    seat(problem, &wanted, &mut vec![None; problem.chains.len()])
}

/// True if the chain fits with so many cores more in all, wherever they are added.
fn fits_with_cores(problem: &Problem, others: &Assignment, chain: usize, more: u32, from: usize) -> bool {
    if more == 0 || from == problem.nodes.len() {
        return fits(problem, others, chain);
    }
    (0..=more).any(|here| {
        let mut extended = problem.clone();
        extended.nodes[from].cores += here;
        fits_with_cores(&extended, others, chain, more - here, from + 1)
    })
}

fn apply(given: &Problem, placed: &Assignment, index: usize, offered: &Relaxation) {
    let instance = Instance::new(given);
    let mut changed = given.clone();
    let mut others = placed.clone();
    let id = given.chains[index].id.clone();
    match offered {
        Relaxation::Seat(pattern) => {
            others[index] = Some(pattern.clone());
            assert_eq!(violations(&instance, &others), []);
        }
        Relaxation::Reseat(reseat) => {
            others[index] = Some(reseat.pattern.clone());
            for &(chain, position, node) in &reseat.moved {
                others[chain].as_mut().expect("accepted")[position] = node;
            }
            assert_eq!(violations(&instance, &others), []);
        }
        Relaxation::Loosen { unpin, allow } => {
            for &position in unpin {
                changed.chains[index].nf_pins.as_mut().expect("pinned")[position] = None;
            }
            if !allow.is_empty() {
                let pin = changed.chains[index].pin.as_mut().expect("pinned");
                pin.extend(allow.iter().map(|&node| format!("n{node}")));
            }
            assert!(fits(&changed, &others, index));
        }
        Relaxation::RaiseMoves(moves) => {
            changed.max_moves = Some(*moves);
            assert!(fits_somehow(&changed, &others, index));
            changed.max_moves = Some(moves - 1);
            assert!(!fits(&changed, &others, index), "fewer moves would do");
        }
        Relaxation::Remove(removed) => {
            for &chain in removed {
                others[chain] = None;
            }
            assert!(fits(&changed, &others, index));
        }
        Relaxation::Shorten(nfs) => {
            changed.initial.iter_mut().for_each(|initial| _ = initial.remove(&id));
            let mut cut = |nfs: usize| {
                changed.chains[index].nfs.truncate(nfs);
                changed.chains[index].nf_pins.iter_mut().for_each(|pins| pins.truncate(nfs));
                fits(&changed, &others, index)
            };
            assert!(!cut(nfs + 1), "more NFs would fit");
            assert!(cut(*nfs));
        }
        Relaxation::AddCores { pinned, free, max_moves } => {
            let cores = pinned.iter().map(|(_, cores)| cores).sum::<u32>() + free;
            let unlimited = Problem { max_moves: None, ..given.clone() };
            assert!(!fits_with_cores(&unlimited, &others, index, cores - 1, 0), "fewer cores would do");
            for &(node, cores) in pinned {
                changed.nodes[node as usize].cores += cores;
            }
            changed.max_moves = max_moves.or(given.max_moves);
            for node in Demand::new(given, &instance, &node_indices(given), index).confined {
                let mut extended = changed.clone();
                extended.nodes[node as usize].cores += free;
                assert!(fits(&extended, &others, index));
            }
        }
    }
}

/// A problem of at most 3 x 2 NFs on at most 3 nodes, and which chains its placement shall leave out.
fn cases() -> impl Strategy<Value = (Problem, Vec<bool>)> {
    let shapes = (1usize..=2, 0u8..8, prop::collection::vec(prop::option::of(0usize..3), 2), 1u8..4);
    let initial = prop::collection::vec(prop::option::of((0usize..3, 0usize..3)), 3);
    (
        prop::collection::vec(0u32..=3, 1..=3),
        prop::collection::vec(shapes, 1..=3),
        initial,
        prop::option::of(0u32..3),
        prop::collection::vec(any::<bool>(), 3),
    )
        .prop_map(|(cores, chains, initial, max_moves, left_out)| {
            let count = cores.len();
            let name = |node: usize| format!("n{}", node % count);
            let chains: Vec<Chain> = chains
                .into_iter()
                .enumerate()
                .map(|(index, (length, mask, nf_pins, value))| {
                    let pin: Vec<String> = (0..count).filter(|node| mask >> node & 1 == 1).map(name).collect();
                    let pin = (!pin.is_empty()).then_some(pin);
                    let allowed = |node: &String| pin.as_ref().is_none_or(|pin| pin.contains(node));
                    let nf_pins = nf_pins[..length].iter().map(|node| node.map(name).filter(allowed)).collect();
                    let short = chain(&format!("c{index}"), &"A".repeat(length));
                    Chain { value: f64::from(value), pin: pin.clone(), nf_pins: Some(nf_pins), ..short }
                })
                .collect();
            let ran = chains.iter().zip(initial).filter_map(|(chain, ran)| {
                let (first, second) = ran?;
                Some((chain.id.clone(), vec![name(first), name(second)][..chain.nfs.len()].to_vec()))
            });
            let initial = Some(ran.collect());
            (Problem { initial, max_moves, ..problem(nodes(&cores), chains) }, left_out)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Every way out is one, is the least of its kind, and a chain that fits somehow is never told to wait for cores
    /// before the others make room.
    #[test]
    fn every_way_out_is_one((given, left_out) in cases()) {
        let instance = Instance::new(&given);
        let found = solve(
            &given, Algorithm::NodeFirst, &Options::default(), None).unwrap();
        let mut placed = assignment_of(&given, &found.assignment, "assignment").unwrap();
        for (pattern, out) in placed.iter_mut().zip(left_out) {
            *pattern = pattern.take().filter(|_| !out);
        }
        let host = Host::new(&instance, &placed);
        for index in (0..placed.len()).filter(|&index| placed[index].is_none()) {
            let demand = Demand::new(&given, &instance, &node_indices(&given), index);
            let offered = host.relaxations(index, &demand);
            prop_assert!(!offered.is_empty());
            for relaxation in &offered {
                apply(&given, &placed, index, relaxation);
            }
            let alone = fits(&given, &placed, index);
            prop_assert_eq!(matches!(offered[0], Relaxation::Seat(_)), alone);
            if given.max_moves.is_none() && !alone {
                let somehow = fits_somehow(&given, &placed, index);
                prop_assert_eq!(matches!(offered[0], Relaxation::Reseat(_)), somehow);
            }
        }
    }
}
