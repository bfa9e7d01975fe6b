//! A certified upper bound of the score of all placements that accept the same chains.
//!
//! With the accepted chains given, the server's sum S is constant and an NF's throughput is a linear function of the
//! two sums of its own node. A chain's minimum over its NFs is at most any mean of them weighted by shares; with a
//! price on the rule that every NF stands once, the rest falls apart into nodes: which NFs earn most on this one?
//! Interchangeable nodes ask this question once for all. It is answered over boxes of the two sums (`cell`), which are
//! split where they flatter, while shares and prices follow subgradients with steps towards the best score known.
//! Whatever the multipliers are, the bound is valid; good ones make it tight.

mod cell;
mod class;
mod duals;
mod piece;
mod walk;

use crate::control::Control;
use crate::instance::{Assignment, Instance};
use crate::rank::solo_bound;
use cell::Cell;
use class::{Class, Slopes, classes};
use duals::{Multipliers, Parts, project};
use piece::Piece;
use walk::Walk;

const MOST_BLOCKS: usize = 50_000; // of all chains on all classes of nodes; beyond, only the solo bound is given
const MOST_CELLS: usize = 400; // a class
const SAFETY: f64 = 1e-9; // relative: rounding cannot lower the bound below the truth

// Steps. Measured on 24 to 64 chains of three NFs on four nodes; none of this touches validity.
const WARM_UP: u32 = 200; // steps in which only boxes are split
const CERTIFY_EVERY: u32 = 10; // steps; between, only boxes near the most are priced
const PATIENCE: u32 = 100; // steps without a better bound until strides shrink
const TIRED: f64 = 0.7; // by which they shrink
const SHORTEST: f64 = 0.05; // then they are long again
const PRICE_STEP: f64 = 3.0; // of the gap a piece
const SHARE_STEP: f64 = 0.006;
const BOX_HEATS: [f64; 2] = [0.1, 0.4]; // of the gap a node: boxes this far below the most count 1/e of it; in turns
const OPTION_HEAT: f64 = 0.1; // of the gap a piece: so do options within a box
const FAINT_BOX: f64 = 0.05; // boxes that count less do not count

// Boxes; all relative to the gap a node.
const SPLIT_NEAR: f64 = 0.3; // boxes this near the most are split
const FLATTERS: f64 = 0.1; // where they may flatter by more than this
const RETRY_ABOVE: f64 = 0.1; // boxes this far above the most walk on at once
const RETRIES: u32 = 4;

/// The relaxation of the placements that accept given chains.
pub struct Relaxation<'a> {
    instance: &'a Instance,
    bound: f64,
    parts: Parts,
    multipliers: Multipliers,
    walk: Walk,
    nodes: Vec<Nodes>,
    stride: f64, // of steps and heats
    steps: u32,
    last_better: u32,
    tired: usize, // how often strides shrank
}

struct Nodes {
    class: Class,
    cells: Vec<Cell>,
    most: f64, // over cells
}

impl<'a> Relaxation<'a> {
    /// The relaxation for the chains that an assignment accepts; the better the assignment, the quicker it is tight.
    pub fn new(instance: &'a Instance, assignment: &Assignment) -> Self {
        let (parts, multipliers) = Parts::new(instance, assignment);
        let classes = if parts.blocks <= MOST_BLOCKS { classes(instance, &parts) } else { Vec::new() };
        let small = parts.blocks * classes.len() <= MOST_BLOCKS;
        let weight: f64 = parts.pieces.iter().map(|piece| weight(instance, piece)).sum();
        let solo = solo_bound(instance, assignment);
        let scale = (solo.abs() / weight.max(1e-12) * 0.1).max(1e-9);
        let nodes = classes.into_iter().filter(|_| small).map(|class| {
            let cells = vec![Cell::whole(&class, scale)];
            Nodes { class, cells, most: 0.0 }
        });
        Self {
            instance,
            bound: solo,
            nodes: nodes.collect(),
            walk: Walk::new(&multipliers),
            parts,
            multipliers,
            stride: 1.0,
            steps: 0,
            last_better: 0,
            tired: 0,
        }
    }

