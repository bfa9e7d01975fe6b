//! Which seats a host lends: the ordinary ones, and those of last choice only for what the ordinary ones cannot hold.
//!
//! Newcomers are gone through by rank. What one of them needs beyond the ordinary seats that are left is granted from
//! the spare ones, on its local node first, then in the order of the nodes. So the seats depend on who is on the host,
//! never on the order in which the search brought them there.

use crate::fleet::demand::Seated;
use crate::fleet::roster::Host;

/// Seats of each node for all that stands on the host, or None if it cannot hold these newcomers (length, ingress).
pub fn lent(host: &Host, newcomers: impl Iterator<Item = (u32, u16)>) -> Option<Vec<u32>> {
    let mut seats = host.seats.clone();
    let mut spare = host.spare.clone();
    let held: u64 = host.running.iter().map(|chain| u64::from(chain.demand.length)).sum();
    let mut left = seats.iter().map(|&seats| u64::from(seats)).sum::<u64>().checked_sub(held)?;
    for (length, ingress) in newcomers {
        let mut missing = u64::from(length).saturating_sub(left);
        left = left.saturating_sub(u64::from(length));
        let others = (0..seats.len()).filter(|&node| node != ingress as usize);
        for node in std::iter::once(ingress as usize).chain(others) {
            let granted = missing.min(u64::from(spare[node])) as u32;
            seats[node] += granted;
            spare[node] -= granted;
            missing -= u64::from(granted);
        }
        if missing > 0 {
            return None;
        }
    }
    Some(seats)
}

/// Free seats of each node when `extra` (rank, length, ingress) joins; None if they do not suffice, or if what stands
/// there would have to give way to other grants.
pub fn room(host: &Host, seated: &[Seated], extra: Option<(u32, u32, u16)>) -> Option<Vec<u32>> {
    let mut newcomers: Vec<(u32, u32, u16)> =
        seated.iter().filter_map(|chain| Some((chain.rank?, chain.demand.length, chain.ingress))).collect();
    newcomers.extend(extra);
    newcomers.sort_unstable();
    let mut room = lent(host, newcomers.into_iter().map(|(_, length, ingress)| (length, ingress)))?;
    for &node in seated.iter().flat_map(|chain| &chain.pattern) {
        room[node as usize] = room[node as usize].checked_sub(1)?;
    }
    Some(room)
}

/// Without a prediction: the local node first, then the others in order. None if there is not enough room.
pub fn fill(room: &[u32], ingress: u16, length: u32) -> Option<Vec<u16>> {
    let others = (0..room.len() as u16).filter(|&node| node != ingress);
    let seats = std::iter::once(ingress)
        .chain(others)
        .flat_map(|node| std::iter::repeat_n(node, room[node as usize].min(length) as usize));
    let pattern: Vec<u16> = seats.take(length as usize).collect();
    (pattern.len() == length as usize).then_some(pattern)
}
