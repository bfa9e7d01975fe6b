//! Nodes that no rule distinguishes, and what each piece's options would earn on one of them.
//!
//! On its ingress a piece chooses a kind: it earns with its local NFs and buys seats for its blocks. On any other node
//! it may seat one block, of any kind, and is paid for it.

use std::collections::HashMap;

use super::duals::{Multipliers, Parts};
use super::piece::{Piece, blocks};
use crate::instance::{Chain, Instance};

/// What an option earns: `a` - `m` `M_k` - `r` `R_k`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Choice {
    pub a: f64,
    pub m: f64,
    pub r: f64,
    /// What it adds to `M_k`, to `R_k` and to the cores in use.
    pub weight: f64,
    pub heads: f64,
    pub cores: f64,
}

/// How much an option is used by the best sets of a class's nodes, and by that the sums there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    pub times: f64,
    pub all: f64,
    pub heads: f64,
}

/// One piece's options in a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Menu {
    /// One past its last option.
    pub end: u32,
    /// One option must be chosen: the node is the chain's ingress.
    pub must: bool,
}

/// Interchangeable nodes.
#[derive(Debug, Clone)]
pub(super) struct Class {
    pub nodes: Vec<u16>,
    pub free: f64,
    pub background: f64,
    /// No set of NFs on a node of this class weighs more, the background included.
    pub heaviest: f64,
    pub menus: Vec<Menu>,
    pub choices: Vec<Choice>,
    pub usage: Vec<Usage>,
}

/// Slopes of the bound, laid out as the multipliers are.
pub(super) type Slopes = Multipliers;

/// Classes of the nodes: alike in free cores, background and the sets they belong to; an ingress, and a node that
/// something runs on where moves have a price, stand alone.
pub(super) fn classes(instance: &Instance, parts: &Parts) -> Vec<Class> {
    let mut alone = vec![false; instance.nodes()];
    for piece in &parts.pieces {
        let chain = &instance.chains[piece.chain];
        alone[chain.ingress as usize] = true;
        if instance.move_price > 0.0 {
            chain.initial.iter().flatten().for_each(|&node| alone[node as usize] = true);
        }
    }
    let mut known: HashMap<(u32, u64, Vec<bool>, Option<usize>), usize> = HashMap::new();
    let mut classes: Vec<Class> = Vec::new();
    for (node, &alone) in alone.iter().enumerate() {
        let sets = instance.allowed_sets.iter().map(|set| set.binary_search(&(node as u16)).is_ok()).collect();
        let key = (instance.free[node], instance.background[node].to_bits(), sets, alone.then_some(node));
        let index = *known.entry(key).or_insert(classes.len());
        if index == classes.len() {
            classes.push(Class::new(instance, parts, node as u16));
        }
        classes[index].nodes.push(node as u16);
    }
    classes
}

/// The NFs of a piece that stand together at a kind: positions whose label is `label`.
fn block(piece: &Piece, labels: [u8; 3], label: u8) -> impl Iterator<Item = usize> {
    (0..piece.length).filter(move |&at| labels[at] == label)
}

impl Class {
    fn new(instance: &Instance, parts: &Parts, node: u16) -> Self {
        let nfs = parts
            .pieces
            .iter()
            .flat_map(|piece| instance.chains[piece.chain].nfs[piece.from..piece.from + piece.length].iter());
        let mut weights: Vec<f64> =
            nfs.filter(|nf| instance.allowed(nf).binary_search(&node).is_ok()).map(|nf| nf.weight).collect();
        weights.sort_unstable_by(|a, b| b.total_cmp(a));
        let (free, background) = (instance.free[node as usize], instance.background[node as usize]);
        let mut end = 0;
        let menus = parts.pieces.iter().map(|piece| {
            let must = instance.chains[piece.chain].ingress == node;
            let kinds = &parts.table[piece.length];
            end += if must { kinds.len() } else { kinds.iter().map(|&labels| blocks(labels)).sum() } as u32;
            Menu { end, must }
        });
        let menus: Vec<Menu> = menus.collect();
        Self {
            nodes: Vec::new(),
            free: f64::from(free),
            background,
            heaviest: background + weights.iter().take(free as usize).sum::<f64>(),
            menus,
            choices: vec![Choice::default(); end as usize],
            usage: vec![Usage::default(); end as usize],
        }
    }

