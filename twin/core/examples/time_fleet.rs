//! CPU time and memory of hosts in time, each with 24 NFs in 8 chains on two sockets.
//!
//!     cargo run --release --example time_fleet [hosts]
//!
//! Goals: 200 hosts at 10 Hz in real time on one core; 1000 hosts at 1 Hz, where nothing changes, on .3 core; 120 s of 4
//! hosts x 5 chains in 2 s; 200 KiB a host.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use sextant_twin_core::BadInput;
use sextant_twin_core::examples::{full, machine};
use sextant_twin_core::fleet::Fleet;
use sextant_twin_core::order::Order;
use sextant_twin_core::traffic::{Arrivals, Shape};

fn cpu_now() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or_default())
}

/// Resident bytes of this process.
fn memory() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0.0) * rustix::param::page_size() as f64
}

fn fleet(hosts: u32, tick_s: f64, chains: usize, arrivals: &Arrivals) -> Result<Fleet, BadInput> {
    let mut fleet = Fleet::default();
    for host in 0..hosts {
        let mut setting = full();
        setting.chains.truncate(chains);
        let arrivals = setting.chains.iter().map(|chain| (chain.id.clone(), arrivals.clone())).collect();
        let name = format!("host-{host}");
        fleet.add(&name, machine(), 1, tick_s)?;
        fleet.order(&name, Order { setting, arrivals, ..Order::default() })?;
    }
    fleet.step(3.0)?; // all NFs have started, histograms and caches are as they stay
    Ok(fleet)
}

/// CPU seconds for `seconds` of the fleet, in steps of `dt_s`.
fn cpu(fleet: &mut Fleet, dt_s: f64, steps: u32) -> Result<f64, BadInput> {
    let began = cpu_now();
    (0..steps).try_for_each(|_| fleet.step(dt_s))?;
    Ok(cpu_now().saturating_sub(began).as_secs_f64())
}

fn main() -> Result<(), BadInput> {
    let hosts = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    let poisson = Arrivals { poisson: true, ..Arrivals::default() };
    let before = memory();
    let mut many = fleet(hosts, 1.0, 8, &poisson)?;
    let each = (memory() - before) / f64::from(hosts) / 1024.0;
    println!("memory, KiB a host                                {each:8.1}");
    println!("{hosts} hosts at 1 Hz, cores                          {:8.3}", cpu(&mut many, 1.0, 10)? / 10.0);
    let began = cpu_now();
    let bytes: usize = (0..hosts)
        .map(|host| many.report(&format!("host-{host}")).and_then(|report| report.json()).map_or(0, |json| json.len()))
        .sum();
    let took = cpu_now().saturating_sub(began).as_secs_f64();
    println!(
        "their reports as JSON, s; KiB each                {took:8.3} {:8.1}",
        bytes as f64 / f64::from(hosts) / 1024.0
    );
    drop(many);
    let mut quick = fleet(200, 0.1, 8, &poisson)?;
    println!("200 hosts at 10 Hz, nothing changes, cores        {:8.3}", cpu(&mut quick, 0.1, 100)? / 10.0);
    let day = Arrivals { shape: Shape::Diurnal { period_s: 600.0, swing: 0.8, peak_s: 150.0 }, poisson: true };
    let mut changing = fleet(200, 0.1, 8, &day)?;
    println!("200 hosts at 10 Hz, a day in ten minutes, cores   {:8.3}", cpu(&mut changing, 0.1, 100)? / 10.0);
    let mut study = fleet(4, 0.1, 5, &day)?;
    println!("120 s of 4 hosts x 5 chains, the same, s          {:8.3}", cpu(&mut study, 0.1, 1200)?);
    Ok(())
}
