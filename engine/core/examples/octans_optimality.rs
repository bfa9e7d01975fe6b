//! How often Algorithm 1 finds the optimum of two nodes, and which of its restrictions keeps it from it.
//!
//!     cargo run --release --example octans_optimality [problems a cell]
//!
//! For 1 to 6 chains of three NFs it enumerates every placement and looks for the best among:
//! - prefix: a chain is local up to some NF and remote from there on (all that moving subchains can make);
//! - whole: all chains with remote NFs would fit whole on the remote node (all that the initial placements can lead to);
//! - both: what Algorithm 1 could reach if it tried every prefix;
//! - incl, excl: Algorithm 1 itself, with the bottleneck in the subchain and without.
//!
//! A cell is the share of problems whose optimum is among them, in per cent, and the mean gap of the others to it.
//! Then the same where no chain carries more than its line: what a placement gains beyond that nobody measures.

use sextant_core::BadInput;
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::instance::{Assignment, Instance};
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::laws::octans::{Algorithm, Params, subchains};
use sextant_core::model::{Weights, walk};
use sextant_core::problem::Problem;
use sextant_core::rank::close;

const LENGTH: usize = 3;
const SETS: [&str; 5] = ["prefix", "whole", "both", "incl", "excl"];

/// Name, mode, and what is changed in the generated problem (ten cores a node).
type Variant = (&'static str, Mode, fn(&mut Problem));

const VARIANTS: [Variant; 10] = [
    ("A", Mode::A, |_| ()),
    ("B", Mode::B, |_| ()),
    ("C", Mode::C, |_| ()),
    ("A, 6 local and 12 remote cores (the paper's testbed)", Mode::A, |problem| cores(problem, 6, 12)),
    ("A, 9 cores a node: six chains fill both", Mode::A, |problem| cores(problem, 9, 9)),
    ("A, 18 cores a node: any initial placement fits", Mode::A, |problem| cores(problem, 18, 18)),
    ("A, contention x 0.3", Mode::A, |problem| stalls(problem, 1.0 / 0.3)),
    ("A, contention x 3", Mode::A, |problem| stalls(problem, 1.0 / 3.0)),
    ("A, remote ideal x 0.6", Mode::A, |problem| {
        problem.nf_types.values_mut().for_each(|nf| nf.ideal.remote *= 0.6);
    }),
    ("A, router-firewall-nids with one NF replaced", Mode::A, |problem| {
        for (index, chain) in problem.chains.iter_mut().enumerate() {
            let other = std::mem::take(&mut chain.nfs[index % LENGTH]);
            chain.nfs = ["router", "firewall", "nids"].map(str::to_owned).to_vec();
            chain.nfs[index % LENGTH] = other;
        }
    }),
];

fn cores(problem: &mut Problem, local: u32, remote: u32) {
    (problem.nodes[0].cores, problem.nodes[1].cores) = (local, remote);
}

fn stalls(problem: &mut Problem, factor: f64) {
    problem.nf_types.values_mut().for_each(|nf| nf.stalls *= factor);
}

/// What a line carries, Mpps.
const LINES: [f64; 3] = [5.0, 3.5, 2.5];

fn main() -> Result<(), BadInput> {
    let problems = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(100);
    println!("{:<54} {:>6} {}", "problems", "chains", SETS.map(|set| format!("{set:>12}")).join(" "));
    let on_lines = LINES.map(|line| (format!("A, lines of {line} Mpps"), Mode::A, VARIANTS[0].2, line));
    let unlimited = VARIANTS.map(|(name, mode, change)| (name.to_owned(), mode, change, f64::INFINITY));
    for (name, mode, change, line) in unlimited.into_iter().chain(on_lines) {
        for chains in 1..=6 {
            let mut cells = [Cell::default(); SETS.len()];
            for seed in 0..problems {
                let mut problem = generate(&Recipe { chains, nodes: 2, cores: 10, length: LENGTH, mode, seed })?;
                change(&mut problem);
                let (optimum, found) = scores(&problem, line)?;
                cells.iter_mut().zip(found).for_each(|(cell, score)| cell.count(score, optimum));
            }
            println!("{name:<54} {chains:>6} {}", cells.map(|cell| format!("{:>12}", cell.text(problems))).join(" "));
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Default)]
struct Cell {
    optimal: u64,
    gaps: f64,
}

impl Cell {
    fn count(&mut self, score: f64, optimum: f64) {
        if close(score, optimum) {
            self.optimal += 1;
        } else {
            self.gaps += (optimum - score) / optimum;
        }
    }

    fn text(self, problems: u64) -> String {
        let others = (problems - self.optimal).max(1) as f64;
        format!("{:.0} ({:.1} %)", 100.0 * self.optimal as f64 / problems as f64, 100.0 * self.gaps / others)
    }
}

/// The optimum, and the best of each of `SETS`, where a chain carries no more than its line.
fn scores(problem: &Problem, line: f64) -> Result<(f64, [f64; SETS.len()]), BadInput> {
    let instance = Instance::new(problem);
    let mut placement: Assignment = vec![Some(vec![0; LENGTH]); instance.chains.len()];
    let (mut optimum, mut found) = (f64::NEG_INFINITY, [f64::NEG_INFINITY; SETS.len()]);
    for remote in 0..1u32 << (LENGTH * instance.chains.len()) {
        let local = (LENGTH * instance.chains.len()) as u32 - remote.count_ones();
        if local > instance.free[0] || remote.count_ones() > instance.free[1] {
            continue;
        }
        let (mut prefix, mut not_local) = (true, 0);
        for (chain, pattern) in placement.iter_mut().flatten().enumerate() {
            let bits = (remote >> (LENGTH * chain)) & 0b111;
            prefix &= matches!(bits, 0b000 | 0b100 | 0b110 | 0b111); // the first NF is the lowest bit
            not_local += u32::from(bits != 0);
            for (position, node) in pattern.iter_mut().enumerate() {
                *node = (bits >> position & 1) as u16;
            }
        }
        let whole = not_local * LENGTH as u32 <= instance.free[1];
        let score = score(&instance, &placement, line);
        optimum = optimum.max(score);
        for (best, member) in found.iter_mut().zip([prefix, whole, prefix && whole]) {
            *best = if member { best.max(score) } else { *best };
        }
    }
    for (best, inclusive) in found[3..].iter_mut().zip([true, false]) {
        let params = Params::Subchains(subchains::Params { memo: true, inclusive });
        let solved = solve(problem, Algorithm::Octans, &Options { params, ..Options::default() }, None)?;
        *best = solved.chains.values().map(|chain| chain.mpps.min(line)).sum();
    }
    Ok((optimum, found))
}

fn score(instance: &Instance, placement: &Assignment, line: f64) -> f64 {
    let weights = Weights::of(instance, placement);
    let chains = instance.chains.iter().zip(placement.iter().flatten());
    let capacities = chains.map(|(chain, pattern)| {
        let mut capacity = f64::INFINITY;
        walk(chain, pattern, &weights, |_, side, llc, mem| capacity = capacity.min(side.mpps(llc, mem)));
        capacity.min(line)
    });
    capacities.sum()
}
