//! A pool of packet buffers that one thread takes from and another gives back to: who holds how many (section 2).
//!
//! Its free buffers wait in a ring, first in, first out, so that all of them go round, whichever chain takes them.

use std::collections::HashMap;

use crate::packets::Path;
use crate::setting::Chain;
use crate::steady::Load;

/// The buffers of one manager.
#[derive(Debug, Clone)]
pub struct Pool {
    /// How many.
    pub packets: f64,
    /// The chains that use it, by place among the paths.
    pub chains: Vec<usize>,
}

/// What one chain has of its pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Buffers that it used last: those it holds, and of the free ones as many as it has given back.
    pub buffers: f64,
    /// Packets that a ring of it has buffers for.
    pub ring: f64,
}

/// What a chain wants of its pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// Buffers in its descriptors.
    pub posted: f64,
    /// That each of its rings would hold.
    pub rings: Vec<f64>,
    /// Buffers a second that it takes from the pool's ring.
    pub rate: f64,
}

impl Use {
    /// Of a chain whose workers are loaded so.
    pub fn new(path: &Path, loads: &[Load]) -> Self {
        Self {
            posted: path.rx_descriptors + path.tx_descriptors * loads.last().map_or(0.0, Load::fullness),
            rings: loads.iter().skip(1).map(|load| path.ring * load.fullness()).collect(),
            rate: circulating(loads),
        }
    }
}

/// Packets a second whose buffers leave the core that took them. What it drops before the next ring, or filters, it gives
/// back to its own cache of free buffers, and takes again at once.
pub fn circulating(loads: &[Load]) -> f64 {
    loads.get(1).map_or(0.0, |load| load.taken)
}

impl Pool {
    /// The place among `pools` of the one that a chain's buffers are of; a new one where none of that name is there yet.
    pub fn of<'a>(chain: &'a Chain, pools: &mut Vec<Self>, named: &mut HashMap<&'a str, usize>) -> usize {
        let known = chain.pool.as_ref().and_then(|name| named.get(name.as_str()).copied());
        known.unwrap_or_else(|| {
            pools.push(Self { packets: f64::from(chain.pool_packets), chains: Vec::new() });
            if let Some(name) = &chain.pool {
                named.insert(name, pools.len() - 1);
            }
            pools.len() - 1
        })
    }

    /// Who has what. Rings that want more than there is get equal parts, those that want less what they want.
    pub fn parts(&self, uses: &[Use]) -> Vec<Part> {
        let posted: f64 = uses.iter().map(|one| one.posted).sum();
        let fit = (self.packets / posted).min(1.0);
        let room = (self.packets - posted).max(0.0);
        let wanted = uses.iter().flat_map(|one| one.rings.iter().copied()).collect();
        let ring = level(wanted, room);
        let held = |one: &Use| fit * one.posted + one.rings.iter().map(|wanted| wanted.min(ring)).sum::<f64>();
        let free = (self.packets - uses.iter().map(held).sum::<f64>()).max(0.0);
        let rates: f64 = uses.iter().map(|one| one.rate).sum();
        let share = |one: &Use| if rates > 0.0 { one.rate / rates } else { 1.0 / uses.len() as f64 };
        uses.iter().map(|one| Part { buffers: held(one) + free * share(one), ring }).collect()
    }
}

/// The height to which `room` fills vessels that each hold as much as is wanted; infinite where all get it.
fn level(mut wanted: Vec<f64>, room: f64) -> f64 {
    wanted.sort_by(f64::total_cmp);
    let mut left = room;
    for (place, &one) in wanted.iter().enumerate() {
        let even = left / (wanted.len() - place) as f64;
        if one > even {
            return even;
        }
        left -= one;
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idle(rate: f64) -> Use {
        Use { posted: 500.0, rings: vec![0.0], rate }
    }

    /// 500 posted each; 9000 free ones go round at 3 : 1, so that 6750 of them were the first chain's and 2250 the other's.
    #[test]
    fn free_buffers_are_of_whoever_gave_them_back() {
        let parts = Pool { packets: 10_000.0, chains: vec![0, 1] }.parts(&[idle(3e6), idle(1e6)]);
        assert_eq!(parts.iter().map(|part| part.buffers).collect::<Vec<_>>(), [7250.0, 2750.0]);
    }

    /// Alone a chain has them all; beside an equal one half, and all together never more than there are.
    #[test]
    fn a_pool_is_not_larger_for_being_shared() {
        let pool = Pool { packets: 10_000.0, chains: Vec::new() };
        assert_eq!(pool.parts(&[idle(1e6)])[0].buffers, 10_000.0);
        assert_eq!(pool.parts(&[idle(1e6), idle(1e6)])[1].buffers, 5000.0);
        let full = Use { rings: vec![16_384.0, 10.0], ..idle(1e6) };
        let sum: f64 = pool.parts(&[full.clone(), full, idle(9e6)]).iter().map(|part| part.buffers).sum();
        assert!((sum - 10_000.0).abs() < 1e-9, "{sum}");
    }

    /// Rings that want 4000 and 100 of 3100: 100, and 3000 for the other, which is what it is capped at. Two that want 4000
    /// share what is left, 1500 each.
    #[test]
    fn rings_hold_no_more_than_the_pool() {
        assert_eq!(level(vec![4000.0, 100.0], 3100.0), 3000.0);
        assert_eq!(level(vec![4000.0, 100.0, 4000.0], 3100.0), 1500.0);
        assert_eq!(level(vec![4000.0, 100.0], 5000.0), f64::INFINITY);
    }

    /// More descriptors than buffers: each queue gets its part, rings nothing.
    #[test]
    fn descriptors_beyond_the_pool() {
        let full = Use { posted: 1000.0, rings: vec![1000.0], rate: 1.0 };
        let parts = Pool { packets: 1000.0, chains: Vec::new() }.parts(&[full.clone(), full]);
        assert_eq!(parts, [Part { buffers: 500.0, ring: 0.0 }; 2]);
    }
}
