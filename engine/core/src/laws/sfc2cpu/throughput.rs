//! The most packets that the ideal model serves (Sec. IV-E, as published), proven: depth first over VNFs by falling load.
//!
//! Where the least greatest load is within gamma, everything is served, and no branch is looked at. Else a branch
//! is bounded by what its chains can carry at most: each no more than the fullest core of its VNFs so far lets through,
//! and no more than the lightest core would if the VNF came to it; and all together no more than the cores have time,
//! given to the chains that carry most packets for it. That holds since a chain's part is no more than any of its VNFs'
//! (so its work at that part is done), and no core works for more than gamma. What is found then goes downhill: of
//! assignments that serve as many, `worth` has one that is better in other ways.

use crate::control::{Control, Limits};
use crate::laws::sfc2cpu::annealing::{Annealing, Judged};
use crate::laws::sfc2cpu::heuristics::longest_first;
use crate::laws::sfc2cpu::ideal::{literal, rho_of};
use crate::laws::sfc2cpu::min_max;
use crate::laws::sfc2cpu::problem::{Assignment, Problem, ROUNDING, Traffic};
use crate::laws::sfc2cpu::rebalance::rebalance;
use crate::laws::sfc2cpu::worth::Worth;

/// Steps of a search that nobody limits: it ends then with a bound. A second or two.
pub const STEPS: u64 = 2_000_000;
/// Most steps of the search for an assignment that overloads no core.
const FLATTENING: u64 = 1_000_000;
/// Steps of annealing before the search, a VNF.
const WARM_UP: u64 = 200;
/// Judging many VNFs downhill takes longer: so many more count as another step.
const VNFS_A_STEP: u64 = 64;
const NOWHERE: usize = usize::MAX;

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The best that was met.
    pub assignment: Assignment,
    /// Packets a second: no assignment serves more.
    pub bound: f64,
}

/// The optimum, or the best until the control says stop.
pub fn assign(problem: &Problem, traffic: &Traffic, control: &mut Control) -> Found {
    let brief = Limits { time: control.time_left().map(|time| time / 4), evaluations: Some(FLATTENING) };
    let mut part = Control::new(brief, None);
    let flattest = min_max::assign(problem, &mut part);
    control.count(part.evaluations());
    let offered: f64 = traffic.chains.iter().map(|chain| traffic.offered(chain)).sum();
    let judge = |at: &[usize]| Worth::of(problem, at, &literal(problem.demand(), traffic, at));
    let weight = 1 + problem.loads.len() as u64 / VNFS_A_STEP;
    if flattest.max_load <= problem.gamma * (1.0 + ROUNDING) {
        let worth = judge(&flattest.assignment);
        let mut found = Judged { assignment: flattest.assignment, worth };
        Annealing { problem, offered_pps: offered, judge, weight, control }.descend(&mut found);
        return Found { assignment: found.assignment, bound: offered };
    }
    let mut ruled = longest_first(problem);
    rebalance(problem, &mut ruled);
    let steps = WARM_UP * problem.loads.len() as u64;
    let start = Annealing { problem, offered_pps: offered, judge, weight: 1, control }
        .search(vec![flattest.assignment.clone(), ruled], steps, 0)
        .unwrap_or_else(|| Judged { worth: judge(&flattest.assignment), assignment: flattest.assignment });
    let mut search = Search::new(problem, traffic, start, control);
    search.go(0);
    let (mut best, open) = (search.best, if search.stopped { search.open } else { 0.0 });
    Annealing { problem, offered_pps: offered, judge, weight, control }.descend(&mut best);
    Found { bound: open.max(best.worth.served_pps).min(offered), assignment: best.assignment }
}

struct Chain {
    vnfs: Vec<usize>,
    rate: f64,
    /// Of all its VNFs.
    work: f64,
}

struct Search<'a, 'c> {
    problem: &'a Problem,
    traffic: &'a Traffic,
    control: &'a mut Control<'c>,
    /// By packets that a core's time carries, most first.
    chains: Vec<Chain>,
    order: Vec<usize>,
    /// What each core is asked for, and how many VNFs are there or are awaited there.
    cores: Vec<f64>,
    taken: Vec<u32>,
    /// Slots that are left on each.
    room: Vec<usize>,
    /// The core of each VNF; NOWHERE: not yet assigned.
    at: Assignment,
    moves: usize,
    best: Judged,
    /// The greatest bound among branches that were left when the search was stopped.
    open: f64,
    stopped: bool,
}

