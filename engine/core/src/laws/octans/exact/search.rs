//! Branch and bound (A. H. Land and A. G. Doig, Econometrica 28, 1960) over the patterns of the accepted chains.
//!
//! At every node of the tree each option of each unplaced chain is bounded: its count among the sums so far, less what it
//! costs the placed chains at their present slopes (`State::gain`): a relaxation, in which unplaced chains do not slow each
//! other down. The sum of the best of each chain is the upper bound of the node; an option whose own bound cannot reach
//! the incumbent, the best placement known, is pruned for the whole subtree. The weight on one node, which couples all
//! chains (Octans, Eq. 9-11), is dualised with a Lagrange multiplier (M. L. Fisher, Management Science 27, 1981). First
//! the slab is halved until it is thin (`slab`), then chains are placed.

use crate::control::Control;
use crate::instance::Instance;
use crate::laws::octans::exact::options::Options;
use crate::laws::octans::exact::rows::Sums;
use crate::laws::octans::exact::slab::{Slab, Watch, best_multiplier};
use crate::laws::octans::exact::state::State;
use crate::laws::octans::exact::symmetry::Classes;

/// Scores closer than this, relative, are treated as equal; a part of the promised 1e-9.
const EQUAL: f64 = 2e-10;
/// Into how many slabs the search is divided where nothing rules them out: 8 to 32 take about equal time.
const SLABS: f64 = 16.0;
/// First step and rounds of the search for a multiplier: thorough before chains are placed, then a correction.
const THOROUGH: (f64, u32) = (8.0, 20);
const CORRECTION: (f64, u32) = (1.0, 4);
/// From so many options on a node takes a noticeable part of a millisecond.
const LONG: u32 = 10_000;
/// Sums closer than this are treated as equal.
const ROUNDING: f64 = 1e-12;

/// What the search reads.
pub struct Task<'a> {
    /// The problem.
    pub instance: &'a Instance,
    /// Patterns of the accepted chains.
    pub options: &'a Options,
    /// Interchangeable nodes.
    pub classes: &'a Classes,
    /// The node that slabs divide.
    pub watch: &'a Watch,
    /// By accepted chain: the first that is identical to it.
    pub identical_to: &'a [usize],
    /// By accepted chain: its weight.
    pub weight: &'a [f64],
    /// By accepted chain: moves that it cannot do without.
    pub least_moves: &'a [u32],
}

/// An option that is still open for an unplaced chain.
#[derive(Debug, Clone, Copy)]
struct Open {
    option: u32,
    gain: f64,
}

/// An unplaced chain and its range in `Level::domains`.
#[derive(Debug, Clone, Copy)]
struct Domain {
    chain: usize,
    from: usize,
    to: usize,
}

/// What one level of the tree owns.
#[derive(Default)]
struct Level {
    multiplier: f64, // of weight on the watched node, the placed chains' slope included
    slopes: Vec<Sums>,
    sums: Vec<Sums>, // of the node, to go back to
    open: Vec<Open>,
    domains: Vec<Domain>,
    branches: Vec<Open>,
}

/// The search and the best it has found.
pub struct Search<'a, 'b, 'c> {
    task: &'a Task<'a>,
    control: &'b mut Control<'c>,
    state: State<'a>,
    slab: Slab,
    thin: f64, // slabs up to this width are not halved
    levels: Vec<Level>,
    first_allowed: Vec<u32>, // by the first of identical chains: those yet to be placed take no option before this one of their own
    /// Options of the best placement, by chain.
    pub best: Vec<u32>,
    /// Its score.
    pub incumbent_score: f64,
    open: f64, // highest bound of what was left unexplored
}

impl<'a, 'b, 'c> Search<'a, 'b, 'c> {
    /// Begin with a placement that is known, or with what is to be beaten and none.
    pub fn new(task: &'a Task<'a>, control: &'b mut Control<'c>, best: Vec<u32>, incumbent_score: f64) -> Self {
        let slab = task.watch.everything(task.instance);
        Self {
            task,
            control,
            state: State::new(task.instance, task.options),
            slab,
            thin: (slab.high - slab.low) / SLABS * (1.0 + 1e-9), // halving rounds
            levels: Vec::new(),
            first_allowed: vec![0; task.options.chains()],
            best,
            incumbent_score,
            open: f64::NEG_INFINITY,
        }
    }

