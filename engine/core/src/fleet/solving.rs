//! Hosts are solved independently, on threads. Every host has its own limits, so with a limit of evaluations the
//! results are the same whatever the number of threads.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::control::Limits;
use crate::cpu_time::CpuTime;
use crate::fleet::attempt::{Means, Solved, solve_host};
use crate::fleet::plan::Plan;
use crate::fleet::watch::{Stage, Watch};
use crate::laws::octans::Algorithm;

const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How many threads solve, and how.
#[derive(Debug, Clone, Copy)]
pub struct Crew {
    /// None: `Algorithm::automatic` for each host.
    pub algorithm: Option<Algorithm>,
    /// Of algorithms that draw lots.
    pub seed: u64,
    /// At least one.
    pub threads: usize,
}

/// Solve these hosts; None for those where nothing is predicted or that were not reached before the solve was ended.
/// Returns the threads' CPU time as well.
pub fn solve_hosts(plan: &Plan, hosts: &[usize], crew: Crew, watch: &mut Watch) -> (Vec<Option<Solved>>, Duration) {
    watch.enter(Stage::Solving, hosts.len());
    let left = watch.left(1.0);
    let deadline = left.time.map(|time| Instant::now() + time);
    let threads = crew.threads.min(hosts.len()).max(1);
    let cancelled = AtomicBool::new(watch.cancelled());
    let (next, cpu) = (AtomicUsize::new(0), AtomicU64::new(0));
    let (report, reports) = channel();
    let work = |report: std::sync::mpsc::Sender<(usize, Option<Solved>)>| {
        let began = CpuTime::now();
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            let Some(&host) = hosts.get(job).filter(|_| !cancelled.load(Ordering::Relaxed)) else { break };
            let limits = share(deadline, left.evaluations, hosts.len(), job, threads);
            let means = Means { algorithm: crew.algorithm, seed: crew.seed, cancelled: &cancelled };
            let solved = solve_host(plan.roster, host, &plan.states[host], means, limits);
            if report.send((job, solved)).is_err() {
                break;
            }
        }
        cpu.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
    };
    let mut results: Vec<Option<Solved>> = vec![None; hosts.len()];
    thread::scope(|scope| {
        for _ in 0..threads {
            let report = report.clone();
            scope.spawn(|| work(report));
        }
        drop(report);
        loop {
            match reports.recv_timeout(LOOK_EVERY) {
                Ok((job, solved)) => {
                    watch.progress.evaluations += solved.as_ref().map_or(0, |one| one.pinned.result.evaluations);
                    watch.progress.done += 1;
                    results[job] = solved;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if watch.look() {
                cancelled.store(true, Ordering::Relaxed);
            }
        }
    });
    (results, Duration::from_nanos(cpu.into_inner()))
}

/// Limits of each of the at most two problems of a host: an equal part of the evaluations, and of the time that is
/// left when its turn comes.
fn share(deadline: Option<Instant>, evaluations: Option<u64>, hosts: usize, job: usize, threads: usize) -> Limits {
    let turns = (hosts - job).div_ceil(threads) as u32 * 2;
    let time = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()) / turns);
    Limits { time, evaluations: evaluations.map(|left| left / (2 * hosts as u64)) }
}
