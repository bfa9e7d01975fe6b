//! What a chain can do, made ready for the search: its patterns as linear functions of the sums on the nodes.
//!
//! For a fixed pattern and a fixed acceptance the throughput of an NF on node k is a - m `M_k` - r `R_k` (Octans, Eq. 9-11
//! with the server's sum constant), so a chain counts the least of a few rows. Value and price of moves are folded in.

use std::ops::Range;

use crate::instance::{Chain, Instance, Pattern};
use crate::laws::octans::exact::rows::{self, Load, Row};
use crate::laws::octans::exact::symmetry::Classes;
use crate::roles::roles;

/// Most chains: one level of the search each, and pairs are compared.
pub const MOST_CHAINS: usize = 1000;
/// Most patterns of all chains together that are written down; about 300 bytes each.
pub const MOST_OPTIONS: f64 = 400_000.0;
/// Most options of a chain that are compared pair by pair.
const MOST_COMPARED: u32 = 2000;

/// One pattern of one chain.
#[derive(Debug, Clone)]
pub struct Choice {
    rows: Range<u32>,
    loads: Range<u32>,
    /// NFs that move.
    pub moves: u32,
    /// Nodes of the NFs.
    pub pattern: Pattern,
}

/// All patterns of the accepted chains.
#[derive(Debug, Default)]
pub struct Options {
    rows: Vec<Row>,
    loads: Vec<Load>,
    choices: Vec<Choice>,
    of_chain: Vec<Range<u32>>, // by accepted chain
}

impl Options {
    /// True if these chains (indices into the instance) and their patterns are few enough to be written down.
    pub fn are_few(instance: &Instance, chains: &[usize]) -> bool {
        let count = |&chain: &usize| -> f64 {
            instance.chains[chain].nfs.iter().map(|nf| instance.allowed(nf).len() as f64).product()
        };
        chains.len() <= MOST_CHAINS && chains.iter().map(count).sum::<f64>() <= MOST_OPTIONS
    }

    /// The patterns of these chains, each chain's in lexicographic order by the rank of nodes.
    pub fn new(instance: &Instance, chains: &[usize], classes: &Classes) -> Self {
        let weights = chains.iter().flat_map(|&chain| instance.chains[chain].nfs.iter().map(|nf| nf.weight));
        let accepted: f64 = weights.sum();
        let server = instance.background.iter().sum::<f64>() + accepted;
        let mut options = Self::default();
        for &chain in chains {
            let begin = options.choices.len() as u32;
            options.add_chain(instance, &instance.chains[chain], classes, server, accepted);
            options.of_chain.push(begin..options.choices.len() as u32);
        }
        options
    }

    /// Number of options.
    pub fn len(&self) -> u32 {
        self.choices.len() as u32
    }

    /// Number of accepted chains.
    pub fn chains(&self) -> usize {
        self.of_chain.len()
    }

    /// Indices of a chain's options.
    pub fn of(&self, chain: usize) -> Range<u32> {
        self.of_chain[chain].clone()
    }

    /// An option.
    #[inline]
    pub fn choice(&self, option: u32) -> &Choice {
        &self.choices[option as usize]
    }

    /// Rows of an option; never empty.
    #[inline]
    pub fn rows(&self, option: u32) -> &[Row] {
        let range = &self.choices[option as usize].rows;
        &self.rows[range.start as usize..range.end as usize]
    }

    /// Loads of an option, one a node.
    #[inline]
    pub fn loads(&self, option: u32) -> &[Load] {
        let range = &self.choices[option as usize].loads;
        &self.loads[range.start as usize..range.end as usize]
    }

