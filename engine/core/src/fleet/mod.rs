//! Chains on the hosts of a fleet: never one huge problem, but a choice of hosts and many small problems.
//!
//! 1. `choose`: chains by falling value take the host where they gain most, everything else staying where it is;
//! 2. `pack` and `exchange`: newcomers change hosts while that raises the summed value, then the score;
//! 3. `solving`: every host touched is solved by the chosen algorithm, on threads; repeat from 2 while that pays.
//!
//! Step 1 is exact chain by chain, step 3 exact host by host with an exact algorithm; the choice of hosts as a whole is
//! a local search. Read `request`, `reader`, `check`, `roster` (the same by indices), `state` and `view` (one host and what the model says
//! of it), `insert`, then the steps.
//!
//! Chains of one anti-affinity group are kept apart (`apart`) by every step: `state` takes no newcomer where it breaks.
//!
//! A limit ends step 1 by seating the rest without evaluation; a watcher that ends the solve leaves them unplaced. Step
//! 2 takes at most half of what is left, step 3 shares the rest equally among the hosts.

mod apart;
mod attempt;
mod check;
mod choose;
mod demand;
mod exchange;
mod host_problem;
mod insert;
mod moves;
mod pack;
mod plan;
mod promise;
mod reader;
mod report;
pub mod request;
mod roster;
mod seats;
mod solving;
mod state;
mod view;
mod watch;

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Instant;

pub use attempt::INSERTION;
pub use reader::{MAX_HOSTS, read_fleet};
pub use report::{FleetResult, HostResult};
pub use watch::{FleetProgress, FleetWatcher, Stage};

use crate::control::Limits;
use crate::cpu_time::CpuTime;
use crate::error::BadInput;
use crate::laws::octans::Algorithm;
use crate::result::SolveResult;
use attempt::Means;
use choose::Chooser;
use plan::Plan;
use report::{Spent, fleet_result};
use request::FleetRequest;
use roster::Roster;
use solving::{Crew, solve_hosts};
use watch::Watch;

const MOST_ROUNDS: usize = 8; // of exchanging and solving; each but the last has raised the score

/// How to solve.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FleetOptions {
    /// For the hosts; None: `Algorithm::automatic` for each.
    pub algorithm: Option<Algorithm>,
    /// Of algorithms that draw lots.
    pub seed: u64,
    /// When to end.
    pub limits: Limits,
    /// That solve hosts; None: as many as the machine runs at once.
    pub threads: Option<usize>,
    /// True: chains keep the hosts they choose first. For comparison.
    pub without_exchange: bool,
}

/// Place the waiting chains of a checked request, and re-place what may move.
pub fn solve_fleet<'a>(
    request: &FleetRequest,
    options: &FleetOptions,
    watcher: Option<&'a mut FleetWatcher<'a>>,
) -> Result<FleetResult, BadInput> {
    let (began, cpu) = (Instant::now(), CpuTime::now());
    let roster = Roster::new(request);
    let plan =
        Plan::new(&roster).ok_or_else(|| BadInput::new("hosts", "running chains hold more seats than there are"))?;
    let watch = Watch::new(options.limits, watcher);
    let threads = options.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let crew = Crew { algorithm: options.algorithm, seed: options.seed, threads };
    let results = vec![None; roster.hosts.len()];
    let mut run = Run { plan, chooser: Chooser::default(), watch, crew, results, spent: Spent::default() };
    run.place();
    for round in 0..MOST_ROUNDS {
        let steps = if options.without_exchange { 0 } else { run.exchange() };
        if (round > 0 && steps == 0) || !run.solve(round == 0) {
            break;
        }
    }
    run.spent.evaluations = run.watch.progress.evaluations;
    run.spent.stopped = run.watch.cancelled();
    run.spent.seconds = began.elapsed().as_secs_f64();
    run.spent.cpu_seconds += cpu.elapsed().as_secs_f64();
    Ok(fleet_result(&run.plan, run.results, run.spent))
}

