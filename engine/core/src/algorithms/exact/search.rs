//! Branch and bound over the patterns of the accepted chains.
//!
//! At every node of the tree each option of each unplaced chain is bounded: its count among the sums so far, less what it
//! costs the placed chains at their present slopes (`State::gain`). The sum of the best of each chain bounds the node;
//! an option whose own bound cannot reach the best placement known is struck out for the whole subtree.

use crate::algorithms::exact::options::{Options, Sums};
use crate::algorithms::exact::state::State;
use crate::algorithms::exact::symmetry::Classes;
use crate::control::Control;
use crate::instance::Instance;

/// Scores closer than this, relative, are not told apart; a part of the promised 1e-9.
const EQUAL: f64 = 2e-10;

/// What the search reads.
pub struct Task<'a> {
    /// The problem.
    pub instance: &'a Instance,
    /// Patterns of the accepted chains.
    pub options: &'a Options,
    /// Interchangeable nodes.
    pub classes: &'a Classes,
    /// By accepted chain: the first that is like it.
    pub twins: &'a [usize],
}

/// An option that is still open for an unplaced chain.
#[derive(Debug, Clone, Copy)]
struct Open {
    option: u32,
    gain: f64,
}

/// What one level of the tree owns.
#[derive(Default)]
struct Level {
    slopes: Vec<Sums>,
    sums: Vec<Sums>,                  // of the node, to go back to
    domains: Vec<Open>,               // options left, chain by chain
    ends: Vec<(usize, usize, usize)>, // unplaced chain and its range in `domains`
    branches: Vec<Open>,
}

/// The search and the best it has found.
pub struct Search<'a, 'b, 'c> {
    task: &'a Task<'a>,
    control: &'b mut Control<'c>,
    state: State<'a>,
    levels: Vec<Level>,
    least_moves: Vec<u32>, // by chain
    floor: Vec<u32>, // by first twin: twins yet to be placed take no option before this one, counted within a chain
    /// Options of the best placement, by chain.
    pub best: Vec<u32>,
    /// What it is worth.
    pub worth: f64,
    open: f64, // highest bound of what was left unexplored
}

impl<'a, 'b, 'c> Search<'a, 'b, 'c> {
    /// Begin with a placement that is known; -infinity and nothing if none is.
    pub fn new(task: &'a Task<'a>, control: &'b mut Control<'c>, best: Vec<u32>, worth: f64) -> Self {
        let options = task.options;
        let least = |chain: usize| options.of(chain).map(|option| options.choice(option).moves).min().unwrap_or(0);
        Self {
            task,
            control,
            state: State::new(task.instance, options),
            levels: Vec::new(),
            least_moves: (0..options.chains()).map(least).collect(),
            floor: vec![0; options.chains()],
            best,
            worth,
            open: f64::NEG_INFINITY,
        }
    }

    /// Search to the end, or until `control` says stop. Returns a bound on the score.
    pub fn run(&mut self) -> f64 {
        let mut root = Level::default();
        for chain in 0..self.task.options.chains() {
            let from = root.domains.len();
            root.domains.extend(self.task.options.of(chain).map(|option| Open { option, gain: 0.0 }));
            root.ends.push((chain, from, root.domains.len()));
        }
        self.levels.push(root);
        self.visit(0);
        self.worth.max(self.open)
    }

    /// The score that a bound must exceed to be of interest.
    fn target(&self) -> f64 {
        self.worth + EQUAL * self.worth.abs().max(1.0)
    }

    /// Explore what remains of `levels[depth]`, whose parent has just placed a chain.
    fn visit(&mut self, depth: usize) {
        if self.levels.len() == depth + 1 {
            self.levels.push(Level::default());
        }
        let mut level = std::mem::take(&mut self.levels[depth + 1]);
        level.slopes.resize(self.task.instance.nodes(), [0.0; 2]);
        let worth = self.state.worth(&mut level.slopes);
        if self.levels[depth].ends.is_empty() {
            if worth > self.target() || (self.best.is_empty() && worth > f64::NEG_INFINITY) {
                self.worth = worth;
                self.best = self.state.chosen.iter().map(|option| option.unwrap_or_default()).collect();
                self.control.found(worth);
            }
        } else if let Some(bound) = self.narrow(depth, worth, &mut level) {
            self.branch(depth, bound, &mut level);
        }
        self.levels[depth + 1] = level;
    }

