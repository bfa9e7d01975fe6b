//! A problem made ready for solving: names become indices, parameters sit beside the NFs they belong to.

use std::collections::{BTreeMap, HashMap};

use crate::error::BadInput;
use crate::problem::{NfParameters, Objective, Placement, Problem};

/// The node (by index in the problem) of each NF of a chain.
pub type Pattern = Vec<u16>;
/// One entry a chain, in the problem's order; None: rejected.
pub type Assignment = Vec<Option<Pattern>>;

/// Ideal throughput and drop coefficients of one NF on one kind of node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Throughput without competitors, Mpps.
    pub ideal: f64,
    /// Drop per unit of competing level on the LLC.
    pub alpha: f64,
    /// Drop per unit of competing level on memory or interconnect.
    pub beta: f64,
    /// Drop in any case.
    pub c: f64,
}

impl Side {
    /// Throughput at two competing levels, Mpps, unclamped (Octans, Eq. 2 and 8).
    #[inline]
    pub fn mpps(&self, llc: f64, mem: f64) -> f64 {
        self.ideal * (1.0 - (self.alpha * llc + self.beta * mem + self.c))
    }
}

/// One NF of a chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nf {
    /// 1 / stalls (Octans, Eq. 7).
    pub weight: f64,
    /// On the chain's ingress node.
    pub local: Side,
    /// On any other node.
    pub remote: Side,
    /// Index into `Instance::allowed_sets`.
    pub allowed: u32,
}

impl Nf {
    /// An NF of a type; `allowed` is an index into `Instance::allowed_sets`.
    pub fn new(parameters: &NfParameters, allowed: u32) -> Self {
        let side = |ideal, drop: crate::problem::DropCoefficients| Side {
            ideal,
            alpha: drop.alpha,
            beta: drop.beta,
            c: drop.c,
        };
        Self {
            weight: 1.0 / parameters.stalls,
            local: side(parameters.ideal.local, parameters.local),
            remote: side(parameters.ideal.remote, parameters.remote),
            allowed,
        }
    }
}

/// One chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// NFs in the order of the packets; never empty.
    pub nfs: Vec<Nf>,
    /// Weight in both aims.
    pub value: f64,
    /// What the chain counts at most, Mpps: its rate with objective `served`, else infinity.
    pub rate: f64,
    /// The node its packets arrive on.
    pub ingress: u16,
    /// Where it runs now; None for a new chain.
    pub initial: Option<Pattern>,
}

impl Chain {
    /// What enters the score at this capacity (Mpps), before the price of moves.
    #[inline]
    pub fn counted(&self, capacity: f64) -> f64 {
        self.value * capacity.min(self.rate)
    }

    /// NFs whose node differs from where they run now.
    pub fn moves(&self, pattern: &[u16]) -> u32 {
        self.initial.as_ref().map_or(0, |before| moved(before, pattern))
    }
}

/// NFs of a chain whose node differs.
pub fn moved(before: &[u16], now: &[u16]) -> u32 {
    before.iter().zip(now).filter(|(then, now)| then != now).count() as u32
}

/// A problem by indices.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Cores of each node, those in use by others included.
    pub cores: Vec<u32>,
    /// Free cores of each node.
    pub free: Vec<u32>,
    /// Foreign weight on each node.
    pub background: Vec<f64>,
    /// Chains in the problem's order.
    pub chains: Vec<Chain>,
    /// Distinct sets of nodes that NFs may stand on, each rising.
    pub allowed_sets: Vec<Vec<u16>>,
    /// What one moved NF costs in the score.
    pub move_price: f64,
    /// What the initial placement must be beaten by.
    pub margin: f64,
    /// Most moves; `u32::MAX` without a limit.
    pub max_moves: u32,
    /// True where a placement runs and all of its chains are in the problem.
    pub may_keep_initial: bool,
}

