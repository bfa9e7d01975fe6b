//! Algorithms 1 and 2 of the paper. What it leaves open:
//! - phi differs from the rate where it is below 99 % of it;
//! - `max_remote` is the highest level of the chain on a remote node;
//! - `feasible(i, j)`: at the present rates i fits the local node and j the node that i leaves, both in full, beside what
//!   the others there hold, and there are cores;
//! - chains that swap are granted that at once; all others are adjusted in the next interval.

use crate::error::BadInput;
use crate::laws::numasfp::granting::{IN_FULL, Room, adjust, carried, in_full, rooms};
use crate::laws::numasfp::problem::{Host, Placement};
use crate::laws::numasfp::table::{Level, Side, cap};

/// The node that holds the NICs comes first.
const LOCAL: usize = 0;

/// Which chains may be sent away from the local node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// Those that carry less than a remote node allows: as printed. A chain that is starved counts, too.
    Carrying,
    /// Those that are offered less than a remote node allows.
    Offered,
}

/// What one interval leaves to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Where chains stand.
    pub placement: Placement,
    /// Consecutive intervals in which a chain carried less than it was offered.
    pub violations: Vec<u32>,
    /// Of the interval before; None: this is the first.
    pub rates: Option<Vec<f64>>,
}

/// What an interval comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// What chains are granted.
    pub granted: Vec<Level>,
    /// Before a swap sets it back.
    pub violations: Vec<u32>,
    /// Chains that changed their node, in the order of the swaps.
    pub moved: Vec<usize>,
}

/// Algorithm 1's start: by falling rate, each chain on the local node where it fits in full.
pub fn start(host: &Host, rates: &[f64]) -> Result<Placement, BadInput> {
    first_fit(host, &host.by_falling_rate(rates), rates)
}

/// Each chain, in an order, on the local node where it fits in full, else on the first remote one where it does, up to
/// what remote nodes carry; else where there are cores, the local one last.
pub fn first_fit(host: &Host, order: &[usize], rates: &[f64]) -> Result<Placement, BadInput> {
    let mut rooms = rooms(host);
    let mut cores = host.free_cores(&[]);
    let mut placement = vec![LOCAL; host.chains.len()];
    for &chain in order {
        let nfs = i64::from(host.chains[chain].nfs);
        let wanted = |node: usize| {
            let levels = host.levels(chain, node);
            let rate = if node == LOCAL { rates[chain] } else { rates[chain].min(cap(levels)) };
            in_full(host, chain, host.nodes[node].side, rate)
        };
        let open: Vec<usize> = (0..host.nodes.len()).filter(|&node| cores[node] >= nfs).collect();
        let fits = open.iter().find_map(|&node| wanted(node).filter(|level| rooms[node].fits(level)).map(|_| node));
        let node = fits.or_else(|| open.iter().copied().min_by_key(|&node| node == LOCAL));
        let node = node.ok_or_else(|| no_cores(host, chain))?;
        placement[chain] = node;
        cores[node] -= nfs;
        if let Some(level) = wanted(node).filter(|level| rooms[node].fits(level)) {
            rooms[node].take(&level);
        }
    }
    Ok(placement)
}

/// The refusal of a chain for which no node has cores left.
pub fn no_cores(host: &Host, chain: usize) -> BadInput {
    let one = &host.chains[chain];
    let message = format!("its {} NFs find no node with as many free cores; add cores, or remove a chain", one.nfs);
    BadInput::new(format!("chains.{}", one.name), message)
}

/// Consecutive violations, with this interval's. `rates` are clamped.
pub fn violations(before: &[u32], granted: &[Level], rates: &[f64]) -> Vec<u32> {
    let missed = |(granted, rate): (&Level, &f64)| carried(granted, *rate) < IN_FULL * rate;
    let now = granted.iter().zip(rates).map(missed);
    before.iter().zip(now).map(|(before, missed)| if missed { before.saturating_add(1) } else { 0 }).collect()
}

/// One interval: lines 10 to 28 of Algorithm 1. `rates` are clamped.
pub fn interval(host: &Host, memory: &mut Memory, rates: &[f64], max_limit: u32, leaving: Leaving) -> Decided {
    let mut granted = adjust(host, &memory.placement, rates);
    let violations = violations(&memory.violations, &granted, rates);
    memory.violations.clone_from(&violations);
    let (mut to_local, mut to_remote) = (Vec::new(), Vec::new());
    for chain in 0..host.chains.len() {
        let local = memory.placement[chain] == LOCAL;
        let against = match leaving {
            Leaving::Carrying => carried(&granted[chain], rates[chain]),
            Leaving::Offered => rates[chain],
        };
        if !local && violations[chain] > max_limit {
            to_local.push(chain);
        } else if local && against < cap(host.chains[chain].levels(Side::Remote)) {
            to_remote.push(chain);
        }
    }
    let before = memory.rates.replace(rates.to_vec());
    let risen = |chain: usize| before.as_ref().map_or(0.0, |before| rates[chain] - before[chain]);
    to_local.sort_by(|&one, &other| risen(other).total_cmp(&risen(one)));
    to_remote.sort_by(|&one, &other| rates[one].total_cmp(&rates[other]));
    let moved = dynamic_placement(host, memory, &mut granted, rates, &to_local, &to_remote);
    Decided { granted, violations, moved }
}

/// Algorithm 2.
fn dynamic_placement(
    host: &Host,
    memory: &mut Memory,
    granted: &mut [Level],
    rates: &[f64],
    to_local: &[usize],
    to_remote: &[usize],
) -> Vec<usize> {
    let mut swapped = vec![false; host.chains.len()];
    let mut moved = Vec::new();
    for &i in to_local {
        let swap = to_remote
            .iter()
            .filter(|&&j| !swapped[j])
            .find_map(|&j| feasible(host, &memory.placement, granted, rates, i, j).map(|levels| (j, levels)));
        if let Some((j, (at_local, at_remote))) = swap {
            memory.placement[j] = memory.placement[i];
            memory.placement[i] = LOCAL;
            granted[i] = at_local;
            granted[j] = at_remote;
            memory.violations[i] = 0;
            swapped[j] = true;
            moved.extend([i, j]);
        }
    }
    moved
}

/// What i on the local node and j on the node that i leaves would be granted; None: one of them does not fit in full.
fn feasible(
    host: &Host,
    placement: &[usize],
    granted: &[Level],
    rates: &[f64],
    i: usize,
    j: usize,
) -> Option<(Level, Level)> {
    let remote = placement[i];
    let at_local = in_full(host, i, Side::Local, rates[i])?;
    let at_remote = in_full(host, j, Side::Remote, rates[j])?;
    let beside = |node: usize, leaves: usize| {
        let mut room = rooms(host)[node];
        (0..host.chains.len()).filter(|&c| placement[c] == node && c != leaves).for_each(|c| room.take(&granted[c]));
        room
    };
    let (local_room, remote_room): (Room, Room) = (beside(LOCAL, j), beside(remote, i));
    let cores = host.free_cores(placement);
    let (nfs_i, nfs_j) = (i64::from(host.chains[i].nfs), i64::from(host.chains[j].nfs));
    let seats = cores[LOCAL] + nfs_j >= nfs_i && cores[remote] + nfs_i >= nfs_j;
    (seats && local_room.fits(&at_local) && remote_room.fits(&at_remote)).then_some((at_local, at_remote))
}
