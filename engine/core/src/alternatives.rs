//! Why an NF stands where it does: what the score would be with this NF alone on another node that has room.

use serde::Serialize;

use crate::instance::{Instance, Pattern};
use crate::rank::Rank;

/// Another node for one NF.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Alternative {
    /// Index of the node.
    pub node: u16,
    /// Score with the NF there - score as it is, Mpps; the price of moves is in both.
    pub score_delta: f64,
}

/// For every NF of every chain (rejected ones have none) the nodes that its pins allow and that have a free core.
pub fn alternatives(instance: &Instance, assignment: &[Option<Pattern>]) -> Vec<Vec<Vec<Alternative>>> {
    let mut room = instance.free.clone();
    for &node in assignment.iter().flatten().flatten() {
        room[node as usize] = room[node as usize].saturating_sub(1);
    }
    let score = Rank::of(instance, assignment).score;
    let mut tried = assignment.to_vec();
    let of_nf = |tried: &mut Vec<Option<Pattern>>, chain: usize, position: usize| {
        let here = assignment[chain].as_ref().map_or(u16::MAX, |pattern| pattern[position]);
        let allowed = instance.allowed(&instance.chains[chain].nfs[position]).iter().copied();
        let open = allowed.filter(|&node| node != here && room[node as usize] > 0);
        let found = open.map(|node| {
            put(tried, chain, position, node);
            Alternative { node, score_delta: Rank::of(instance, tried).score - score }
        });
        let found = found.collect();
        put(tried, chain, position, here);
        found
    };
    let of_chain = |(chain, pattern): (usize, &Option<Pattern>)| {
        let length = pattern.as_ref().map_or(0, Vec::len);
        (0..length).map(|position| of_nf(&mut tried, chain, position)).collect()
    };
    assignment.iter().enumerate().map(of_chain).collect()
}

fn put(assignment: &mut [Option<Pattern>], chain: usize, position: usize, node: u16) {
    if let Some(pattern) = &mut assignment[chain] {
        pattern[position] = node;
    }
}