    /// Search to the end, or until `control` says stop. Returns a bound on the score.
    pub fn run(&mut self) -> f64 {
        let mut root = Level::default();
        for chain in 0..self.task.options.chains() {
            let from = root.open.len();
            root.open.extend(self.task.options.of(chain).map(|option| Open { option, gain: 0.0 }));
            root.domains.push(Domain { chain, from, to: root.open.len() });
        }
        self.state.floor = self.task.watch.floor(self.task.instance, self.slab);
        self.levels.push(root);
        self.visit(0);
        self.incumbent_score.max(self.open)
    }

    /// Count a node; true: end now. Where nodes take long the clock is looked at each time.
    fn stop(&mut self) -> bool {
        self.control.count(1) || (self.task.options.len() > LONG && self.control.look())
    }

    /// The score that a bound must exceed to be of interest; any, where no placement is known.
    fn target(&self) -> f64 {
        if self.incumbent_score == f64::NEG_INFINITY {
            return f64::NEG_INFINITY;
        }
        self.incumbent_score + EQUAL * self.incumbent_score.abs().max(1.0)
    }

    /// Explore what remains of `levels[depth]`, after whose making a chain was placed or the slab halved.
    fn visit(&mut self, depth: usize) {
        if self.levels[depth].domains.is_empty() {
            self.accept_leaf();
            return;
        }
        if self.levels.len() == depth + 1 {
            self.levels.push(Level::default());
        }
        let mut level = std::mem::take(&mut self.levels[depth + 1]);
        if let Some(bound) = self.narrow(depth, &mut level) {
            // The children read what is left to this node.
            std::mem::swap(&mut self.levels[depth + 1], &mut level);
            if self.slab.high - self.slab.low > self.thin && self.state.chosen.iter().all(Option::is_none) {
                self.halve(depth + 1, bound);
            } else {
                self.branch(depth + 1, bound);
            }
        } else {
            self.levels[depth + 1] = level;
        }
    }

    /// All chains are placed: the new incumbent, if it beats the old one.
    fn accept_leaf(&mut self) {
        let score = self.state.exact();
        if score > self.target() {
            self.incumbent_score = score;
            self.best = self.state.chosen.iter().map(|option| option.unwrap_or_default()).collect();
            self.control.found(score);
        }
    }

    /// Bound every option, keep in `level` those that can lead to a better placement; the bound of the node, or None if
    /// nothing is left.
    fn narrow(&self, depth: usize, level: &mut Level) -> Option<f64> {
        let Task { instance, watch, .. } = self.task;
        level.slopes.resize(instance.nodes(), [0.0; 2]);
        let placed = self.state.relaxed_score(&mut level.slopes);
        if !self.fill(&self.levels[depth], level) {
            return None;
        }
        let target = self.target();
        let here = self.state.sums[watch.node][0];
        let share = ((self.slab.low - here).max(0.0), self.slab.high - here);
        let slope = level.slopes[watch.node][0];
        let effort = if self.state.chosen.iter().all(Option::is_none) { THOROUGH } else { CORRECTION };
        let start = self.levels[depth].multiplier - slope;
        let (multiplier, bound) = best_multiplier(share, start, effort, target, |multiplier| {
            level.sum_of_best(placed, multiplier, &watch.there)
        });
        level.multiplier = multiplier + slope;
        if bound <= target {
            return None;
        }
        for open in &mut level.open {
            open.gain -= multiplier * watch.there[open.option as usize];
        }
        level.prune(bound - target);
        Some(bound)
    }

    /// Write to `level` the options of `above` that are still possible, and their gains; false if a chain has none.
    fn fill(&self, above: &Level, level: &mut Level) -> bool {
        let Task { instance, options, watch, identical_to, least_moves, .. } = self.task;
        level.open.clear();
        level.domains.clear();
        let here = self.state.sums[watch.node][0];
        let (mut moves, mut least, mut most) = (self.state.moves, here, here);
        for domain in &above.domains {
            moves += least_moves[domain.chain];
            least += watch.range[domain.chain].0;
            most += watch.range[domain.chain].1;
        }
        for &Domain { chain, from, to } in &above.domains {
            let begin = level.open.len();
            let first = options.of(chain).start + self.first_allowed[identical_to[chain]];
            let range = watch.range[chain];
            let too_much = self.slab.high + ROUNDING - (least - range.0);
            let too_little = self.slab.low - ROUNDING - (most - range.1);
            for &Open { option, .. } in &above.open[from..to] {
                let there = watch.there[option as usize];
                if option >= first
                    && there <= too_much
                    && there >= too_little
                    && moves - least_moves[chain] + options.choice(option).moves <= instance.max_moves
                    && self.state.fits(option)
                {
                    level.open.push(Open { option, gain: self.state.gain(option, &level.slopes) });
                }
            }
            if level.open.len() == begin {
                return false;
            }
            level.domains.push(Domain { chain, from: begin, to: level.open.len() });
        }
        true
    }

