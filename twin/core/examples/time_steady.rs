//! How long the steady state of two sockets with 24 NFs takes: CPU time of this thread, median of many hosts.
//!
//!     cargo run --release --example time_steady [hosts]

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use sextant_twin_core::examples::{full, machine};
use sextant_twin_core::steady::Solver;

fn cpu_now() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or_default())
}

fn main() {
    let hosts: u32 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(500);
    let machine = machine();
    let (mut fresh, mut again, mut rounds) = (Vec::new(), Vec::new(), Vec::new());
    for host in 0..hosts {
        let mut setting = full();
        for (number, chain) in setting.chains.iter_mut().enumerate() {
            chain.traffic.rate_pps =
                1e5 * f64::from(1 + (host * 7 + u32::try_from(number).unwrap_or_default() * 13) % 60);
        }
        let began = cpu_now();
        let mut solver = Solver::new(&machine, &setting);
        solver.solve();
        fresh.push(cpu_now().saturating_sub(began));
        rounds.push(solver.rounds);
        solver.offer(0, 1.1 * setting.chains[0].traffic.rate_pps);
        let began = cpu_now();
        solver.solve();
        again.push(cpu_now().saturating_sub(began));
    }
    fresh.sort_unstable();
    again.sort_unstable();
    rounds.sort_unstable();
    let middle = |times: &[Duration]| times[times.len() / 2].as_secs_f64() * 1e6;
    let worst = |times: &[Duration]| times[times.len() - 1].as_secs_f64() * 1e6;
    println!("24 NFs, two sockets, {hosts} hosts; microseconds of CPU: median, worst");
    println!("from nothing             {:8.0} {:8.0}", middle(&fresh), worst(&fresh));
    println!("after a change of 10 %   {:8.0} {:8.0}", middle(&again), worst(&again));
    println!("rounds                   {:8} {:8}", rounds[rounds.len() / 2], rounds[rounds.len() - 1]);
}