impl<'a, 'c> Search<'a, 'c> {
    fn new(problem: &'a Problem, traffic: &'a Traffic, best: Judged, control: &'a mut Control<'c>) -> Self {
        let open = |vnf: usize| problem.is_open(vnf, problem.max_moves);
        let mut order: Vec<usize> = (0..problem.loads.len()).filter(|&vnf| open(vnf)).collect();
        problem.falling(&mut order);
        let chain = |vnfs: &Vec<usize>| Chain {
            rate: traffic.offered(vnfs),
            work: vnfs.iter().map(|&vnf| problem.loads[vnf]).sum(),
            vnfs: vnfs.clone(),
        };
        let mut chains: Vec<Chain> = traffic.chains.iter().map(chain).collect();
        chains.sort_by(|one, other| (other.rate / other.work).total_cmp(&(one.rate / one.work)));
        let mut taken = vec![0; problem.cores.len()];
        problem.placed.iter().flatten().for_each(|&core| taken[core] += 1);
        let fixed = |(vnf, core): (usize, &Option<usize>)| core.filter(|_| !open(vnf)).unwrap_or(NOWHERE);
        let at: Assignment = problem.placed.iter().enumerate().map(fixed).collect();
        let room = problem.room(at.iter().copied().filter(|core| *core != NOWHERE));
        Self {
            cores: problem.fixed_loads(problem.max_moves),
            moves: problem.max_moves,
            open: 0.0,
            stopped: false,
            problem,
            traffic,
            control,
            chains,
            order,
            taken,
            room,
            at,
            best,
        }
    }

    /// No completion of this branch serves more.
    fn bound(&self) -> f64 {
        let gamma = self.problem.gamma;
        let lightest = self.cores.iter().copied().fold(f64::INFINITY, f64::min);
        let mut time = gamma * self.cores.len() as f64;
        let mut served = 0.0;
        for chain in &self.chains {
            let load = |vnf: usize| match self.at[vnf] {
                NOWHERE => lightest + self.problem.loads[vnf],
                core => self.cores[core],
            };
            let fullest = chain.vnfs.iter().map(|&vnf| load(vnf)).fold(0.0, f64::max);
            let part = rho_of(gamma, fullest).min(time / chain.work);
            time -= part * chain.work;
            served += part * chain.rate;
        }
        served
    }

    fn go(&mut self, depth: usize) {
        if depth == self.order.len() {
            let worth = Worth::of(self.problem, &self.at, &literal(self.problem.demand(), self.traffic, &self.at));
            if worth.beats(&self.best.worth) {
                self.best = Judged { assignment: self.at.clone(), worth };
                self.control.found(worth.served_pps);
            }
            return;
        }
        let bound = self.bound();
        if bound <= self.best.worth.served_pps * (1.0 + ROUNDING) {
            return;
        }
        if self.stopped || self.control.count(1) {
            self.stopped = true;
            self.open = self.open.max(bound);
            return;
        }
        let vnf = self.order[depth];
        for core in self.candidates() {
            self.enter(depth, vnf, core);
        }
    }

    /// Those with a slot, the lightest first; of cores with nobody on them, awaited by nobody, and with as many slots, the
    /// lowest.
    fn candidates(&self) -> Vec<usize> {
        let alike = |core: usize, other: usize| self.taken[other] == 0 && self.room[other] == self.room[core];
        let differs = |core: &usize| self.taken[*core] > 0 || !(0..*core).any(|other| alike(*core, other));
        let open = |core: &usize| self.room[*core] > 0;
        let mut found: Vec<usize> = (0..self.cores.len()).filter(open).filter(differs).collect();
        found.sort_by(|&one, &other| self.cores[one].total_cmp(&self.cores[other]));
        found
    }

    fn enter(&mut self, depth: usize, vnf: usize, core: usize) {
        let moved = usize::from(self.problem.placed[vnf].is_some_and(|home| home != core));
        if moved > self.moves {
            return;
        }
        self.moves -= moved;
        let before = self.cores[core];
        self.cores[core] += self.problem.loads[vnf];
        self.taken[core] += 1;
        self.room[core] -= 1;
        self.at[vnf] = core;
        self.go(depth + 1);
        self.at[vnf] = NOWHERE;
        self.taken[core] -= 1;
        self.room[core] += 1;
        self.cores[core] = before; // not subtracted: rounding would pile up
        self.moves += moved;
    }
}
