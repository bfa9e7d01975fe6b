//! The skeleton of the two baselines: chain by chain, NF by NF, each on the node its rule prefers.
//!
//! Two candidates are built and the better one by the order of aims is taken: one from scratch, and, where something
//! runs already, one in which it stays and only the rest is placed. Chains go by falling value (the first aim); within
//! a chain, NFs without a choice take their cores first.

use crate::control::Control;
use crate::instance::{Assignment, Instance, Pattern};
use crate::laws::octans::Outcome;
use crate::rank::{Rank, violations};

/// (instance, free cores by node, chain, allowed nodes with a free core) -> the node to take.
pub type Prefer = fn(&Instance, &[u32], usize, &[u16]) -> u16;

/// Place by `prefer`; the better of `from scratch` and `what runs stays`.
pub fn run(instance: &Instance, control: &mut Control, prefer: Prefer) -> Outcome {
    let mut candidates = vec![place(instance, prefer, false)];
    if instance.chains.iter().any(|chain| chain.initial.is_some()) {
        candidates.push(place(instance, prefer, true));
    }
    let mut best: Option<(Rank, Assignment)> = None;
    for candidate in candidates {
        control.count(1);
        let rank = Rank::of(instance, &candidate);
        if violations(instance, &candidate).is_empty() && best.as_ref().is_none_or(|(found, _)| rank.beats(found)) {
            control.found(rank.score);
            best = Some((rank, candidate));
        }
    }
    let assignment = best.map_or_else(|| vec![None; instance.chains.len()], |(_, assignment)| assignment);
    Outcome::found(assignment)
}

fn place(instance: &Instance, prefer: Prefer, stay: bool) -> Assignment {
    let mut room = instance.free.clone();
    let mut assignment: Assignment = vec![None; instance.chains.len()];
    if stay {
        for (index, chain) in instance.chains.iter().enumerate() {
            if let Some(before) = chain.initial.as_ref().filter(|before| fits(instance, index, before, &room)) {
                for &node in before {
                    room[node as usize] -= 1;
                }
                assignment[index] = Some(before.clone());
            }
        }
    }
    let mut left: usize = room.iter().map(|&cores| cores as usize).sum();
    for index in order(instance) {
        let needed = instance.chains[index].nfs.len();
        if assignment[index].is_none() && needed <= left {
            assignment[index] = seat(instance, prefer, &mut room, index);
            left -= if assignment[index].is_some() { needed } else { 0 };
        }
    }
    assignment
}

/// Chains without any choice first, then by falling value, then as given.
fn order(instance: &Instance) -> Vec<usize> {
    let has_choice = |index: usize| instance.chains[index].nfs.iter().any(|nf| instance.allowed(nf).len() > 1);
    let mut order: Vec<usize> = (0..instance.chains.len()).collect();
    order.sort_by(|&a, &b| {
        let by_value = || instance.chains[b].value.total_cmp(&instance.chains[a].value);
        has_choice(a).cmp(&has_choice(b)).then_with(by_value)
    });
    order
}

fn fits(instance: &Instance, index: usize, pattern: &[u16], room: &[u32]) -> bool {
    let allowed = instance.chains[index]
        .nfs
        .iter()
        .zip(pattern)
        .all(|(nf, node)| instance.allowed(nf).binary_search(node).is_ok());
    allowed
        && pattern
            .iter()
            .all(|&node| pattern.iter().filter(|&&other| other == node).count() as u32 <= room[node as usize])
}

/// Seat one chain and take its cores from `room`; None, and `room` as it was, if some NF finds no core.
pub fn seat(instance: &Instance, prefer: Prefer, room: &mut [u32], index: usize) -> Option<Pattern> {
    let chain = &instance.chains[index];
    let mut positions: Vec<usize> = (0..chain.nfs.len()).collect();
    positions.sort_by_key(|&position| instance.allowed(&chain.nfs[position]).len() > 1);
    let mut pattern = vec![u16::MAX; chain.nfs.len()];
    for position in positions {
        let allowed = instance.allowed(&chain.nfs[position]).iter().copied();
        let open: Vec<u16> = allowed.filter(|&node| room[node as usize] > 0).collect();
        if open.is_empty() {
            pattern.iter().filter(|&&node| node != u16::MAX).for_each(|&node| room[node as usize] += 1);
            return None;
        }
        let node = prefer(instance, room, index, &open);
        pattern[position] = node;
        room[node as usize] -= 1;
    }
    Some(pattern)
}
