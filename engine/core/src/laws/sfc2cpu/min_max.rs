//! The least load of the fullest core, proven: depth first over VNFs by falling load, starting from LPT.
//!
//! Cut: a core that would be as full as the best known (all the fuller ones, too); a branch whose cores, filled up to
//! just below the best, have no room for what is left, where room that takes not even the smallest VNF is none. Cores
//! that are alike are tried once.

use crate::control::Control;
use crate::laws::sfc2cpu::flatten::flatten;
use crate::laws::sfc2cpu::heuristics::longest_first;
use crate::laws::sfc2cpu::problem::{Assignment, Problem, greatest};
use crate::laws::sfc2cpu::rebalance::rebalance;

/// Steps of a search that nobody limits: it ends then with a bound. About a second.
pub const STEPS: u64 = 20_000_000;
/// More VNFs than that are no matter of microseconds: the search begins from a flatter assignment than that of LPT.
const MANY: usize = 18;
/// A search of many cores has longer steps: so many cores more count as another one.
const CORES_A_STEP: u64 = 32;
/// Relative: less is no improvement.
const EPSILON: f64 = 1e-12;
const NOWHERE: usize = usize::MAX;

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The best that was met.
    pub assignment: Assignment,
    /// The load of its fullest core.
    pub max_load: f64,
    /// No assignment has less.
    pub bound: f64,
}

/// The optimum, and of those that reach it one with the fewest moves; or the best until the control says stop.
pub fn assign(problem: &Problem, control: &mut Control) -> Found {
    let allowed = if problem.placed.iter().any(Option::is_some) { problem.max_moves } else { 0 };
    let mut found = with_moves(problem, allowed, control);
    // Whoever allows n moves pays for each: fewer that do as well are better.
    let mut moves = problem.moves(&found.assignment);
    while moves > 0 && !control.stopped() {
        let fewer = with_moves(problem, moves - 1, control);
        if fewer.max_load > found.max_load * (1.0 + EPSILON) {
            break;
        }
        moves = problem.moves(&fewer.assignment);
        found.assignment = fewer.assignment;
    }
    found
}

/// What no assignment of so many moves has less than, without a search: all loads spread evenly; the largest VNF; and,
/// where nothing stands, the two that share a core at least since there are more VNFs than cores.
pub fn lower_bound(problem: &Problem, allowed: usize) -> f64 {
    let standing = greatest(&problem.fixed_loads(allowed));
    let mut falling = problem.loads.clone();
    falling.sort_by(|one, other| other.total_cmp(one));
    spread(&falling, problem.cores.len()).max(standing)
}

/// Of loads that fall.
fn spread(falling: &[f64], cores: usize) -> f64 {
    let even = falling.iter().sum::<f64>() / cores as f64;
    let largest = falling.first().copied().unwrap_or_default();
    // k m + 1 VNFs put k + 1 on some core: at least the k + 1 smallest of them.
    let crowded = (1..=falling.len().saturating_sub(1) / cores)
        .map(|k| falling[k * cores - k..=k * cores].iter().sum::<f64>())
        .fold(0.0, f64::max);
    even.max(largest).max(crowded)
}

fn with_moves(problem: &Problem, allowed: usize, control: &mut Control) -> Found {
    let mut start = longest_first(problem);
    if allowed > 0 {
        rebalance(&Problem { max_moves: allowed, ..problem.clone() }, &mut start);
    }
    if problem.loads.len() > MANY {
        flatten(problem, allowed, &mut start);
    }
    let bound = lower_bound(problem, allowed);
    let max_load = greatest(&problem.core_loads(&start));
    if max_load <= bound * (1.0 + EPSILON) {
        return Found { assignment: start, max_load, bound: max_load };
    }
    let mut search = Search::new(problem, allowed, start, max_load, bound, control);
    search.go(0);
    let (assignment, best, stopped) = (search.best_at, search.best, search.stopped);
    Found { assignment, max_load: best, bound: if stopped { bound } else { best } }
}

struct Search<'a, 'c> {
    control: &'a mut Control<'c>,
    /// VNFs that are assigned here, by falling load.
    order: Vec<usize>,
    /// Of each in that order.
    loads: Vec<f64>,
    /// The core that each stands on; NOWHERE: it is new.
    homes: Vec<usize>,
    /// What is left from each depth on.
    left: Vec<f64>,
    /// Of VNFs whose home a core is, those not yet assigned; cores that are nobody's home any more may be alike.
    awaited: Vec<u32>,
    /// What each core is asked for.
    cores: Vec<f64>,
    /// Slots that are left on each.
    room: Vec<usize>,
    /// Some core has fewer than there are VNFs.
    limited: bool,
    moves: usize,
    at: Assignment,
    best: f64,
    best_at: Assignment,
    bound: f64,
    stopped: bool,
}

