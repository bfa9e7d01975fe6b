//! Anti-affinity: chains of one group that must not share a host, or a NUMA node of it.
//!
//! It is required, so that a place which would break it is none. Two running chains that stand together already are
//! left so: that was nobody's doing here.

use crate::fleet::demand::Seated;
use crate::fleet::request::Scope;

/// The group of a chain, and what it must not share with the others of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Apart {
    /// Equal for chains that are kept apart.
    pub group: u32,
    /// Of two scopes the stricter holds: chains share a host only where both have `Node`.
    pub by_node: bool,
}

impl Apart {
    /// From a group's index.
    pub fn new(group: u32, scope: Scope) -> Self {
        Self { group, by_node: scope == Scope::Node }
    }

    /// True where the two must not stand on one host.
    pub fn parts_hosts(self, other: Self) -> bool {
        self.group == other.group && !(self.by_node && other.by_node)
    }

    /// True where the two may share a host, but no node of it.
    pub fn parts_nodes(self, other: Self) -> bool {
        self.group == other.group && self.by_node && other.by_node
    }
}

/// True where a newcomer of a host stands with a chain that it is kept apart from.
pub fn broken(seated: &[Seated]) -> bool {
    let grouped = || seated.iter().enumerate().filter_map(|(index, chain)| Some((index, chain, chain.demand.apart?)));
    grouped().any(|(index, chain, apart)| {
        grouped().take_while(|(other, ..)| *other < index).any(|(_, other, others)| {
            let together = || chain.pattern.iter().any(|node| other.pattern.contains(node));
            (chain.rank.is_some() || other.rank.is_some())
                && (apart.parts_hosts(others) || (apart.parts_nodes(others) && together()))
        })
    })
}

/// True where no chain of the host forbids it to a chain that joins.
pub fn admits(apart: Apart, seated: &[Seated]) -> bool {
    !seated.iter().filter_map(|chain| chain.demand.apart).any(|other| apart.parts_hosts(other))
}

/// Take the nodes of chains that a chain which joins is kept apart from by node out of its room.
pub fn keep_off(apart: Apart, seated: &[Seated], room: &mut [u32]) {
    let others = seated.iter().filter(|chain| chain.demand.apart.is_some_and(|other| apart.parts_nodes(other)));
    for &node in others.flat_map(|chain| &chain.pattern) {
        room[node as usize] = 0;
    }
}
