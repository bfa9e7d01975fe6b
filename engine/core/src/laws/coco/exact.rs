//! The least delayed bytes (Eq. 3), depth first in the order of strongest adjacency.
//!
//! Bound of a branch: what placed elements cost; of each element that is left the cheapest core which still has room, by
//! its hops to placed ones; and of runs of a chain that are left as a whole the changes of core that no placement avoids.
//! Or, where that is more, what `runs` says of the hops to and between those that are left. Empty cores that are alike
//! are tried once. The start is a local search.

use crate::control::Control;
use crate::laws::coco::baselines::{greedy, largest_first, random};
use crate::laws::coco::local_search::{Adjacency, improve};
use crate::laws::coco::problem::{Loads, Placement, Problem, ROUNDING};
use crate::laws::coco::runs;

/// Steps of a search that nobody limits: it ends then with a bound. About a second.
pub const STEPS: u64 = 4_000_000;

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// None: there is none, or the search ended before one was met.
    pub placement: Option<Placement>,
    /// No placement costs less.
    pub bound: f64,
    /// Every branch was searched or cut.
    pub proven: bool,
}

/// The optimum, or the best until the control says stop.
pub fn place(problem: &Problem, control: &mut Control) -> Found {
    let adjacency = problem.adjacency();
    let mut search = Search::new(problem, &adjacency, control);
    for start in starts(problem) {
        search.begin(start);
    }
    search.go(0, 0.0);
    let (placement, best) = (search.best_at, search.best);
    let bound = if search.stopped { search.open.min(best) } else { best };
    Found { placement, bound, proven: !search.stopped }
}

/// What no placement costs less than, without a search.
pub fn lower_bound(problem: &Problem) -> f64 {
    unavoidable(problem, |_| true)
}

fn starts(problem: &Problem) -> Vec<Placement> {
    // Where elements stand now goes first: of placements that cost the same it is kept.
    let homes = problem.homes.as_ref().and_then(|homes| homes.at.iter().copied().collect::<Option<Placement>>());
    let mut found: Vec<Placement> = homes.into_iter().collect();
    found.extend([greedy(problem), largest_first(problem)].into_iter().flatten());
    let drawn = problem.cpu.len().saturating_sub(8) as u64 / 2; // small problems are searched faster than started well
    found.extend((0..drawn).filter_map(|seed| random(problem, seed).ok()));
    found.retain(|placement| keeps_room(problem, placement));
    found
}

/// Whether every core has the time and the slots. Where elements stand now needs not.
fn keeps_room(problem: &Problem, placement: &Placement) -> bool {
    let mut held = vec![0; problem.cores.len()];
    placement.iter().zip(&problem.nfs).for_each(|(&core, nfs)| held[core] += nfs);
    let slots = problem.cores.iter().zip(held).all(|(core, held)| held <= core.slots);
    slots && Loads::of(problem, placement).room.iter().all(|room| *room >= -ROUNDING)
}

/// Elements from the one with most traffic on, each next one by most traffic with those before.
fn by_adjacency(problem: &Problem, adjacency: &Adjacency) -> Vec<usize> {
    let total = |element: usize| adjacency[element].iter().map(|(_, rate)| rate).sum::<f64>();
    let mut left: Vec<(usize, f64, f64)> = (0..adjacency.len()).map(|one| (one, 0.0, total(one))).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let rank = |one: &(usize, f64, f64)| (one.1, one.2, problem.cpu[one.0]);
        let better = |one: &&(usize, f64, f64), other: &&(usize, f64, f64)| rank(one).partial_cmp(&rank(other));
        let next = left.iter().max_by(|a, b| better(a, b).unwrap_or(std::cmp::Ordering::Equal)).map_or(0, |one| one.0);
        left.retain(|one| one.0 != next);
        for one in &mut left {
            one.1 += adjacency[one.0].iter().filter(|(other, _)| *other == next).map(|(_, rate)| rate).sum::<f64>();
        }
        order.push(next);
    }
    order
}

/// For each depth, the least that hops between elements which are left then cost.
fn tails(problem: &Problem, order: &[usize]) -> Vec<f64> {
    let mut depth_of = vec![0; order.len()];
    order.iter().enumerate().for_each(|(depth, &element)| depth_of[element] = depth);
    (0..=order.len()).map(|depth| unavoidable(problem, |element| depth_of[element] >= depth)).collect()
}

