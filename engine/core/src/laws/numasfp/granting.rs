//! What chains are granted where they stand: the paper's `resource_adjustment`, which it does not define. Chains take
//! their turn by falling rate; each gets the least level that covers its rate, or else the highest that still fits.

use crate::laws::numasfp::problem::Host;
use crate::laws::numasfp::table::{Level, Side, covering};

/// A rate is carried in full from this share on (the paper compares for equality).
pub const IN_FULL: f64 = 0.99;

/// Ways and bandwidth that are left on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Cache ways.
    pub ways: u32,
    /// Memory bandwidth, %.
    pub mb_percent: u32,
}

impl Room {
    /// True where a level fits.
    pub fn fits(self, level: &Level) -> bool {
        level.ways <= self.ways && level.mb_percent <= self.mb_percent
    }

    /// Less what a level takes, which fits.
    pub fn take(&mut self, level: &Level) {
        self.ways -= level.ways;
        self.mb_percent -= level.mb_percent;
    }

    /// With what a level took.
    pub fn give(&mut self, level: &Level) {
        self.ways += level.ways;
        self.mb_percent += level.mb_percent;
    }
}

/// All of each node.
pub fn rooms(host: &Host) -> Vec<Room> {
    host.nodes.iter().map(|node| Room { ways: node.ways, mb_percent: node.mb_percent }).collect()
}

/// What each chain is granted at these rates; a level of 0 Gbps where nothing fits.
pub fn adjust(host: &Host, placement: &[usize], rates: &[f64]) -> Vec<Level> {
    let mut rooms = rooms(host);
    let mut granted = vec![Level::default(); host.chains.len()];
    for chain in host.by_falling_rate(rates) {
        let room = &mut rooms[placement[chain]];
        if let Some(level) = best(host.levels(chain, placement[chain]), rates[chain], *room) {
            room.take(&level);
            granted[chain] = level;
        }
    }
    granted
}

/// The least level that covers the rate and fits, or else the highest that fits.
fn best(levels: &[Level], rate: f64, room: Room) -> Option<Level> {
    let covers = covering(levels, rate).unwrap_or(levels.len());
    let enough = levels[covers..].iter().find(|level| room.fits(level));
    enough.or_else(|| levels[..covers].iter().rev().find(|level| room.fits(level))).copied()
}

/// The least level that carries a chain's rate in full on a kind of node; None: the table has none.
pub fn in_full(host: &Host, chain: usize, side: Side, rate: f64) -> Option<Level> {
    let levels = host.chains[chain].levels(side);
    covering(levels, rate).map(|index| levels[index])
}

/// What a chain carries: phi of the paper.
pub fn carried(granted: &Level, rate: f64) -> f64 {
    granted.gbps.min(rate)
}