impl Instance {
    /// The instance of a checked problem (`reader` has refused what is inconsistent).
    pub fn new(problem: &Problem) -> Self {
        let node_of = node_indices(problem);
        let first_local = problem.nodes.iter().position(|node| node.local).unwrap_or(0) as u16;
        let mut sets = AllowedSets::default();
        let anywhere = sets.index((0..problem.nodes.len() as u16).collect());
        let served = problem.objective == Objective::Served;
        let initial = problem.initial.as_ref();
        let chains = problem
            .chains
            .iter()
            .map(|chain| {
                let confined = match &chain.pin {
                    Some(names) => sets.index(names.iter().map(|name| node_of[name.as_str()]).collect()),
                    None => anywhere,
                };
                let pin = |position: usize| chain.nf_pins.as_ref().and_then(|pins| pins[position].as_deref());
                let nfs = chain.nfs.iter().enumerate().map(|(position, name)| {
                    let allowed = pin(position).map_or(confined, |node| sets.index(vec![node_of[node]]));
                    Nf::new(&problem.nf_types[name], allowed)
                });
                Chain {
                    nfs: nfs.collect(),
                    value: chain.value,
                    rate: chain.rate_mpps.filter(|_| served).unwrap_or(f64::INFINITY),
                    ingress: chain.ingress.as_ref().map_or(first_local, |name| node_of[name.as_str()]),
                    initial: initial
                        .and_then(|placement| placement.get(&chain.id))
                        .map(|names| names.iter().map(|name| node_of[name.as_str()]).collect()),
                }
            })
            .collect();
        Self {
            cores: problem.nodes.iter().map(|node| node.cores).collect(),
            free: problem.nodes.iter().map(|node| node.cores - node.taken).collect(),
            background: problem.nodes.iter().map(|node| node.background).collect(),
            chains,
            allowed_sets: sets.sets,
            move_price: problem.move_price_mpps,
            margin: problem.margin_mpps,
            max_moves: problem.max_moves.unwrap_or(u32::MAX),
            may_keep_initial: initial.is_some_and(|placement| {
                let ids: std::collections::HashSet<&str> =
                    problem.chains.iter().map(|chain| chain.id.as_str()).collect();
                placement.keys().all(|name| ids.contains(name.as_str()))
            }),
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.free.len()
    }

    /// Nodes an NF may stand on, rising.
    #[inline]
    pub fn allowed(&self, nf: &Nf) -> &[u16] {
        &self.allowed_sets[nf.allowed as usize]
    }

    /// The placement that runs now.
    pub fn initial(&self) -> Assignment {
        self.chains.iter().map(|chain| chain.initial.clone()).collect()
    }
}

#[derive(Default)]
struct AllowedSets {
    sets: Vec<Vec<u16>>,
    index: HashMap<Vec<u16>, u32>,
}

impl AllowedSets {
    fn index(&mut self, mut set: Vec<u16>) -> u32 {
        set.sort_unstable();
        set.dedup();
        if let Some(&known) = self.index.get(&set) {
            return known;
        }
        let new = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.index.insert(set, new);
        new
    }
}

/// Index of each node by its id.
pub fn node_indices(problem: &Problem) -> HashMap<&str, u16> {
    problem.nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), index as u16)).collect()
}

/// A placement by names as an assignment; `at` is the field it came in, for the error's path.
pub fn assignment_of(problem: &Problem, placement: &Placement, at: &str) -> Result<Assignment, BadInput> {
    let node_of = node_indices(problem);
    let chain_of: BTreeMap<&str, usize> =
        problem.chains.iter().enumerate().map(|(index, chain)| (chain.id.as_str(), index)).collect();
    let mut assignment: Assignment = vec![None; problem.chains.len()];
    for (name, nodes) in placement {
        let Some(&index) = chain_of.get(name.as_str()) else {
            return Err(BadInput::new(format!("{at}.{name}"), "is not the id of a chain"));
        };
        let length = problem.chains[index].nfs.len();
        if nodes.len() != length {
            let message = format!("names {} nodes for a chain of {length} NFs", nodes.len());
            return Err(BadInput::new(format!("{at}.{name}"), message));
        }
        let indices = nodes.iter().enumerate().map(|(position, node)| {
            node_of.get(node.as_str()).copied().ok_or_else(|| {
                BadInput::new(format!("{at}.{name}.{position}"), format!("'{node}' is not the id of a node"))
            })
        });
        assignment[index] = Some(indices.collect::<Result<_, _>>()?);
    }
    Ok(assignment)
}

/// An assignment by names.
pub fn placement_of(problem: &Problem, assignment: &[Option<Pattern>]) -> Placement {
    let named = problem.chains.iter().zip(assignment).filter_map(|(chain, pattern)| {
        let nodes = pattern.as_ref()?.iter().map(|&node| problem.nodes[node as usize].id.clone());
        Some((chain.id.clone(), nodes.collect()))
    });
    named.collect()
}