impl<'a, 'c> Search<'a, 'c> {
    fn new(
        problem: &Problem,
        moves: usize,
        start: Assignment,
        best: f64,
        bound: f64,
        control: &'a mut Control<'c>,
    ) -> Self {
        let mut order: Vec<usize> = (0..problem.loads.len()).filter(|&vnf| problem.is_open(vnf, moves)).collect();
        problem.falling(&mut order);
        let fixed = |vnf: &usize| !problem.is_open(*vnf, moves);
        let room = problem.room((0..problem.loads.len()).filter(fixed).filter_map(|vnf| problem.placed[vnf]));
        let loads: Vec<f64> = order.iter().map(|&vnf| problem.loads[vnf]).collect();
        let homes: Vec<usize> = order.iter().map(|&vnf| problem.placed[vnf].unwrap_or(NOWHERE)).collect();
        let mut left = vec![0.0; loads.len() + 1];
        for depth in (0..loads.len()).rev() {
            left[depth] = left[depth + 1] + loads[depth];
        }
        let mut awaited = vec![0; problem.cores.len()];
        homes.iter().filter(|home| **home != NOWHERE).for_each(|&home| awaited[home] += 1);
        let cores = problem.fixed_loads(moves);
        let at = start.clone();
        Self {
            control,
            order,
            loads,
            homes,
            left,
            awaited,
            cores,
            room,
            limited: problem.is_limited(),
            moves,
            at,
            best,
            best_at: start,
            bound,
            stopped: false,
        }
    }

    /// What a core must stay below.
    fn limit(&self) -> f64 {
        self.best * (1.0 - EPSILON)
    }

    fn reach(&mut self) {
        let reached = greatest(&self.cores);
        if reached < self.limit() {
            self.best = reached;
            self.best_at.clone_from(&self.at);
            self.control.found(-reached);
        }
    }

    /// Proven, or told to stop.
    fn done(&self) -> bool {
        self.stopped || self.best <= self.bound * (1.0 + EPSILON)
    }

    /// Do the cores have room for what is left from a depth on?
    fn has_room(&self, depth: usize) -> bool {
        let (limit, smallest) = (self.limit(), self.loads.last().copied().unwrap_or_default());
        let mut room = -self.left[depth];
        for load in &self.cores {
            let free = limit - load;
            if free >= smallest {
                room += free;
            }
        }
        room >= 0.0
    }

    fn go(&mut self, depth: usize) {
        if depth == self.order.len() {
            return self.reach();
        }
        if !self.has_room(depth) {
            return;
        }
        if self.control.count(1 + self.cores.len() as u64 / CORES_A_STEP) {
            self.stopped = true;
            return;
        }
        let (load, home) = (self.loads[depth], self.homes[depth]);
        if home != NOWHERE {
            self.awaited[home] -= 1;
        }
        let mut floor = (f64::NEG_INFINITY, 0);
        while let Some(core) = self.next_core(floor) {
            floor = (self.cores[core], core + 1);
            if self.cores[core] + load >= self.limit() {
                break; // the others are fuller
            }
            self.enter(depth, core, load, home);
            if self.done() {
                break;
            }
        }
        if home != NOWHERE {
            self.awaited[home] += 1;
        }
    }

    /// The least loaded core after those that were tried, which end with one of load `floor.0` before index `floor.1`.
    /// Of cores of one load that nobody awaits the first.
    fn next_core(&self, floor: (f64, usize)) -> Option<usize> {
        let mut next: Option<usize> = None;
        for (core, load) in self.cores.iter().enumerate() {
            let after = *load > floor.0 || (*load == floor.0 && core >= floor.1 && self.differs(core));
            if after && next.is_none_or(|known| *load < self.cores[known]) {
                next = Some(core);
            }
        }
        next
    }

    /// From every lower core of the same load: somebody's home yet, or the first that is nobody's.
    fn differs(&self, core: usize) -> bool {
        let alike = |other: usize| {
            self.cores[other] == self.cores[core]
                && self.awaited[other] == 0
                && (!self.limited || self.room[other] == self.room[core])
        };
        self.awaited[core] > 0 || !(0..core).any(alike)
    }

    fn enter(&mut self, depth: usize, core: usize, load: f64, home: usize) {
        let moved = usize::from(home != NOWHERE && home != core);
        if moved > self.moves || self.room[core] == 0 {
            return;
        }
        self.moves -= moved;
        self.room[core] -= 1;
        let before = self.cores[core];
        self.cores[core] += load;
        self.at[self.order[depth]] = core;
        self.go(depth + 1);
        self.cores[core] = before; // not subtracted: rounding would pile up
        self.room[core] += 1;
        self.moves += moved;
    }
}