    /// Compute all options at these multipliers; one with an NF that may not stand here earns -infinity.
    pub(super) fn fill(&mut self, instance: &Instance, parts: &Parts, multipliers: &Multipliers) {
        let node = self.nodes[0];
        let mut next = 0;
        for piece in &parts.pieces {
            let chain = &instance.chains[piece.chain];
            let (mut seat, mut price) = (piece.seats, piece.blocks);
            for (kind, &labels) in parts.table[piece.length].iter().enumerate() {
                let reward = |at: usize| piece.value * multipliers.share[seat + at] * parts.seats[seat + at].reference;
                let earn = |label: u8, choice: &mut Choice| {
                    for at in block(piece, labels, label) {
                        self::add(choice, parts, multipliers, piece, seat + at);
                        choice.a -= cost(instance, chain, piece.from + at, node, self.free);
                    }
                };
                let prices = &multipliers.price[price..price + blocks(labels)];
                if chain.ingress == node {
                    let mut choice = Choice::default();
                    earn(0, &mut choice);
                    choice.a += (0..piece.length).map(reward).sum::<f64>() + prices.iter().sum::<f64>();
                    let rated = multipliers.rated[piece.kinds + kind];
                    if rated > 0.0 {
                        choice.a += piece.value * rated * chain.rate;
                    }
                    self.choices[next] = choice;
                    next += 1;
                } else {
                    for (label, price) in (1..).zip(prices) {
                        let mut choice = Choice::default();
                        earn(label, &mut choice);
                        choice.a -= price;
                        self.choices[next] = choice;
                        next += 1;
                    }
                }
                seat += piece.length;
                price += prices.len();
            }
        }
        self.usage.fill(Usage::default());
    }

    /// Add this class's part of the bound's slopes at the present usage.
    pub(super) fn collect(&self, instance: &Instance, parts: &Parts, slopes: &mut Slopes) {
        let count = self.nodes.len() as f64;
        let mut next = 0;
        for piece in &parts.pieces {
            let chain = &instance.chains[piece.chain];
            let (mut seat, mut price) = (piece.seats, piece.blocks);
            for (kind, &labels) in parts.table[piece.length].iter().enumerate() {
                let mut used = |label: u8, usage: &Usage| {
                    for at in block(piece, labels, label) {
                        let line = &parts.seats[seat + at].line;
                        let earned = line.fixed * usage.times - line.all * usage.all - line.heads * usage.heads;
                        slopes.share[seat + at] += count * piece.value * earned;
                    }
                };
                let prices = price..price + blocks(labels);
                if chain.ingress == self.nodes[0] {
                    let usage = &self.usage[next];
                    next += 1;
                    if usage.times > 0.0 {
                        used(0, usage);
                        (seat..seat + piece.length).for_each(|seat| {
                            slopes.share[seat] += piece.value * usage.times * parts.seats[seat].reference;
                        });
                        prices.clone().for_each(|block| slopes.price[block] += usage.times);
                        if chain.rate.is_finite() {
                            slopes.rated[piece.kinds + kind] += piece.value * usage.times * chain.rate;
                        }
                    }
                } else {
                    for (label, block) in (1..).zip(prices.clone()) {
                        let usage = &self.usage[next];
                        next += 1;
                        if usage.times > 0.0 {
                            used(label, usage);
                            slopes.price[block] -= count * usage.times;
                        }
                    }
                }
                seat += piece.length;
                price = prices.end;
            }
        }
    }
}

#[inline]
fn add(choice: &mut Choice, parts: &Parts, multipliers: &Multipliers, piece: &Piece, seat: usize) {
    let weighed = piece.value * multipliers.share[seat];
    let seat = &parts.seats[seat];
    choice.a += weighed * seat.line.fixed;
    choice.m += weighed * seat.line.all;
    choice.r += weighed * seat.line.heads;
    choice.weight += seat.weight;
    choice.heads += seat.heads;
    choice.cores += 1.0;
}

/// What it costs to stand here: infinity where it may not, the price of a move where it runs elsewhere.
#[inline]
fn cost(instance: &Instance, chain: &Chain, at: usize, node: u16, free: f64) -> f64 {
    if free == 0.0 || instance.allowed(&chain.nfs[at]).binary_search(&node).is_err() {
        return f64::INFINITY;
    }
    let moves = chain.initial.as_ref().is_some_and(|before| before[at] != node);
    if moves { instance.move_price } else { 0.0 }
}
