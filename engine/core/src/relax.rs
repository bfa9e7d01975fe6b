//! Ways out for a chain that was not placed, cheapest first. Each is tried before it is offered: with it, the chain
//! and all that stay have seats within capacity, pins and the limit on moves.

use std::cell::Cell;

use crate::instance::{Instance, Pattern};
use crate::rank::moves;
use crate::reseat::{Reseat, Seats, extra_move};
use crate::seating::Demand;

/// A change of the problem, or of the placement, with which a rejected chain fits.
#[derive(Debug, Clone, PartialEq)]
pub enum Relaxation {
    /// There is room: take it.
    Seat(Pattern),
    /// Others can make room.
    Reseat(Reseat),
    /// Let the NFs at these positions off their pins, and the chain onto these nodes.
    Loosen {
        /// Positions in `nf_pins`.
        unpin: Vec<usize>,
        /// Nodes to add to `pin`.
        allow: Vec<u16>,
    },
    /// Allow so many moves.
    RaiseMoves(u32),
    /// Give up these accepted chains.
    Remove(Vec<usize>),
    /// Keep only so many NFs, the first ones.
    Shorten(usize),
    /// More cores.
    AddCores {
        /// (node, cores).
        pinned: Vec<(u16, u32)>,
        /// Cores on any of the nodes the chain is confined to.
        free: u32,
        /// The limit on moves that is needed too.
        max_moves: Option<u32>,
    },
}

/// Most chains that are offered to be removed for one.
const MOST_REMOVED: usize = 8;
/// Steps that all searches for one assignment may take together, about 100 ms; then only cores are offered.
const STEPS: u64 = 20_000_000;

/// An assignment that leaves chains out.
pub struct Host<'a> {
    /// The problem.
    pub instance: &'a Instance,
    /// What is placed.
    pub assignment: &'a [Option<Pattern>],
    /// Free cores by node.
    pub room: Vec<u32>,
    moves: u32,
    seats: Seats<'a>,
    cheapest: Vec<usize>, // accepted chains by rising value
    steps: Cell<u64>,
}

impl<'a> Host<'a> {
    /// The host of an assignment.
    pub fn new(instance: &'a Instance, assignment: &'a [Option<Pattern>]) -> Self {
        let mut room = instance.free.clone();
        for &node in assignment.iter().flatten().flatten() {
            room[node as usize] = room[node as usize].saturating_sub(1); // `evaluate` may overfill a node
        }
        let mut cheapest: Vec<usize> = (0..assignment.len()).filter(|&index| assignment[index].is_some()).collect();
        cheapest.sort_by(|&a, &b| instance.chains[a].value.total_cmp(&instance.chains[b].value));
        let seats = Seats::new(instance, assignment, &room);
        Self { instance, assignment, room, moves: moves(instance, assignment), seats, cheapest, steps: Cell::new(0) }
    }

    /// Moves that are left.
    pub fn moves_left(&self) -> u32 {
        self.instance.max_moves.saturating_sub(self.moves)
    }

    /// The cheapest way out and, where cores are missing, how many.
    pub fn relaxations(&self, chain: usize, demand: &Demand) -> Vec<Relaxation> {
        if let Some(seated) = self.seat(demand) {
            return vec![seated];
        }
        if !self.may_take((self.room.len() + demand.pins.len()) as u64) {
            return self.add_cores(demand).into_iter().collect();
        }
        let cheapest = self
            .reseat(chain, demand)
            .or_else(|| self.loosen(demand))
            .or_else(|| self.raise_moves(chain, demand))
            .or_else(|| self.remove_cheaper(chain, demand))
            .or_else(|| self.shorten(demand))
            .or_else(|| self.remove_one(demand));
        cheapest.into_iter().chain(self.add_cores(demand)).collect()
    }

    fn seat(&self, demand: &Demand) -> Option<Relaxation> {
        seat_within(demand, &self.room, self.moves_left()).map(Relaxation::Seat)
    }

    fn reseat(&self, chain: usize, demand: &Demand) -> Option<Relaxation> {
        let found = self.make_room(chain, demand)?;
        (self.moves_with(&found, demand) <= self.instance.max_moves).then_some(Relaxation::Reseat(found))
    }

    fn make_room(&self, chain: usize, demand: &Demand) -> Option<Reseat> {
        let total: u64 = self.room.iter().map(|&cores| u64::from(cores)).sum();
        let possible = total >= demand.pins.len() as u64 && self.may_take(self.seats.steps(demand.pins.len()));
        if possible { self.seats.clone().make_room(chain) } else { None }
    }

    fn moves_with(&self, found: &Reseat, demand: &Demand) -> u32 {
        let extra = found.moved.iter().map(|&(chain, position, to)| {
            let from = self.assignment[chain].as_ref().map_or(to, |pattern| pattern[position]);
            extra_move(self.instance, (chain, position), from, to)
        });
        self.moves.saturating_add_signed(extra.sum()) + demand.moves(&found.pattern)
    }