struct Run<'a, 'b> {
    plan: Plan<'a>,
    chooser: Chooser,
    watch: Watch<'b>,
    crew: Crew,
    results: Vec<Option<SolveResult>>, // by host, as long as its content stays
    spent: Spent,
}

impl Run<'_, '_> {
    /// Step 1.
    fn place(&mut self) {
        self.watch.enter(Stage::Choosing, self.plan.host_of.len());
        let until = self.watch.point(1.0);
        for rank in 0..self.plan.host_of.len() as u32 {
            let passed = self.watch.passed(until);
            if self.watch.cancelled() {
                return;
            }
            self.spent.hurried |= passed;
            let chosen = if passed {
                choose::quickly(&self.plan, rank)
            } else {
                let evaluations = &mut self.watch.progress.evaluations;
                let choice = self.chooser.choose(&self.plan, rank, None, None, evaluations);
                choice.map(|choice| (choice.host, choice.pattern))
            };
            if let Some((host, pattern)) = chosen {
                self.plan.seat(rank, host, pattern);
            }
            self.watch.progress.done += 1;
        }
    }

    /// Step 2; returns the steps taken.
    fn exchange(&mut self) -> u64 {
        self.watch.enter(Stage::Exchanging, self.plan.host_of.len());
        self.watch.progress.best = self.plan.score();
        let until = self.watch.point(0.5);
        let mut look = std::mem::replace(&mut self.plan.changed, vec![false; self.plan.states.len()]);
        let packed = pack::pack(&mut self.plan, &mut self.chooser, &mut self.watch, until);
        look.iter_mut().zip(&self.plan.changed).for_each(|(look, changed)| *look |= changed);
        let exchanged = exchange::exchange(&mut self.plan, &mut self.chooser, look, &mut self.watch, until);
        self.spent.exchanges += packed + exchanged;
        packed + exchanged
    }

    /// Step 3; false if nothing was found that step 2 did not know.
    fn solve(&mut self, first: bool) -> bool {
        let roster = self.plan.roster;
        let changed = std::mem::replace(&mut self.plan.changed, vec![false; self.plan.states.len()]);
        let mut hosts: Vec<usize> = (0..changed.len()).filter(|&host| changed[host]).collect();
        for &host in &hosts {
            self.results[host] = None;
        }
        if first {
            let filled = |host: usize| self.plan.states[host].newcomers().next().is_some();
            let movable = |host: usize| roster.hosts[host].may_move() && !roster.hosts[host].running.is_empty();
            hosts = (0..changed.len()).filter(|&host| filled(host) || movable(host)).collect();
        }
        let (solved, cpu) = solve_hosts(&self.plan, &hosts, self.crew, &mut self.watch);
        self.spent.cpu_seconds += cpu.as_secs_f64();
        let solved: Vec<_> = hosts.into_iter().zip(solved).filter_map(|(host, solved)| Some((host, solved?))).collect();
        self.spent.hosts_solved += solved.len() as u64;
        let elsewhere = (0..changed.len()).filter(|host| solved.iter().all(|(one, _)| one != host));
        let moved: u32 = elsewhere.map(|host| self.plan.states[host].moves(roster, host)).sum();
        let limit = roster.request.max_moves.map(|most| most.saturating_sub(moved));
        let cancelled = AtomicBool::new(self.watch.cancelled());
        let means = Means { algorithm: self.crew.algorithm, seed: self.crew.seed, cancelled: &cancelled };
        let mut found = false;
        for (host, attempt) in moves::settle(roster, solved, limit, means, self.watch.left(0.1)) {
            if attempt.seated != self.plan.states[host].seated
                && let Some(state) = state::State::new(roster, host, attempt.seated)
            {
                self.plan.put(host, state);
                found = true;
            }
            self.results[host] = Some(attempt.result);
        }
        self.watch.progress.best = self.plan.score();
        self.watch.progress.bound = self.results.iter().flatten().filter_map(|result| result.bound).sum();
        found && !self.watch.cancelled()
    }
}