    /// Bound every option, keep in `level` those that can lead to a better placement; the bound of the node, or None if
    /// nothing is left.
    fn narrow(&mut self, depth: usize, worth: f64, level: &mut Level) -> Option<f64> {
        let Task { instance, options, twins, .. } = self.task;
        let above = &self.levels[depth];
        level.domains.clear();
        level.ends.clear();
        let rest: u32 = above.ends.iter().map(|&(chain, ..)| self.least_moves[chain]).sum();
        let mut bound = worth;
        for &(chain, from, to) in &above.ends {
            let begin = level.domains.len();
            let spare = instance.max_moves.saturating_sub(self.state.moves + rest - self.least_moves[chain]);
            let first = options.of(chain).start + self.floor[twins[chain]];
            let mut most = f64::NEG_INFINITY;
            for &Open { option, .. } in &above.domains[from..to] {
                if option >= first && options.choice(option).moves <= spare && self.state.fits(option) {
                    let gain = self.state.gain(option, &level.slopes);
                    most = most.max(gain);
                    level.domains.push(Open { option, gain });
                }
            }
            if level.domains.len() == begin {
                return None;
            }
            bound += most;
            level.ends.push((chain, begin, level.domains.len()));
        }
        let target = self.target();
        (bound > target).then(|| {
            strike_out(level, bound - target);
            bound
        })
    }

    /// Place the chain with the fewest options left in each of them, the most promising first.
    fn branch(&mut self, depth: usize, bound: f64, level: &mut Level) {
        let Some(place) = (0..level.ends.len()).min_by_key(|&place| level.ends[place].2 - level.ends[place].1) else {
            return;
        };
        let (chain, from, to) = level.ends[place];
        let mut branches = std::mem::take(&mut level.branches);
        branches.clear();
        let state = &self.state;
        let (options, classes) = (self.task.options, self.task.classes);
        let in_order = |open: &&Open| {
            classes.opens_in_order(&options.choice(open.option).pattern, |node| state.used[node as usize] == 0)
        };
        branches.extend(level.domains[from..to].iter().filter(in_order));
        branches.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        let most = level.domains[from..to].iter().map(|open| open.gain).fold(f64::NEG_INFINITY, f64::max);
        level.ends.remove(place);
        level.sums.clone_from(&self.state.sums);
        let sums = std::mem::take(&mut level.sums);
        // The child reads the domains of this level.
        std::mem::swap(&mut self.levels[depth + 1], level);
        let twin = self.task.twins[chain];
        let floor = self.floor[twin];
        for branch in &branches {
            let hope = bound - most + branch.gain;
            if hope <= self.target() {
                break;
            }
            if self.control.count(1) {
                self.open = self.open.max(hope);
                break;
            }
            self.floor[twin] = branch.option - options.of(chain).start;
            self.state.place(chain, branch.option);
            self.visit(depth + 1);
            self.state.unplace(chain);
            self.state.sums.copy_from_slice(&sums);
        }
        self.floor[twin] = floor;
        std::mem::swap(&mut self.levels[depth + 1], level);
        (level.branches, level.sums) = (branches, sums);
    }
}

/// Strike out every option that falls short of its chain's best by `slack` or more.
fn strike_out(level: &mut Level, slack: f64) {
    let mut kept = 0;
    for (_, from, to) in &mut level.ends {
        let range = *from..*to;
        let most = level.domains[range.clone()].iter().map(|open| open.gain).fold(f64::NEG_INFINITY, f64::max);
        *from = kept;
        for position in range {
            let open = level.domains[position];
            if open.gain > most - slack {
                level.domains[kept] = open;
                kept += 1;
            }
        }
        *to = kept;
    }
    level.domains.truncate(kept);
}