    /// The fewest pins: those of the NFs that are too many on their node, then the roomiest nodes for the rest.
    fn loosen(&self, demand: &Demand) -> Option<Relaxation> {
        let mut loose = demand.clone();
        let mut unpin = Vec::new();
        for (node, cores, _) in demand.shortfall(&self.room).pinned {
            let there = (0..demand.pins.len()).rev().filter(|&position| demand.pins[position] == Some(node));
            unpin.extend(there.take(cores as usize));
        }
        unpin.sort_unstable();
        for &position in &unpin {
            loose.pins[position] = None;
        }
        let mut short = loose.shortfall(&self.room).free;
        let outside = |node: &u16| self.room[*node as usize] > 0 && demand.confined.binary_search(node).is_err();
        let mut others: Vec<u16> = (0..self.instance.nodes() as u16).filter(outside).collect();
        others.sort_by_key(|&node| std::cmp::Reverse(self.room[node as usize]));
        let mut allow = Vec::new();
        for node in others {
            if short == 0 {
                break;
            }
            short = short.saturating_sub(self.room[node as usize]);
            allow.push(node);
        }
        allow.sort_unstable();
        loose.confined.extend(&allow);
        loose.confined.sort_unstable();
        let changed = !unpin.is_empty() || !allow.is_empty();
        let fits = changed && seat_within(&loose, &self.room, self.moves_left()).is_some();
        fits.then_some(Relaxation::Loosen { unpin, allow })
    }

    fn raise_moves(&self, chain: usize, demand: &Demand) -> Option<Relaxation> {
        let needed = match demand.seat(&self.room) {
            Some(pattern) => self.moves + demand.moves(&pattern),
            None if self.instance.max_moves == u32::MAX => return None,
            None => self.moves_with(&self.make_room(chain, demand)?, demand),
        };
        Some(Relaxation::RaiseMoves(needed))
    }

    /// Accepted chains worth less, in sum, than the rejected one.
    fn remove_cheaper(&self, chain: usize, demand: &Demand) -> Option<Relaxation> {
        let limit = self.instance.chains[chain].value;
        let mut removed: Vec<usize> = Vec::new();
        let mut value = 0.0;
        for &candidate in &self.cheapest {
            value += self.instance.chains[candidate].value;
            if value >= limit || removed.len() == MOST_REMOVED || !self.may_take(1) {
                return None;
            }
            if self.frees(candidate, demand) > 0 {
                removed.push(candidate);
                if self.fits_without(&removed, demand) {
                    break;
                }
            } else {
                value -= self.instance.chains[candidate].value;
            }
        }
        // What became superfluous stays, the most valuable first.
        for index in (0..removed.len()).rev() {
            let kept = removed.remove(index);
            if !self.fits_without(&removed, demand) {
                removed.insert(index, kept);
            }
        }
        (!removed.is_empty() && self.fits_without(&removed, demand)).then_some(Relaxation::Remove(removed))
    }

    /// The accepted chain of least value whose cores suffice.
    fn remove_one(&self, demand: &Demand) -> Option<Relaxation> {
        let missing = demand.shortfall(&self.room).cores();
        let suffices = |&&index: &&usize| {
            self.may_take(self.assignment[index].as_ref().map_or(0, |pattern| pattern.len() as u64))
                && self.frees(index, demand) >= missing
                && self.fits_without(&[index], demand)
        };
        self.cheapest.iter().find(suffices).map(|&index| Relaxation::Remove(vec![index]))
    }

    /// Cores of an accepted chain that the demand could use.
    fn frees(&self, chain: usize, demand: &Demand) -> u32 {
        let usable = |node: &&u16| demand.confined.binary_search(node).is_ok();
        self.assignment[chain].iter().flatten().filter(usable).count() as u32
    }

    fn fits_without(&self, removed: &[usize], demand: &Demand) -> bool {
        if !self.may_take((self.room.len() + demand.pins.len()) as u64) {
            return false;
        }
        let mut room = self.room.clone();
        let mut moved = self.moves;
        for &chain in removed {
            let Some(pattern) = &self.assignment[chain] else { continue };
            for &node in pattern {
                room[node as usize] += 1;
            }
            moved -= self.instance.chains[chain].moves(pattern);
        }
        seat_within(demand, &room, self.instance.max_moves.saturating_sub(moved)).is_some()
    }

    /// The longest beginning that fits.
    fn shorten(&self, demand: &Demand) -> Option<Relaxation> {
        let fits = |nfs: &usize| demand.shortened(*nfs).shortfall(&self.room).cores() == 0;
        let (mut least, mut most) = (0, demand.pins.len()); // `least` fits, `most` does not
        while most - least > 1 {
            let middle = usize::midpoint(least, most);
            if fits(&middle) { least = middle } else { most = middle }
        }
        (least > 0 && self.moves <= self.instance.max_moves).then_some(Relaxation::Shorten(least))
    }

    fn add_cores(&self, demand: &Demand) -> Option<Relaxation> {
        let short = demand.shortfall(&self.room);
        if short.cores() == 0 {
            return None;
        }
        // Wherever the cores for NFs with a choice are added, this many moves suffice: nobody need stay on them.
        let mut room = self.room.clone();
        short.pinned.iter().for_each(|&(node, cores, _)| room[node as usize] += cores);
        let needed = self.moves + demand.most_moves(&room);
        Some(Relaxation::AddCores {
            pinned: short.pinned.iter().map(|&(node, cores, _)| (node, cores)).collect(),
            free: short.free,
            max_moves: (needed > self.instance.max_moves).then_some(needed),
        })
    }

    /// Counts steps; false once too many were taken.
    fn may_take(&self, steps: u64) -> bool {
        let taken = self.steps.get().saturating_add(steps);
        let may = taken <= STEPS;
        if may {
            self.steps.set(taken);
        }
        may
    }
}

fn seat_within(demand: &Demand, room: &[u32], moves_left: u32) -> Option<Pattern> {
    demand.seat(room).filter(|pattern| demand.moves(pattern) <= moves_left)
}
