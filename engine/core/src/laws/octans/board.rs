//! A placement whose NFs come over to the local node and go back again, with everything that hangs on it kept up to date.

use crate::instance::{Assignment, Chain, Instance, Pattern};
use crate::model::Weights;
use crate::rank::moves;
use crate::roles::roles;

/// The placement that a search of subchains stands at.
pub struct Board<'a> {
    instance: &'a Instance,
    /// Node of every NF.
    pub assignment: Assignment,
    /// Sums of weights on each node.
    pub weights: Weights,
    /// Summed value of the accepted chains.
    pub value: f64,
    /// NFs whose node differs from where they run now.
    pub moves: u32,
    /// Of the assignment; equal assignments have equal hashes.
    pub hash: u64,
    local_allowed: Vec<Vec<bool>>, // by chain and position
    room: Vec<u32>,
    patterns: Vec<u16>, // a stack: the pattern of the chain before each move on the way here
    sums: Vec<f64>,     // a stack: the sums of weights before each; kept, for sums that are undone by sums drift
}

/// What `come_over` needs to be undone, beside the stacks.
pub struct Undo {
    chain: usize,
    moves: u32,
    hash: u64,
}

impl<'a> Board<'a> {
    /// A board on which no chain stands.
    pub fn new(instance: &'a Instance) -> Self {
        let nobody = vec![None; instance.chains.len()];
        Self {
            instance,
            weights: Weights::of(instance, &nobody),
            assignment: nobody,
            value: 0.0,
            moves: 0,
            hash: 0,
            local_allowed: instance.chains.iter().map(|chain| local_allowed(instance, chain)).collect(),
            room: instance.free.clone(),
            patterns: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Stand at an assignment within capacity, where the way begins.
    pub fn begin(&mut self, assignment: &Assignment) {
        self.assignment.clone_from(assignment);
        self.weights = Weights::of(self.instance, assignment);
        self.moves = moves(self.instance, assignment);
        (self.value, self.hash) = (0.0, 0);
        self.room.clone_from(&self.instance.free);
        for (chain, pattern) in assignment.iter().enumerate() {
            let Some(pattern) = pattern else { continue };
            self.value += self.instance.chains[chain].value;
            for (position, &node) in pattern.iter().enumerate() {
                self.room[node as usize] -= 1;
                self.hash ^= key(chain, position, node);
            }
        }
    }

    /// True for an NF that stands on a remote node and may stand on its chain's local one.
    pub fn can_come(&self, chain: usize, position: usize) -> bool {
        let remote = |pattern: &Pattern| pattern[position] != self.instance.chains[chain].ingress;
        self.local_allowed[chain][position] && self.assignment[chain].as_ref().is_some_and(remote)
    }

    /// The hash that moving the NFs of a chain that can come from positions below `end` would lead to; None if none of
    /// them can or the local node lacks cores. It costs little, so that what the memo knows is never moved.
    pub fn ahead(&self, chain: usize, end: usize) -> Option<u64> {
        let (pattern, local) = (self.assignment[chain].as_ref()?, self.instance.chains[chain].ingress);
        let (mut coming, mut hash) = (0, self.hash);
        for position in (0..end).filter(|&position| self.can_come(chain, position)) {
            coming += 1;
            hash ^= key(chain, position, pattern[position]) ^ key(chain, position, local);
        }
        (1..=self.room[local as usize]).contains(&coming).then_some(hash)
    }

    /// Move them; `hash` is what `ahead` said.
    pub fn come_over(&mut self, chain: usize, end: usize, hash: u64) -> Undo {
        let undo = Undo { chain, moves: self.moves, hash: self.hash };
        self.hash = hash;
        self.sums.extend(&self.weights.all);
        self.sums.extend(&self.weights.heads);
        let data = &self.instance.chains[chain];
        let local = data.ingress as usize;
        let Some(pattern) = self.assignment[chain].as_mut() else { return undo };
        self.patterns.extend(&*pattern);
        self.moves -= data.moves(pattern);
        add_heads(&mut self.weights.heads, data, pattern, -1.0);
        for (position, node) in pattern.iter_mut().enumerate().take(end) {
            if *node != data.ingress && self.local_allowed[chain][position] {
                let weight = data.nfs[position].weight;
                self.weights.all[*node as usize] -= weight;
                self.weights.all[local] += weight;
                self.room[*node as usize] += 1;
                self.room[local] -= 1;
                *node = data.ingress;
            }
        }
        add_heads(&mut self.weights.heads, data, pattern, 1.0);
        self.moves += data.moves(pattern);
        undo
    }

    /// Undo the latest `come_over`.
    pub fn go_back(&mut self, undo: &Undo) {
        let Some(pattern) = self.assignment[undo.chain].as_mut() else { return };
        let nodes = self.room.len();
        let sums = self.sums.len() - 2 * nodes;
        self.weights.all.copy_from_slice(&self.sums[sums..sums + nodes]);
        self.weights.heads.copy_from_slice(&self.sums[sums + nodes..]);
        self.sums.truncate(sums);
        let before = self.patterns.len() - pattern.len();
        for (now, then) in pattern.iter_mut().zip(self.patterns.drain(before..)) {
            self.room[*now as usize] += 1;
            self.room[then as usize] -= 1;
            *now = then;
        }
        self.moves = undo.moves;
        self.hash = undo.hash;
    }
}

/// Which NFs of a chain may stand on its local node.
fn local_allowed(instance: &Instance, chain: &Chain) -> Vec<bool> {
    chain.nfs.iter().map(|nf| instance.allowed(nf).binary_search(&chain.ingress).is_ok()).collect()
}

/// Add (`sign` 1) or take away (-1) what a chain contributes to `R_k`.
fn add_heads(heads: &mut [f64], chain: &Chain, pattern: &[u16], sign: f64) {
    for (node, nf, role) in roles(&chain.nfs, chain.ingress, pattern) {
        if role.leads() {
            heads[node as usize] += sign * nf.weight;
        }
    }
}

/// The key of one seat (Zobrist hashing: a placement's hash is the exclusive or of its seats' keys), by the finaliser of
/// splitmix64. Among a million placements two share a hash with a chance of one in thirty million.
fn key(chain: usize, position: usize, node: u16) -> u64 {
    let seat = (chain as u64) << 32 | (position as u64) << 16 | u64::from(node);
    let mut mixed = (seat + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Mode, Recipe, generate};

    fn board<'a>(instance: &'a Instance, assignment: &Assignment) -> Board<'a> {
        let mut board = Board::new(instance);
        board.begin(assignment);
        board
    }

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    /// Four chains of three on two remote nodes, the second split, come over head by head and then whole: on every step
    /// the board is what it would be from scratch, and on the way back it is again what it was, to the last bit.
    #[test]
    fn the_board_is_as_from_scratch_on_the_way_and_back() {
        for seed in 0..10 {
            let recipe = Recipe { chains: 4, nodes: 3, cores: 12, length: 3, mode: Mode::B, seed };
            let mut instance = Instance::new(&generate(&recipe).unwrap_or_default());
            instance.chains[2].initial = Some(vec![0, 1, 0]);
            let start: Assignment = [[1, 1, 1], [1, 2, 1], [2, 2, 2], [2, 2, 2]].map(|p| Some(p.to_vec())).to_vec();
            let mut board = board(&instance, &start);
            let mut way = Vec::new();
            for (chain, end) in [(0, 1), (1, 1), (2, 2), (0, 3), (1, 3), (3, 3), (2, 3)] {
                let (then, hash) = (snapshot(&board), board.ahead(chain, end).unwrap_or_default());
                way.push((then, board.come_over(chain, end, hash)));
                let fresh = self::board(&instance, &board.assignment);
                assert!(
                    near(&board.weights.all, &fresh.weights.all) && near(&board.weights.heads, &fresh.weights.heads)
                );
                assert_eq!((board.moves, board.hash, &board.room), (fresh.moves, fresh.hash, &fresh.room));
            }
            assert_eq!(board.ahead(0, 3), None, "nothing is left to come");
            for (then, undo) in way.iter().rev() {
                board.go_back(undo);
                assert_eq!(&snapshot(&board), then);
            }
        }
    }

    fn snapshot(board: &Board) -> (Assignment, Weights, Vec<u32>, u32, u64) {
        (board.assignment.clone(), board.weights.clone(), board.room.clone(), board.moves, board.hash)
    }
}