    fn add_chain(&mut self, instance: &Instance, chain: &Chain, classes: &Classes, server: f64, accepted: f64) {
        let own: f64 = chain.nfs.iter().map(|nf| nf.weight).sum();
        let allowed: Vec<Vec<u16>> = chain.nfs.iter().map(|nf| classes.by_rank(instance.allowed(nf))).collect();
        let begin = self.choices.len() as u32;
        let may_equal = has_equal_weights(chain);
        let mut digits = vec![0; allowed.len()];
        loop {
            let pattern: Pattern = digits.iter().zip(&allowed).map(|(&digit, nodes)| nodes[digit]).collect();
            if self.add_option(instance, chain, pattern, server, accepted - own) && may_equal {
                self.forget_last_if_covered(begin);
            }
            let Some(place) = (0..digits.len()).rev().find(|&place| digits[place] + 1 < allowed[place].len()) else {
                return;
            };
            digits[place] += 1;
            digits[place + 1..].fill(0);
        }
    }

    /// False, and nothing added, if the pattern does not even fit alone.
    fn add_option(&mut self, instance: &Instance, chain: &Chain, pattern: Pattern, server: f64, others: f64) -> bool {
        let loads_from = self.loads.len();
        for (node, nf, role) in roles(&chain.nfs, chain.ingress, &pattern) {
            let head = if role.leads() { nf.weight } else { 0.0 };
            match self.loads[loads_from..].iter_mut().find(|load| load.node == u32::from(node)) {
                Some(load) => {
                    load.cores += 1;
                    load.sums = [load.sums[0] + nf.weight, load.sums[1] + head];
                }
                None => self.loads.push(Load { node: u32::from(node), cores: 1, sums: [nf.weight, head] }),
            }
        }
        let loads = &self.loads[loads_from..];
        if loads.iter().any(|load| load.cores > instance.free[load.node as usize]) {
            self.loads.truncate(loads_from);
            return false;
        }
        let rows_from = self.rows.len();
        let moves = chain.moves(&pattern);
        rows::push(&mut self.rows, instance, chain, &pattern, loads, server);
        let floor = |node: u32| instance.background[node as usize];
        rows::thin(&mut self.rows, rows_from, &floor, others);
        self.choices.push(Choice {
            rows: rows_from as u32..self.rows.len() as u32,
            loads: loads_from as u32..self.loads.len() as u32,
            moves,
            pattern,
        });
        true
    }

    /// Forget the newest option if one from `begin` on is at least as good.
    fn forget_last_if_covered(&mut self, begin: u32) {
        let last = self.choices.len() as u32 - 1;
        if last - begin < MOST_COMPARED && (begin..last).any(|other| self.covers(other, last)) {
            let Choice { rows, loads, .. } = &self.choices[last as usize];
            self.rows.truncate(rows.start as usize);
            self.loads.truncate(loads.start as usize);
            self.choices.pop();
        }
    }

    /// True if `one` does in any surroundings at least what `other` does, to itself and to everyone else.
    fn covers(&self, one: u32, other: u32) -> bool {
        let (ours, theirs) = (self.loads(one), self.loads(other));
        let no_heavier = |load: &Load| {
            theirs.iter().any(|other| {
                other.node == load.node
                    && other.cores == load.cores
                    && (other.sums[0] - load.sums[0]).abs() <= 1e-14 * load.sums[0]
                    && load.sums[1] <= other.sums[1] * (1.0 + 1e-14)
            })
        };
        let no_slower = |row: &Row| {
            self.rows(other).iter().any(|other| {
                other.node == row.node
                    && other.added <= row.added + 1e-14 * row.added.abs()
                    && other.slope[0] >= row.slope[0]
                    && other.slope[1] >= row.slope[1]
            })
        };
        self.choice(one).moves <= self.choice(other).moves
            && ours.len() == theirs.len()
            && ours.iter().all(no_heavier)
            && self.rows(one).iter().all(no_slower)
    }
}

/// Two patterns can load the nodes alike only if two NFs weigh the same.
#[expect(clippy::float_cmp, reason = "only exactly equal weights are exchangeable")]
fn has_equal_weights(chain: &Chain) -> bool {
    let weights = || chain.nfs.iter().map(|nf| nf.weight);
    weights().enumerate().any(|(position, weight)| weights().take(position).any(|other| other == weight))
}
