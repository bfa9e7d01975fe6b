//! What can be exchanged without changing anything: nodes of one class, and chains that are alike.
//!
//! Nodes are interchangeable if they agree in free cores and background, are the ingress of no chain, belong to the same
//! allowed sets and nobody runs on them now (where moves count). Among placements that differ only so, the one whose
//! chains' patterns come first lexicographically is looked at, with the nodes of a class side by side in the order.

use crate::instance::{Chain, Instance};

/// Classes of interchangeable nodes.
#[derive(Debug)]
pub struct Classes {
    class: Vec<u16>, // by node; classes by first member
    rank: Vec<u16>,  // by node: its place in the lexicographic order
    members: Vec<Vec<u16>>,
}

impl Classes {
    /// The classes as far as these chains (indices into the instance) can tell.
    #[expect(clippy::float_cmp, reason = "only what is exactly equal is exchangeable")]
    pub fn new(instance: &Instance, chains: &[usize]) -> Self {
        let nodes = instance.nodes();
        let mut fixed = vec![false; nodes];
        for &chain in chains {
            let chain = &instance.chains[chain];
            fixed[chain.ingress as usize] = true;
            if instance.move_price != 0.0 || instance.max_moves != u32::MAX {
                chain.initial.iter().flatten().for_each(|&node| fixed[node as usize] = true);
            }
        }
        let contains: Vec<Vec<bool>> = instance
            .allowed_sets
            .iter()
            .map(|set| (0..nodes).map(|node| set.binary_search(&(node as u16)).is_ok()).collect())
            .collect();
        let alike = |a: usize, b: usize| {
            !fixed[a]
                && !fixed[b]
                && instance.free[a] == instance.free[b]
                && instance.background[a] == instance.background[b]
                && contains.iter().all(|set| set[a] == set[b])
        };
        let mut class = vec![0; nodes];
        let mut members: Vec<Vec<u16>> = Vec::new();
        for node in 0..nodes {
            let known = members.iter().position(|class| alike(class[0] as usize, node));
            let index = known.unwrap_or(members.len());
            if known.is_none() {
                members.push(Vec::new());
            }
            members[index].push(node as u16);
            class[node] = index as u16;
        }
        let mut rank = vec![0; nodes];
        for (place, &node) in members.iter().flatten().enumerate() {
            rank[node as usize] = place as u16;
        }
        Self { class, rank, members }
    }

    /// Nodes in the lexicographic order.
    pub fn by_rank(&self, nodes: &[u16]) -> Vec<u16> {
        let mut ordered = nodes.to_vec();
        ordered.sort_by_key(|&node| self.rank[node as usize]);
        ordered
    }

    /// False if the pattern opens an empty node although an empty one of the same class comes before it.
    pub fn opens_in_order(&self, pattern: &[u16], is_empty: impl Fn(u16) -> bool) -> bool {
        pattern.iter().enumerate().all(|(position, &node)| {
            let earlier = &pattern[..position];
            let fresh = |node: u16| is_empty(node) && !earlier.contains(&node);
            !fresh(node)
                || self.members[self.class[node as usize] as usize]
                    .iter()
                    .take_while(|&&other| other != node)
                    .all(|&other| !fresh(other))
        })
    }
}

/// For each of these chains the first one that is identical to it: equal NFs, value, rate, ingress and, where moves count, equal
/// nodes now.
pub fn identical_to(instance: &Instance, chains: &[usize]) -> Vec<usize> {
    let first = |position: usize| {
        (0..position).find(|&other| are_alike(instance, chains[other], chains[position])).unwrap_or(position)
    };
    (0..chains.len()).map(first).collect()
}

/// True if two chains can be exchanged in any placement.
#[expect(clippy::float_cmp, reason = "only what is exactly equal is exchangeable")]
pub fn are_alike(instance: &Instance, one: usize, other: usize) -> bool {
    let (one, other): (&Chain, &Chain) = (&instance.chains[one], &instance.chains[other]);
    let moves_count = instance.move_price != 0.0 || instance.max_moves != u32::MAX;
    one.value == other.value
        && one.rate == other.rate
        && one.ingress == other.ingress
        && one.nfs == other.nfs
        && (!moves_count || one.initial == other.initial)
}