    /// Search both halves of the slab, the one of the best placement first.
    fn halve(&mut self, depth: usize, bound: f64) {
        let whole = self.slab;
        let watch = self.task.watch;
        let middle = f64::midpoint(whole.low, whole.high);
        let weight: f64 = self.best.iter().map(|&option| watch.there[option as usize]).sum();
        let halves = [Slab { high: middle, ..whole }, Slab { low: middle, ..whole }];
        let upper_first = weight + self.task.instance.background[watch.node] > middle;
        for half in if upper_first { [halves[1], halves[0]] } else { halves } {
            if self.stop() {
                self.open = self.open.max(bound);
                break;
            }
            self.slab = half;
            self.state.floor = watch.floor(self.task.instance, half);
            self.visit(depth);
        }
        self.slab = whole;
        self.state.floor = watch.floor(self.task.instance, whole);
    }

    /// Place one chain in each of the options that `levels[depth]` leaves it, the most promising first: a chain of few
    /// options and much weight, for it changes the most for the others.
    fn branch(&mut self, depth: usize, bound: f64) {
        let Task { options, classes, identical_to, weight, .. } = self.task;
        let level = &mut self.levels[depth];
        let effort = |domain: &Domain| ((domain.to - domain.from) as f64).ln() / weight[domain.chain];
        let places = 0..level.domains.len();
        let easiest = places.min_by(|&a, &b| effort(&level.domains[a]).total_cmp(&effort(&level.domains[b])));
        let Some(place) = easiest else { return };
        let Domain { chain, from, to } = level.domains.remove(place);
        let mut branches = std::mem::take(&mut level.branches);
        let mut sums = std::mem::take(&mut level.sums);
        let used = &self.state.used;
        let in_order = |open: &&Open| {
            classes.opens_in_order(&options.choice(open.option).pattern, |node| used[node as usize] == 0)
        };
        branches.clear();
        branches.extend(level.open[from..to].iter().filter(in_order));
        branches.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        let most = highest(&level.open[from..to]);
        sums.clone_from(&self.state.sums);
        let allowed = self.first_allowed[identical_to[chain]];
        for branch in &branches {
            let upper_bound = bound - most + branch.gain;
            if upper_bound <= self.target() {
                break;
            }
            if self.stop() {
                self.open = self.open.max(upper_bound);
                break;
            }
            self.first_allowed[identical_to[chain]] = branch.option - options.of(chain).start;
            self.state.place(chain, branch.option);
            self.visit(depth);
            self.state.unplace(chain);
            self.state.sums.copy_from_slice(&sums);
        }
        self.first_allowed[identical_to[chain]] = allowed;
        (self.levels[depth].branches, self.levels[depth].sums) = (branches, sums);
    }
}

impl Level {
    /// Placed chains and the best of each domain at a multiplier of the weight on the watched node, and the weight these put there.
    fn sum_of_best(&self, placed: f64, multiplier: f64, there: &[f64]) -> (f64, f64) {
        let mut sum = (placed, 0.0);
        for domain in &self.domains {
            let (mut most, mut weight) = (f64::NEG_INFINITY, 0.0);
            for open in &self.open[domain.from..domain.to] {
                let own = there[open.option as usize];
                let gain = open.gain - multiplier * own;
                if gain > most {
                    (most, weight) = (gain, own);
                }
            }
            sum = (sum.0 + most, sum.1 + weight);
        }
        sum
    }

    /// Drop every option that falls short of its chain's best by `slack` or more.
    fn prune(&mut self, slack: f64) {
        let mut kept = 0;
        for domain in &mut self.domains {
            let range = domain.from..domain.to;
            let least = highest(&self.open[range.clone()]) - slack;
            domain.from = kept;
            for position in range {
                let open = self.open[position];
                if open.gain > least {
                    self.open[kept] = open;
                    kept += 1;
                }
            }
            domain.to = kept;
        }
        self.open.truncate(kept);
    }
}

fn highest(open: &[Open]) -> f64 {
    open.iter().map(|open| open.gain).fold(f64::NEG_INFINITY, f64::max)
}
