//! An assignment by any assigner, and what is known about it.

use crate::control::Control;
use crate::laws::sfc2cpu::heuristics::{
    first_fit_decreasing, generator, least_loaded_first, longest_first, round_robin,
};
use crate::laws::sfc2cpu::ideal::literal;
use crate::laws::sfc2cpu::inflation::Model;
use crate::laws::sfc2cpu::network::Network;
use crate::laws::sfc2cpu::problem::{Assignment, Problem, Traffic};
use crate::laws::sfc2cpu::rebalance::rebalance;
use crate::laws::sfc2cpu::registry::Assigner;
use crate::laws::sfc2cpu::worth::Worth;
use crate::laws::sfc2cpu::{calibrated, game, min_max, throughput};

/// By whom.
#[derive(Debug, Clone, PartialEq)]
pub enum By {
    /// By loads alone.
    Loads(Assigner),
    /// The most packets that the ideal model serves.
    Throughput,
    /// The same by predicted loads.
    Calibrated(Box<Model>),
    /// The highest payoff that a network expects, VNF after VNF.
    Network(Box<Network>),
}

/// What no assignment passes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// None has a lower greatest load.
    MaxLoad(f64),
    /// None serves more packets a second.
    Served(f64),
}

/// An assignment.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The core of each VNF.
    pub assignment: Assignment,
    /// Of what the assigner aims at.
    pub bound: Bound,
    /// As a fitted model predicts it; None: there is none.
    pub predicted: Option<Worth>,
}

/// By an assigner. `traffic`: the problem's.
pub fn assign(problem: &Problem, by: &By, seed: u64, control: &mut Control) -> Found {
    match (by, &problem.traffic) {
        (By::Throughput, Some(traffic)) => {
            let found = throughput::assign(problem, traffic, control);
            Found { assignment: found.assignment, bound: Bound::Served(found.bound), predicted: None }
        }
        (By::Calibrated(model), Some(traffic)) => {
            let found = calibrated::assign(problem, traffic, model, seed, control);
            Found { assignment: found.assignment, bound: Bound::Served(found.bound), predicted: Some(found.worth) }
        }
        (By::Network(network), Some(traffic)) => {
            let bound = Bound::MaxLoad(min_max::lower_bound(problem, problem.max_moves));
            Found { assignment: game::play(problem, traffic, network), bound, predicted: None }
        }
        (By::Loads(Assigner::MinMax) | By::Throughput | By::Calibrated(_) | By::Network(_), _) => {
            let found = min_max::assign(problem, control);
            Found { assignment: found.assignment, bound: Bound::MaxLoad(found.bound), predicted: None }
        }
        (By::Loads(rule), _) => {
            let bound = Bound::MaxLoad(min_max::lower_bound(problem, problem.max_moves));
            Found { assignment: by_rule(problem, *rule, seed), bound, predicted: None }
        }
    }
}

/// By the ideal model, on loads as they are given.
pub fn ideal_worth(problem: &Problem, traffic: &Traffic, assignment: &[usize]) -> Worth {
    Worth::of(problem, assignment, &literal(problem.demand(), traffic, assignment))
}

fn by_rule(problem: &Problem, rule: Assigner, seed: u64) -> Assignment {
    let mut assignment = match rule {
        Assigner::RoundRobin => round_robin(problem),
        Assigner::LeastLoadedFirst => least_loaded_first(problem),
        Assigner::FirstFitDecreasing => first_fit_decreasing(problem),
        Assigner::Generator => generator(problem, seed),
        _ => longest_first(problem),
    };
    rebalance(problem, &mut assignment);
    assignment
}
