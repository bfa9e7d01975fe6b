//! How good `anytime` is, how soon, and how much of it is certified. CPU time of this thread, medians over seeds.
//!
//! `cargo run --release --example time_anytime -- CHAINSxNODESxCORES MODE SECONDS[,SECONDS...] [SEEDS] [REFERENCE]`
//! REFERENCE: seconds of a long run to compare the scores with; 0 for none.

use std::time::Duration;

use sextant_core::control::Limits;
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::laws::octans::Algorithm;
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::problem::Problem;
use sextant_core::result::SolveResult;

const SHORT: f64 = 0.02; // seconds; the scheduler's figures are too coarse for less

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [size, mode, seconds, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: time_anytime CHAINSxNODESxCORES A|B|C SECONDS[,SECONDS...] [SEEDS] [REFERENCE]");
        std::process::exit(2)
    };
    let size: Vec<usize> = size.split('x').map(|part| part.parse().expect("a number")).collect();
    let mode = match mode.as_str() {
        "A" => Mode::A,
        "B" => Mode::B,
        _ => Mode::C,
    };
    let seconds: Vec<f64> = seconds.split(',').map(|part| part.parse().expect("seconds")).collect();
    let seeds: u64 = rest.first().map_or(5, |seeds| seeds.parse().expect("a number"));
    let reference: f64 = rest.get(1).map_or(0.0, |seconds| seconds.parse().expect("seconds"));
    let mut rows = vec![Vec::new(); seconds.len()];
    for seed in 0..seeds {
        let recipe = Recipe { chains: size[0], nodes: size[1], cores: size[2] as u32, length: 3, mode, seed };
        let problem = generate(&recipe).expect("a recipe within bounds");
        let results: Vec<SolveResult> = seconds.iter().map(|&seconds| run(&problem, seed, seconds)).collect();
        let mut best = results.iter().map(|result| result.score).fold(f64::NEG_INFINITY, f64::max);
        if reference > 0.0 {
            best = best.max(run(&problem, seed + 1000, reference).score);
        }
        for (row, result) in rows.iter_mut().zip(&results) {
            let bound = result.bound.unwrap_or(f64::INFINITY);
            row.push((100.0 * (1.0 - result.score / best), 100.0 * (bound / result.score - 1.0), result.evaluations));
        }
    }
    println!("seconds  below the best known %: median, max   certified gap %: median, max   evaluations");
    for (seconds, mut row) in seconds.iter().zip(rows) {
        row.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (median, most) = (row[row.len() / 2].0, row[row.len() - 1].0);
        row.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (gap, widest, evaluations) = (row[row.len() / 2].1, row[row.len() - 1].1, row[row.len() / 2].2);
        println!("{seconds:7.3}  {median:30.4} {most:8.4} {gap:23.4} {widest:8.4} {evaluations:13}");
    }
}

/// Solve within this much CPU time: on a busy machine the wall time is stretched until it holds within 10 %.
fn run(problem: &Problem, seed: u64, seconds: f64) -> SolveResult {
    let mut wall = seconds;
    for _ in 0..4 {
        let began = cpu_seconds();
        let limits = Limits { time: Some(Duration::from_secs_f64(wall)), evaluations: None };
        let options = Options { seed, limits, ..Options::default() };
        let result = solve(problem, Algorithm::Anytime, &options, None).expect("a generated problem is sound");
        let used = cpu_seconds() - began;
        if seconds < SHORT || used > 0.9 * seconds || result.seconds < 0.9 * wall {
            return result;
        }
        wall *= seconds / used;
    }
    panic!("the machine is too busy to measure on")
}

/// CPU time of this thread, as Linux reports it.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split(' ').next().and_then(|field| field.parse::<f64>().ok()).expect("nanoseconds") * 1e-9
}
