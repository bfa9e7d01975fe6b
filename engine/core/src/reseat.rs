//! Makes room for a chain by moving others: augmenting paths from each of its NFs to a free core. An NF on a full node
//! takes the core of one that may stand elsewhere, which does the same.
//!
//! `acceptance` asks whether chains fit, at the fewest moves from where they run, and counts alike NFs; here everybody
//! stands somewhere already, few shall be disturbed, and those who are have names.

use std::collections::{BTreeMap, VecDeque};

use crate::instance::{Instance, Pattern};

/// A chain by index, and the position of one of its NFs.
type Occupant = (usize, usize);

/// Seats that take in one more chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Reseat {
    /// Seats of that chain.
    pub pattern: Pattern,
    /// (chain, position, node) of every NF that moves for it, in order.
    pub moved: Vec<(usize, usize, u16)>,
}

/// Who stands where.
#[derive(Clone)]
pub struct Seats<'a> {
    instance: &'a Instance,
    assignment: &'a [Option<Pattern>],
    room: Vec<u32>,
    /// By node, then by the set of nodes that the occupants may stand on.
    occupants: Vec<BTreeMap<u32, Vec<Occupant>>>,
}

impl<'a> Seats<'a> {
    /// The seats of an assignment that leave `room`.
    pub fn new(instance: &'a Instance, assignment: &'a [Option<Pattern>], room: &[u32]) -> Self {
        let mut occupants = vec![BTreeMap::<u32, Vec<Occupant>>::new(); instance.nodes()];
        for (chain, pattern) in assignment.iter().enumerate() {
            for (position, &node) in pattern.iter().flatten().enumerate() {
                let set = instance.chains[chain].nfs[position].allowed;
                occupants[node as usize].entry(set).or_default().push((chain, position));
            }
        }
        Self { instance, assignment, room: room.to_vec(), occupants }
    }

    /// Most steps of a search for room for so many NFs, about.
    pub fn steps(&self, nfs: usize) -> u64 {
        let sets: usize = self.instance.allowed_sets.iter().map(|set| set.len() + 1).sum();
        (nfs * (sets + self.instance.nodes())) as u64
    }

    /// Seats for `chain` too; None: nowhere, whoever moves. The theorem on augmenting paths makes this exact.
    pub fn make_room(mut self, chain: usize) -> Option<Reseat> {
        let mut node_of: BTreeMap<Occupant, u16> = BTreeMap::new();
        for position in 0..self.instance.chains[chain].nfs.len() {
            self.augment((chain, position), &mut node_of)?;
        }
        let (own, others): (Vec<_>, Vec<_>) = node_of.into_iter().partition(|((of, _), _)| *of == chain);
        let before = |of: usize, position: usize| self.assignment[of].as_ref().map(|pattern| pattern[position]);
        let moved = others.into_iter().map(|((of, position), node)| (of, position, node));
        Some(Reseat {
            pattern: own.into_iter().map(|(_, node)| node).collect(),
            moved: moved.filter(|&(of, position, node)| before(of, position) != Some(node)).collect(),
        })
    }

    /// Seat one NF along a shortest path; notes the new node of everyone on the path.
    fn augment(&mut self, nf: Occupant, node_of: &mut BTreeMap<Occupant, u16>) -> Option<()> {
        let instance = self.instance;
        let set = instance.chains[nf.0].nfs[nf.1].allowed;
        // By node: the set of occupants it is reached through, and the node they leave; None: the NF itself comes.
        let mut reached: BTreeMap<u16, Option<(u32, u16)>> = BTreeMap::new();
        let mut tried = vec![false; instance.allowed_sets.len()];
        tried[set as usize] = true;
        let first = &instance.allowed_sets[set as usize];
        reached.extend(first.iter().map(|&node| (node, None)));
        let mut queue: VecDeque<u16> = first.iter().copied().collect();
        while let Some(node) = queue.pop_front() {
            if self.room[node as usize] > 0 {
                self.shift(nf, set, node, &reached, node_of);
                return Some(());
            }
            for (&through, occupants) in &self.occupants[node as usize] {
                if occupants.is_empty() || std::mem::replace(&mut tried[through as usize], true) {
                    continue;
                }
                for &next in &instance.allowed_sets[through as usize] {
                    if let std::collections::btree_map::Entry::Vacant(entry) = reached.entry(next) {
                        entry.insert(Some((through, node)));
                        queue.push_back(next);
                    }
                }
            }
        }
        None
    }

    /// Everyone on the path to the free core at `end` steps on, the last one first.
    fn shift(
        &mut self,
        nf: Occupant,
        set: u32,
        end: u16,
        reached: &BTreeMap<u16, Option<(u32, u16)>>,
        node_of: &mut BTreeMap<Occupant, u16>,
    ) {
        self.room[end as usize] -= 1;
        let mut to = end;
        while let Some(&Some((through, from))) = reached.get(&to) {
            let Some(occupants) = self.occupants[from as usize].get_mut(&through) else { break };
            let cheapest =
                (0..occupants.len()).min_by_key(|&index| extra_move(self.instance, occupants[index], from, to));
            let Some(index) = cheapest else { break };
            let mover = occupants.swap_remove(index);
            self.stand(mover, through, to, node_of);
            to = from;
        }
        self.stand(nf, set, to, node_of);
    }

    fn stand(&mut self, nf: Occupant, set: u32, node: u16, node_of: &mut BTreeMap<Occupant, u16>) {
        self.occupants[node as usize].entry(set).or_default().push(nf);
        node_of.insert(nf, node);
    }
}

/// What stepping from one node to another adds to the number of moves: -1, 0 or 1.
pub fn extra_move(instance: &Instance, (chain, position): (usize, usize), from: u16, to: u16) -> i32 {
    let away = |before: &Pattern, node| i32::from(before[position] != node);
    instance.chains[chain].initial.as_ref().map_or(0, |before| away(before, to) - away(before, from))
}
