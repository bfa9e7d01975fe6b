//! Random small problems with every feature of the format mixed.
//!
//! Most figures are drawn from few values, so that equal nodes, equal chains and ties are frequent; the others from a
//! range, so that nothing rests on round numbers.

use std::ops::RangeInclusive;

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sextant_core::instance::Instance;
use sextant_core::laws::octans::brute::placements;
use sextant_core::problem::{Chain, DropCoefficients, LocalRemote, NfParameters, Node, Objective, Placement, Problem};

const TYPES: [&str; 3] = ["t0", "t1", "t2"];

/// Up to three nodes of up to five cores, often too few for all, and so many chains of up to three NFs.
pub fn problems(chains: RangeInclusive<usize>) -> impl Strategy<Value = Problem> {
    let host = (1usize..=3).prop_flat_map(|count| prop::collection::vec(node(), count));
    host.prop_flat_map(move |nodes| {
        let chains = prop::collection::vec(chain(nodes.len()), chains.clone());
        let types = prop::collection::vec(nf_type(), TYPES.len());
        (Just(nodes), types, chains, terms())
    })
    .prop_map(|(nodes, types, chains, terms)| problem(nodes, types, chains, &terms))
}

/// The same with at most four chains and no more placements than `most`, for comparison with exhaustive search.
pub fn enumerable(most: f64) -> impl Strategy<Value = Problem> {
    problems(1..=4).prop_filter("too many placements", move |problem| placements(&Instance::new(problem)) <= most)
}

/// So many values of a strategy, always the same ones: for counting how often something succeeds.
pub fn samples<T>(count: usize, strategy: &impl Strategy<Value = T>) -> Vec<T> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| strategy.new_tree(&mut runner).expect("nothing is filtered").current()).collect()
}

/// One of these, or now and then anything in a range.
fn figure(few: &[f64], range: std::ops::Range<f64>) -> impl Strategy<Value = f64> + use<> {
    prop_oneof![2 => select(few.to_vec()), 1 => range]
}

/// What is not of a node or a chain.
#[derive(Debug, Clone)]
struct Terms {
    served: bool,
    runs: bool,
    price: f64,
    margin: f64,
    most_moves: Option<u32>,
}

fn terms() -> impl Strategy<Value = Terms> {
    (
        any::<bool>(),
        any::<bool>(),
        figure(&[0.0, 0.0, 0.3, 2.0], 0.0..0.5),
        figure(&[0.0], 0.0..1.0),
        option::weighted(0.3, 0u32..5),
    )
        .prop_map(|(served, runs, price, margin, most_moves)| Terms { served, runs, price, margin, most_moves })
}

fn node() -> impl Strategy<Value = Node> {
    (any::<bool>(), 1u32..=5, select(vec![0, 0, 0, 1, 2]), figure(&[0.0, 0.0, 0.1, 0.3], 0.0..0.3)).prop_map(
        |(local, cores, taken, background)| Node {
            id: String::new(),
            local,
            cores,
            taken: taken.min(cores),
            background,
        },
    )
}

fn nf_type() -> impl Strategy<Value = NfParameters> {
    let drop = || {
        (0.0..0.6f64, 0.0..0.6f64, figure(&[0.0, 0.02], -0.02..0.1)).prop_map(|(alpha, beta, c)| DropCoefficients {
            alpha,
            beta,
            c,
        })
    };
    (figure(&[5.0, 5.0, 10.0, 40.0], 4.0..50.0), 2.0..15.0f64, 0.6..1.1f64, drop(), drop()).prop_map(
        |(stalls, near, far, local, remote)| NfParameters {
            stalls,
            ideal: LocalRemote { local: near, remote: near * far },
            local,
            remote,
        },
    )
}

/// A chain by indices.
#[derive(Debug, Clone)]
struct Sketch {
    nfs: Vec<usize>,
    value: f64,
    rate: Option<f64>,
    ingress: Option<usize>,
    pin: Option<Vec<bool>>,
    nf_pins: Option<Vec<Option<usize>>>,
    before: Option<Vec<usize>>,
}

fn chain(nodes: usize) -> impl Strategy<Value = Sketch> {
    (1usize..=3).prop_flat_map(move |length| {
        let each = |node| prop::collection::vec(node, length);
        (
            prop::collection::vec(0..TYPES.len(), length),
            figure(&[1.0, 1.0, 1.0, 2.0, 0.5], 0.5..3.0),
            option::weighted(0.4, 0.5..10.0f64),
            option::of(0..nodes),
            option::weighted(0.2, prop::collection::vec(any::<bool>(), nodes)),
            option::weighted(0.3, prop::collection::vec(option::weighted(0.3, 0..nodes), length)),
            // Whole on one node more often than not.
            option::weighted(0.7, prop_oneof![(0..nodes).prop_map(move |node| vec![node; length]), each(0..nodes)]),
        )
            .prop_map(|(nfs, value, rate, ingress, pin, nf_pins, before)| Sketch {
                nfs,
                value,
                rate,
                ingress,
                pin,
                nf_pins,
                before,
            })
    })
}

fn problem(mut nodes: Vec<Node>, types: Vec<NfParameters>, sketches: Vec<Sketch>, terms: &Terms) -> Problem {
    let name = |node: usize| format!("n{node}");
    for (index, node) in nodes.iter_mut().enumerate() {
        (node.id, node.local) = (name(index), node.local || index == 0);
    }
    let mut initial = Placement::new();
    let mut chains = Vec::new();
    for (index, sketch) in sketches.into_iter().enumerate() {
        let id = format!("c{index}");
        if let Some(before) = sketch.before {
            initial.insert(id.clone(), before.into_iter().map(name).collect());
        }
        let pin = sketch.pin.map(|pin| (0..nodes.len()).filter(|&node| pin[node]).collect::<Vec<_>>());
        let pin = pin.filter(|pin| !pin.is_empty());
        let agrees = |node: &usize| pin.as_ref().is_none_or(|pin| pin.contains(node));
        let nf_pin = |node: Option<usize>| node.filter(agrees).map(name);
        chains.push(Chain {
            id,
            nfs: sketch.nfs.into_iter().map(|index| TYPES[index].to_owned()).collect(),
            value: sketch.value,
            rate_mpps: sketch.rate,
            ingress: sketch.ingress.filter(|&node| nodes[node].local).map(name),
            nf_pins: sketch.nf_pins.map(|pins| pins.into_iter().map(nf_pin).collect()),
            pin: pin.map(|pin| pin.into_iter().map(name).collect()),
        });
    }
    Problem {
        nodes,
        nf_types: TYPES.iter().map(|name| (*name).to_owned()).zip(types).collect(),
        chains,
        objective: if terms.served { Objective::Served } else { Objective::Capacity },
        initial: terms.runs.then_some(initial),
        move_price_mpps: terms.price,
        margin_mpps: terms.margin,
        max_moves: terms.most_moves,
    }
}
