//! Random small problems with every feature of the format mixed, for comparison with exhaustive search.

use std::collections::BTreeMap;

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use sextant_core::algorithms::brute::placements;
use sextant_core::instance::Instance;
use sextant_core::problem::{Chain, DropCoefficients, LocalRemote, NfParameters, Node, Objective, Placement, Problem};

const TYPES: [&str; 3] = ["a", "b", "c"];

/// Up to three nodes and four chains of up to three NFs, no more placements than `most`. Few distinct figures, so that
/// equal nodes, equal chains and equal values are frequent.
pub fn problems(most: f64) -> impl Strategy<Value = Problem> {
    let host = (1usize..=3).prop_flat_map(|count| prop::collection::vec(node(), count));
    host.prop_flat_map(|nodes| {
        let count = nodes.len();
        let chains = prop::collection::vec(chain(count), 1..=4);
        let types = prop::collection::vec(nf_type(), TYPES.len());
        (Just(nodes), types, chains, any::<bool>(), terms())
    })
    .prop_map(|(nodes, types, chains, served, terms)| problem(nodes, types, chains, served, &terms))
    .prop_filter("too many placements", move |problem| placements(&Instance::new(problem)) <= most)
}

/// Price, most moves, whether something runs.
type Terms = (f64, Option<u32>, bool);

fn terms() -> impl Strategy<Value = Terms> {
    (select(vec![0.0, 0.0, 0.3, 2.0]), option::weighted(0.3, 0u32..5), any::<bool>())
}

fn node() -> impl Strategy<Value = Node> {
    (any::<bool>(), 2u32..=5, select(vec![0, 0, 0, 1, 2]), select(vec![0.0, 0.0, 0.1, 0.3]))
        .prop_map(|(local, cores, taken, background)| Node { id: String::new(), local, cores, taken, background })
}

fn nf_type() -> impl Strategy<Value = NfParameters> {
    let drop = || {
        (0.0..0.6f64, 0.0..0.6f64, select(vec![0.0, 0.02])).prop_map(|(alpha, beta, c)| DropCoefficients {
            alpha,
            beta,
            c,
        })
    };
    (select(vec![5.0, 5.0, 10.0, 40.0]), 5.0..9.0f64, 5.0..9.0f64, drop(), drop()).prop_map(
        |(stalls, near, far, local, remote)| NfParameters {
            stalls,
            ideal: LocalRemote { local: near, remote: far },
            local,
            remote,
        },
    )
}

/// A chain by indices: NF types, value, rate, ingress, pin (a set of nodes), pins of NFs, where it runs.
type Sketch = (Vec<usize>, f64, Option<f64>, usize, Option<Vec<bool>>, Vec<Option<usize>>, Option<Vec<usize>>);

fn chain(nodes: usize) -> impl Strategy<Value = Sketch> {
    (1usize..=3).prop_flat_map(move |length| {
        (
            prop::collection::vec(0..TYPES.len(), length),
            select(vec![1.0, 1.0, 1.0, 2.0, 0.5, 0.0]),
            option::weighted(0.3, 3.0..9.0f64),
            0..nodes,
            option::weighted(0.2, prop::collection::vec(any::<bool>(), nodes)),
            prop::collection::vec(option::weighted(0.1, 0..nodes), length),
            option::weighted(0.7, prop::collection::vec(0..nodes, length)),
        )
    })
}

fn problem(
    mut nodes: Vec<Node>,
    types: Vec<NfParameters>,
    sketches: Vec<Sketch>,
    served: bool,
    &(price, most, runs): &Terms,
) -> Problem {
    let name = |node: usize| format!("n{node}");
    for (index, node) in nodes.iter_mut().enumerate() {
        (node.id, node.local) = (name(index), node.local || index == 0);
    }
    let mut initial = Placement::new();
    let mut chains = Vec::new();
    for (index, (nfs, value, rate_mpps, ingress, pin, nf_pins, before)) in sketches.into_iter().enumerate() {
        let id = format!("c{index}");
        if let Some(before) = before {
            initial.insert(id.clone(), before.into_iter().map(name).collect());
        }
        let pin = pin.map(|pin| (0..nodes.len()).filter(|&node| pin[node]).collect::<Vec<_>>());
        let pin = pin.filter(|pin| !pin.is_empty());
        let agrees = |node: &usize| pin.as_ref().is_none_or(|pin| pin.contains(node));
        chains.push(Chain {
            id,
            nfs: nfs.into_iter().map(|index| TYPES[index].to_owned()).collect(),
            value,
            rate_mpps,
            ingress: nodes[ingress].local.then(|| name(ingress)),
            nf_pins: Some(nf_pins.into_iter().map(|node| node.filter(agrees).map(name)).collect()),
            pin: pin.map(|pin| pin.into_iter().map(name).collect()),
        });
    }
    let nf_types: BTreeMap<String, NfParameters> = TYPES.iter().map(|name| (*name).to_owned()).zip(types).collect();
    Problem {
        nodes,
        nf_types,
        chains,
        objective: if served { Objective::Served } else { Objective::Capacity },
        initial: runs.then_some(initial),
        move_price_mpps: price,
        margin_mpps: 0.0,
        max_moves: most,
    }
}
