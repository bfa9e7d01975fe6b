//! From one host of the fleet to the placement problem of its NUMA nodes.

use std::collections::BTreeMap;

use crate::fleet::demand::Seated;
use crate::fleet::roster::Roster;
use crate::fleet::seats;
use crate::fleet::state::State;
use crate::instance::Assignment;
use crate::problem::{Chain, Node, Problem};

/// What running chains may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Running {
    /// They stay where they run.
    Pinned,
    /// They may change nodes at the price, at most so many NFs of them; but for chains that are to stay.
    Free(Option<u32>),
}

/// The problem of a host's chains, in the order of `state.seated`; None where the model knows no parameters.
///
/// Chains that are kept apart by node are pinned to the nodes they have: algorithms know nothing of groups.
pub fn host_problem(roster: &Roster, host: usize, state: &State, running: Running) -> Option<Problem> {
    let request = roster.request;
    let place = &roster.hosts[host];
    let types = request.models.get(place.asked.model.as_ref()?)?;
    let name = |node: u16| place.asked.nodes[node as usize].id.clone();
    let newcomers = state.seated.iter().filter(|chain| chain.rank.is_some());
    let lent = seats::lent(place, newcomers.map(|chain| (chain.demand.length, chain.ingress)))?;
    let nodes = place.asked.nodes.iter().zip(lent).enumerate().map(|(index, (node, seats))| Node {
        id: node.id.clone(),
        local: state.seated.iter().any(|chain| chain.ingress as usize == index),
        cores: seats + node.taken,
        taken: node.taken,
        background: node.background,
    });
    let mut nf_types = BTreeMap::new();
    let mut chains = Vec::with_capacity(state.seated.len());
    let mut initial = BTreeMap::new();
    for (index, seated) in state.seated.iter().enumerate() {
        let (id, nfs, rate_mpps) = named(roster, host, index, seated);
        let names = |pattern: &[u16]| pattern.iter().map(|&node| name(node)).collect::<Vec<String>>();
        let before = place.running.get(index).map(|running| names(&running.pattern));
        let kept = seated.demand.apart.is_some_and(|apart| apart.by_node);
        let pinned = before
            .clone()
            .filter(|_| kept || running == Running::Pinned || stays(roster, host, index))
            .or_else(|| kept.then(|| names(&seated.pattern)));
        for nf in nfs {
            nf_types.insert(nf.clone(), *types.get(nf)?);
        }
        chains.push(Chain {
            id: id.to_owned(),
            nfs: nfs.to_vec(),
            value: seated.demand.value,
            rate_mpps,
            ingress: Some(name(seated.ingress)),
            pin: None,
            nf_pins: pinned.map(|nodes| nodes.into_iter().map(Some).collect()),
        });
        if let (Running::Free(_), Some(nodes)) = (running, before) {
            initial.insert(id.to_owned(), nodes);
        }
    }
    let mut problem = Problem { nodes: nodes.collect(), nf_types, chains, ..Problem::default() };
    problem.objective = request.objective;
    if let Running::Free(max_moves) = running {
        problem.initial = Some(initial);
        problem.move_price_mpps = request.move_price_mpps;
        problem.margin_mpps = request.margin_mpps;
        problem.max_moves = max_moves;
    }
    Some(problem)
}

/// Whether a running chain is to stay, though others may move; `index` into `State::seated`.
fn stays(roster: &Roster, host: usize, index: usize) -> bool {
    roster.hosts[host].asked.chains.get(index).is_some_and(|chain| chain.stays)
}

/// Id, NF types and rate of a chain on a host; `index` into `State::seated`.
pub fn named<'a>(
    roster: &Roster<'a>,
    host: usize,
    index: usize,
    seated: &Seated,
) -> (&'a str, &'a [String], Option<f64>) {
    if let Some(rank) = seated.rank {
        let asked = roster.waiting[rank as usize].asked;
        (&asked.id, &asked.nfs, asked.rate_mpps)
    } else {
        let asked = &roster.hosts[host].asked.chains[index];
        (&asked.id, &asked.nfs, asked.rate_mpps)
    }
}

/// The patterns of a state as an assignment of its problem.
pub fn assignment(state: &State) -> Assignment {
    state.seated.iter().map(|chain| Some(chain.pattern.clone())).collect()
}