/// Of each chain's runs of such elements: with as few changes of core as room allows.
fn unavoidable(problem: &Problem, left: impl Fn(usize) -> bool) -> f64 {
    let most = problem.cores.iter().map(|core| core.room).fold(0.0, f64::max) + ROUNDING;
    let distances = problem.distances;
    let nodes = |of: fn(usize, usize) -> bool| problem.cores.windows(2).any(|pair| of(pair[0].node, pair[1].node));
    let change = if nodes(|one, other| one != other) {
        distances.same_node.min(distances.other_node)
    } else {
        distances.same_node
    };
    let hop = distances.same_core.min(change);
    let mut sum = 0.0;
    for chain in &problem.chains {
        let (mut run, mut load) = (false, 0.0);
        for &element in &chain.elements {
            if !left(element) {
                (run, load) = (false, 0.0);
                continue;
            }
            let cpu = problem.cpu[element];
            let changes = load + cpu > most;
            if run {
                sum += chain.rate * if changes { change } else { hop };
            }
            load = if changes { cpu } else { load + cpu };
            run = true;
        }
    }
    sum
}

struct Search<'a, 'c> {
    problem: &'a Problem,
    adjacency: &'a Adjacency,
    control: &'a mut Control<'c>,
    order: Vec<usize>,
    depth_of: Vec<usize>,
    tails: Vec<f64>,
    /// Within a core and to another, for `runs`.
    hops: Option<(f64, f64)>,
    /// What each element costs on each core, by its hops to placed ones.
    costs: Vec<f64>,
    /// Of each element what it costs at least, wherever its neighbours are placed.
    floors: Vec<f64>,
    loads: Loads,
    /// By core: cores of one number are alike as long as they are empty.
    alike: Vec<usize>,
    empty: Vec<bool>,
    at: Placement,
    saved: Vec<f64>,
    /// By depth, so that none is made anew for each branch.
    lists: Vec<Vec<(f64, usize)>>,
    best: f64,
    best_at: Option<Placement>,
    /// The least bound among branches that were left when the search was stopped.
    open: f64,
    stopped: bool,
}

impl<'a, 'c> Search<'a, 'c> {
    fn new(problem: &'a Problem, adjacency: &'a Adjacency, control: &'a mut Control<'c>) -> Self {
        let (elements, cores) = (problem.cpu.len(), problem.cores.len());
        let order = by_adjacency(problem, adjacency);
        let mut depth_of = vec![0; elements];
        order.iter().enumerate().for_each(|(depth, &element)| depth_of[element] = depth);
        let alone = |element: usize| (0..cores).map(move |core| problem.alone(element, core));
        Self {
            tails: tails(problem, &order),
            hops: runs::hops(problem),
            costs: (0..elements).flat_map(alone).collect(),
            floors: (0..elements).map(|element| alone(element).fold(f64::INFINITY, f64::min)).collect(),
            loads: Loads::empty(problem),
            alike: alike(problem),
            empty: vec![true; cores],
            at: vec![0; elements],
            saved: Vec::new(),
            lists: vec![Vec::with_capacity(cores); elements],
            best: f64::INFINITY,
            best_at: None,
            open: f64::INFINITY,
            stopped: false,
            problem,
            adjacency,
            control,
            order,
            depth_of,
        }
    }

    fn begin(&mut self, mut start: Placement) {
        improve(self.problem, self.adjacency, &mut start);
        self.reach(start);
    }

    fn reach(&mut self, placement: Placement) {
        let cost = self.problem.cost(&placement);
        let allowed = self.problem.homes.as_ref().is_none_or(|homes| {
            (0..placement.len()).all(|one| !homes.stays[one] || homes.at[one] == Some(placement[one]))
        });
        if allowed && cost < self.best {
            self.best = cost;
            self.best_at = Some(placement);
            self.control.found(-cost);
        }
    }

    /// What costs so much is not worth searching: it cannot be better by more than rounding.
    fn limit(&self) -> f64 {
        self.best - ROUNDING * self.best.abs().min(f64::MAX)
    }

    fn cut(&self, bound: f64) -> bool {
        bound >= self.limit()
    }

    /// The least that elements from `depth` on, and the first of them, cost by their hops to placed ones; None: one of
    /// them finds no core, or it is `limit` and more.
    fn least(&self, depth: usize, limit: f64) -> Option<(f64, f64)> {
        let cores = self.loads.room.len();
        let (mut sum, mut first) = (0.0, 0.0);
        for (index, &element) in self.order[depth..].iter().enumerate() {
            let (cpu, nfs) = (self.problem.cpu[element], self.problem.nfs[element]);
            let row = &self.costs[element * cores..][..cores];
            let mut least = f64::INFINITY;
            for (core, &cost) in row.iter().enumerate() {
                if cost < least && self.loads.fits(core, cpu, nfs) {
                    least = cost;
                    if cost <= self.floors[element] {
                        break;
                    }
                }
            }
            if least == f64::INFINITY {
                return None;
            }
            if index == 0 {
                first = least;
            }
            sum += least;
            if sum >= limit {
                return None;
            }
        }
        Some((sum, first))
    }

