//! How long `exact` takes: thread CPU time, median and maximum over seeds, and the share that was proven.
//!
//! `cargo run --release --example time_exact -- [seeds] [seconds a problem] [chains x nodes x cores ...]`,
//! e.g. `-- 50 10 6x4x10 12x2x21`. Chains have three NFs.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use sextant_core::control::{Control, Limits};
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::instance::Instance;
use sextant_core::laws::octans::{Algorithm, Params};

const SIZES: [&str; 5] = ["4x4x10", "6x2x10", "6x4x10", "12x2x21", "8x4x10"];

/// What this thread has run so far, in ms.
fn cpu_ms() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e3 + now.tv_nsec as f64 / 1e6
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, otherwise: u64| {
        arguments.get(index).and_then(|argument| argument.parse::<u64>().ok()).unwrap_or(otherwise)
    };
    let (seeds, seconds) = (number(0, 50), number(1, 10));
    let sizes: Vec<&str> =
        if arguments.len() > 2 { arguments[2..].iter().map(String::as_str).collect() } else { SIZES.to_vec() };
    println!("{:>10} mode   median      p90      max ms  proven   evaluations (median)", "size");
    for size in sizes {
        let figures: Vec<u32> = size.split('x').filter_map(|figure| figure.parse().ok()).collect();
        let &[chains, nodes, cores] = figures.as_slice() else {
            eprintln!("{size} is not chains x nodes x cores");
            continue;
        };
        for mode in [Mode::A, Mode::B, Mode::C] {
            let recipe = |seed| Recipe { chains: chains as usize, nodes: nodes as usize, cores, length: 3, mode, seed };
            row(size, seeds, Duration::from_secs(seconds), recipe);
        }
    }
}

fn row(size: &str, seeds: u64, limit: Duration, recipe: impl Fn(u64) -> Recipe) {
    let (mut times, mut counts, mut proven) = (Vec::new(), Vec::new(), 0);
    for seed in 0..seeds {
        let Ok(problem) = generate(&recipe(seed)) else { continue };
        let instance = Instance::new(&problem);
        let mut control = Control::new(Limits { time: Some(limit), evaluations: None }, None);
        let began = cpu_ms();
        let outcome = Algorithm::Exact.run(&instance, Params::Default, 0, &mut control, None);
        times.push(cpu_ms() - began);
        counts.push(control.evaluations() as f64);
        proven += u64::from(outcome.is_ok_and(|outcome| outcome.proven));
    }
    times.sort_by(f64::total_cmp);
    counts.sort_by(f64::total_cmp);
    let at = |list: &[f64], share: f64| list[((list.len() - 1) as f64 * share) as usize];
    println!(
        "{size:>10} {:>4?} {:>8.3} {:>8.3} {:>11.3} {:>4}/{seeds:<4} {:>8}",
        recipe(0).mode,
        at(&times, 0.5),
        at(&times, 0.9),
        at(&times, 1.0),
        proven,
        at(&counts, 0.5),
    );
}
