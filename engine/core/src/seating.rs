//! Does one chain fit into the room that is left? Counting decides it: an NF stands on the one node it is pinned to,
//! or on any node its chain is confined to.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::instance::{Instance, Pattern, moved};
use crate::problem::Problem;

/// What a chain asks of the nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// For each NF the node it is pinned to; None: any of `confined`.
    pub pins: Vec<Option<u16>>,
    /// Nodes of the chain, rising.
    pub confined: Vec<u16>,
    /// Where its NFs run now.
    pub initial: Option<Pattern>,
}

/// Cores that are missing; none: the chain fits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shortfall {
    /// (node, cores missing there, NFs pinned to it), by node.
    pub pinned: Vec<(u16, u32, u32)>,
    /// Cores missing on the nodes the chain is confined to, for the NFs that have a choice.
    pub free: u32,
}

impl Shortfall {
    /// Cores missing in all.
    pub fn cores(&self) -> u32 {
        self.pinned.iter().map(|(_, cores, _)| cores).sum::<u32>() + self.free
    }
}

impl Demand {
    /// The demand of a chain, by index; `node_of` comes from `instance::node_indices`.
    pub fn new(problem: &Problem, instance: &Instance, node_of: &HashMap<&str, u16>, chain: usize) -> Self {
        let named = &problem.chains[chain];
        let confined = match &named.pin {
            Some(pin) => pin.iter().map(|name| node_of[name.as_str()]).collect::<BTreeSet<_>>().into_iter().collect(),
            None => (0..problem.nodes.len() as u16).collect(),
        };
        let pins = match &named.nf_pins {
            Some(pins) => pins.iter().map(|pin| pin.as_ref().map(|name| node_of[name.as_str()])).collect(),
            None => vec![None; named.nfs.len()],
        };
        Self { pins, confined, initial: instance.chains[chain].initial.clone() }
    }

    /// The same for the first NFs only. What is cut runs nowhere yet, so nothing of it counts as moved.
    #[must_use]
    pub fn shortened(&self, nfs: usize) -> Self {
        Self { pins: self.pins[..nfs].to_vec(), confined: self.confined.clone(), initial: None }
    }

    /// What is missing in `room` (free cores by node).
    pub fn shortfall(&self, room: &[u32]) -> Shortfall {
        let pinned = self.pinned();
        let missing = |(&node, &nfs): (&u16, &u32)| {
            let cores = nfs.saturating_sub(room[node as usize]);
            (cores > 0).then_some((node, cores, nfs))
        };
        let free = self.pins.iter().filter(|pin| pin.is_none()).count() as u32;
        Shortfall {
            pinned: pinned.iter().filter_map(missing).collect(),
            free: free.saturating_sub(self.choice(room, &pinned)),
        }
    }

    /// A seat for every NF, with as few moved as possible; None: the chain does not fit.
    ///
    /// Every NF takes one core wherever it stands, so letting each that can stay where it is costs the others nothing.
    pub fn seat(&self, room: &[u32]) -> Option<Pattern> {
        if self.shortfall(room).cores() > 0 {
            return None;
        }
        let (seats, left) = self.stay(room);
        let mut open = self.confined.iter().flat_map(|&node| (0..left[node as usize]).map(move |_| node));
        seats.into_iter().map(|seat| seat.or_else(|| open.next())).collect()
    }

    /// So many moves suffice, wherever cores are added for the NFs that find none in `room`.
    pub fn most_moves(&self, room: &[u32]) -> u32 {
        let (seats, _) = self.stay(room);
        let moved =
            |before: &Pattern| before.iter().zip(&seats).filter(|(then, now)| Some(**then) != **now).count() as u32;
        self.initial.as_ref().map_or(0, moved)
    }

    /// Seats of the pinned NFs and of those that can stay where they run, and the room they leave.
    fn stay(&self, room: &[u32]) -> (Vec<Option<u16>>, Vec<u32>) {
        let mut left = room.to_vec();
        for (&node, &nfs) in &self.pinned() {
            left[node as usize] = left[node as usize].saturating_sub(nfs);
        }
        let mut seats = self.pins.clone();
        for (seat, &before) in seats.iter_mut().zip(self.initial.iter().flatten()) {
            if seat.is_none() && left[before as usize] > 0 && self.confined.binary_search(&before).is_ok() {
                *seat = Some(before);
                left[before as usize] -= 1;
            }
        }
        (seats, left)
    }

    /// NFs of a pattern that stand elsewhere than they run now.
    pub fn moves(&self, pattern: &[u16]) -> u32 {
        self.initial.as_ref().map_or(0, |before| moved(before, pattern))
    }

    fn pinned(&self) -> BTreeMap<u16, u32> {
        let mut pinned = BTreeMap::new();
        for &node in self.pins.iter().flatten() {
            *pinned.entry(node).or_insert(0) += 1;
        }
        pinned
    }

    /// Cores for NFs that have a choice: what the pinned ones leave.
    fn choice(&self, room: &[u32], pinned: &BTreeMap<u16, u32>) -> u32 {
        let left = |&node: &u16| room[node as usize].saturating_sub(pinned.get(&node).copied().unwrap_or(0));
        self.confined.iter().map(left).sum()
    }
}