    /// No placement that accepts these chains scores more.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// True where only the solo bound is to be had.
    pub fn is_idle(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Some steps towards a score that is known to be reached; counts one evaluation a priced box.
    pub fn improve(&mut self, score: f64, control: &mut Control) -> u64 {
        let mut work = 0;
        for _ in 0..CERTIFY_EVERY {
            let certify = self.steps.is_multiple_of(CERTIFY_EVERY);
            let priced = self.price(score, certify);
            work += priced;
            let value = self.value();
            if certify {
                self.certify(value, score);
                self.split(value, score);
            }
            self.steps += 1;
            if self.steps > WARM_UP {
                self.step(value, score);
            } else {
                self.last_better = self.steps;
            }
            if control.count(priced) {
                break;
            }
        }
        control.bounded(self.bound);
        work
    }

    /// All boxes are priced: the value is a bound. Where it no longer falls, steps shrink.
    fn certify(&mut self, value: f64, score: f64) {
        let prices: f64 = self.multipliers.price.iter().map(|price| price.abs()).sum();
        let safe = value + SAFETY * (value.abs() + prices);
        if safe < self.bound - 0.01 * (self.bound - score) {
            self.last_better = self.steps;
        } else if self.steps - self.last_better >= PATIENCE {
            self.last_better = self.steps;
            self.stride = if self.stride > SHORTEST { self.stride * TIRED } else { 1.0 };
            self.tired += 1;
        }
        if safe.is_finite() {
            self.bound = self.bound.min(safe);
        }
    }

    fn value(&self) -> f64 {
        self.nodes.iter().map(|nodes| nodes.class.nodes.len() as f64 * nodes.most).sum()
    }

    /// Price all boxes, or those that were near the most.
    fn price(&mut self, score: f64, all: bool) -> u64 {
        let slack = (self.bound - score).max(0.0) / self.instance.nodes() as f64;
        let mut priced = 0;
        for nodes in &mut self.nodes {
            nodes.class.fill(self.instance, &self.parts, &self.multipliers);
            let near = nodes.most - slack;
            let ceiling = nodes.most + RETRY_ABOVE * slack;
            nodes.most = f64::NEG_INFINITY;
            for cell in &mut nodes.cells {
                if !all && cell.value < near {
                    continue;
                }
                cell.price(&nodes.class, near);
                priced += 1;
                for _ in 0..RETRIES {
                    if cell.value <= ceiling {
                        break;
                    }
                    cell.price(&nodes.class, near);
                    priced += 1;
                }
                nodes.most = nodes.most.max(cell.value);
            }
        }
        priced
    }

    /// Halve boxes that are near the most and flatter much.
    fn split(&mut self, value: f64, score: f64) {
        let slack = (value - score).max(1e-9) / self.instance.nodes() as f64;
        for nodes in &mut self.nodes {
            for index in 0..nodes.cells.len() {
                let cell = &nodes.cells[index];
                let flatters = cell.loss.0 + cell.loss.1;
                if cell.value < nodes.most - SPLIT_NEAR * slack
                    || flatters < FLATTERS * slack
                    || nodes.cells.len() >= MOST_CELLS
                {
                    continue;
                }
                let (low, high) = cell.split();
                nodes.cells[index] = low;
                nodes.cells.push(high);
            }
            nodes.cells.retain(|cell| !cell.is_empty());
        }
    }

    /// Walk shares and prices against a smoothed subgradient; the smaller the gap and the stride, the less smooth.
    fn step(&mut self, value: f64, score: f64) {
        let gap = value.min(self.bound) - score;
        if gap <= 0.0 {
            return;
        }
        let pieces = self.parts.pieces.len() as f64;
        let reach = self.stride * gap;
        let box_heat = BOX_HEATS[self.tired % BOX_HEATS.len()] * reach / self.instance.nodes() as f64;
        let option_heat = OPTION_HEAT * reach / pieces;
        let mut slopes = self.multipliers.zeros();
        let mut odds = Vec::new();
        for nodes in &mut self.nodes {
            let chance = |cell: &Cell| {
                Some(((cell.value - nodes.most) / box_heat).min(0.0).exp()).filter(|chance| *chance > FAINT_BOX)
            };
            let total: f64 = nodes.cells.iter().filter_map(chance).sum();
            for cell in &nodes.cells {
                if let Some(chance) = chance(cell) {
                    cell.use_set(chance / total, option_heat, &mut nodes.class, &mut odds);
                }
            }
            nodes.class.collect(self.instance, &self.parts, &mut slopes);
        }
        self.level(&mut slopes);
        self.walk.step(&mut self.multipliers, &slopes, PRICE_STEP * reach / pieces, SHARE_STEP * self.stride);
        self.project();
    }

    /// Shares of a kind sum to 1: only differences of their slopes matter.
    fn level(&self, slopes: &mut Slopes) {
        self.parts.each_kind(|seats, kind| {
            let rated = self.multipliers.rated[kind] > 0.0;
            let of_rate = if rated { slopes.rated[kind] } else { 0.0 };
            let count = seats.len() as f64 + f64::from(u8::from(rated));
            let mean = (slopes.share[seats.clone()].iter().sum::<f64>() + of_rate) / count;
            slopes.share[seats].iter_mut().for_each(|slope| *slope -= mean);
            slopes.rated[kind] = if rated { of_rate - mean } else { 0.0 };
        });
    }

    fn project(&mut self) {
        let Multipliers { share, rated, .. } = &mut self.multipliers;
        self.parts.each_kind(|seats, kind| project(&mut share[seats], &mut rated[kind]));
    }
}

fn weight(instance: &Instance, piece: &Piece) -> f64 {
    instance.chains[piece.chain].nfs[piece.from..piece.from + piece.length].iter().map(|nf| nf.weight).sum()
}