    fn least_of_runs(&self, depth: usize, limit: f64) -> f64 {
        let at = |element: usize| (self.depth_of[element] < depth).then(|| self.at[element]);
        self.hops.map_or(0.0, |hops| runs::least(self.problem, &self.loads, at, hops, limit))
    }

    fn go(&mut self, depth: usize, placed: f64) {
        if depth == self.order.len() {
            let placement = self.at.clone();
            self.reach(placement);
            return;
        }
        let Some((least, first)) = self.least(depth, self.limit() - placed - self.tails[depth]) else { return };
        let bound = placed + least + self.tails[depth];
        if self.cut(bound) || self.cut(placed + self.least_of_runs(depth, self.limit() - placed)) {
            return;
        }
        if self.control.count(1) {
            self.stopped = true;
            self.open = self.open.min(bound);
            return;
        }
        let element = self.order[depth];
        let candidates = self.candidates(depth, element);
        for &(cost, core) in &candidates {
            let child = bound - first + cost;
            if self.cut(child) {
                break; // the others cost more
            }
            if self.stopped {
                self.open = self.open.min(child);
                break;
            }
            self.enter(depth, element, core, placed + cost);
        }
        self.lists[depth] = candidates;
    }

    /// Cores with room, the cheapest first; of empty ones that are alike the first. In the list of this depth, which is
    /// to be given back.
    fn candidates(&mut self, depth: usize, element: usize) -> Vec<(f64, usize)> {
        let cores = self.loads.room.len();
        let mut found = std::mem::take(&mut self.lists[depth]);
        found.clear();
        let (cpu, nfs) = (self.problem.cpu[element], self.problem.nfs[element]);
        let mut seen = 0u64; // bits of classes of empty cores; those beyond 63 are simply tried each
        for core in 0..cores {
            let cost = self.costs[element * cores + core];
            if cost == f64::INFINITY || !self.loads.fits(core, cpu, nfs) {
                continue;
            }
            if self.empty[core] && self.alike[core] < 64 {
                let bit = 1 << self.alike[core];
                if seen & bit != 0 {
                    continue;
                }
                seen |= bit;
            }
            found.push((cost, core));
        }
        found.sort_by(|one, other| one.0.total_cmp(&other.0));
        found
    }

    fn enter(&mut self, depth: usize, element: usize, core: usize, placed: f64) {
        let cores = self.loads.room.len();
        let (room, was_empty, mark) = (self.loads.room[core], self.empty[core], self.saved.len());
        let nfs = self.problem.nfs[element];
        self.loads.take(core, self.problem.cpu[element], nfs);
        self.empty[core] = false;
        self.at[element] = core;
        let adjacency = self.adjacency;
        for &(other, rate) in adjacency[element].iter().filter(|(other, _)| self.depth_of[*other] > depth) {
            let row = other * cores..(other + 1) * cores;
            self.saved.extend_from_slice(&self.costs[row.clone()]);
            for (to, cost) in self.costs[row].iter_mut().enumerate() {
                *cost += rate * self.problem.distance(core, to);
            }
        }
        self.go(depth + 1, placed);
        let mut from = mark;
        for &(other, _) in adjacency[element].iter().filter(|(other, _)| self.depth_of[*other] > depth) {
            self.costs[other * cores..(other + 1) * cores].copy_from_slice(&self.saved[from..from + cores]);
            from += cores;
        }
        self.saved.truncate(mark);
        self.loads.give(core, 0.0, nfs);
        self.loads.room[core] = room; // not added back: rounding would pile up
        self.empty[core] = was_empty;
    }
}

/// Cores that differ in nothing: the same node (where that matters), room and slots, and nobody's home.
fn alike(problem: &Problem) -> Vec<usize> {
    let uniform = problem.distances.same_node == problem.distances.other_node;
    let home = |core: usize| problem.homes.as_ref().is_some_and(|homes| homes.at.contains(&Some(core)));
    let key = |core: usize| {
        let one = &problem.cores[core];
        let of_one = if home(core) { core + 1 } else { 0 };
        (if uniform { 0 } else { one.node }, one.room.to_bits(), one.slots, of_one)
    };
    let mut keys: Vec<_> = Vec::new();
    (0..problem.cores.len())
        .map(|core| {
            let key = key(core);
            keys.iter().position(|known| *known == key).unwrap_or_else(|| {
                keys.push(key);
                keys.len() - 1
            })
        })
        .collect()
}
