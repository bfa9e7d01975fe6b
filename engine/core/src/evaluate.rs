//! What a given placement is worth, NF by NF, and what it breaks.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Serialize;

use crate::error::BadInput;
use crate::instance::{Assignment, Instance, assignment_of, placement_of};
use crate::laws::octans::solve::{chain_results, objective, status};
use crate::model::{self, ChainFigures};
use crate::problem::{Placement, Problem};
use crate::rank::{Rank, Violation, moves, solo_bound, violations};
use crate::rejections::rejections_of;
use crate::result::{SolveResult, Status};

/// One NF, as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NfResult {
    /// Where it stands.
    pub node: String,
    /// Clamped to [0, ideal].
    pub mpps: f64,
    /// Competing level on the last-level cache.
    pub llc: f64,
    /// Competing level on memory (local) or interconnect (remote).
    pub mem: f64,
    /// Share of the ideal throughput lost to the cache.
    pub llc_drop: f64,
    /// Share of the ideal throughput lost to memory or interconnect.
    pub mem_drop: f64,
}

/// A given placement, NF by NF.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluated {
    /// Chains the placement leaves out count as rejected; `infeasible` where it breaks a rule, and then without a bound.
    #[serde(flatten)]
    pub result: SolveResult,
    /// NFs of the accepted chains, in the order of the packets.
    pub nfs: BTreeMap<String, Vec<NfResult>>,
    /// Capacity, pins and moves that the placement breaks.
    pub violations: Vec<String>,
}

/// Judge a placement of a checked problem. Errors name fields below `assignment`.
pub fn evaluate(problem: &Problem, placement: &Placement) -> Result<Evaluated, BadInput> {
    let began = Instant::now();
    let assignment = assignment_of(problem, placement, "assignment")?;
    let instance = Instance::new(problem);
    let figures = model::evaluate(&instance, &assignment);
    let broken = violations(&instance, &assignment);
    let result = SolveResult {
        algorithm: "evaluate".to_owned(),
        status: if broken.is_empty() { status(&assignment, false) } else { Status::Infeasible },
        objective: objective(&instance, &figures),
        score: Rank::of(&instance, &assignment).score,
        bound: broken.is_empty().then(|| solo_bound(&instance, &assignment)),
        unproven: None,
        assignment: placement_of(problem, &assignment),
        rejected: rejections_of(problem, &instance, &assignment),
        moves: moves(&instance, &assignment),
        chains: chain_results(problem, &instance, &figures),
        evaluations: 1,
        seconds: began.elapsed().as_secs_f64(),
    };
    let violations = broken.iter().map(|violation| words(problem, &instance, *violation)).collect();
    Ok(Evaluated { result, nfs: nf_results(problem, &assignment, &figures), violations })
}

fn nf_results(
    problem: &Problem,
    assignment: &Assignment,
    figures: &[Option<ChainFigures>],
) -> BTreeMap<String, Vec<NfResult>> {
    let results = problem.chains.iter().zip(assignment).zip(figures).filter_map(|((chain, pattern), found)| {
        let nfs = pattern.as_ref()?.iter().zip(&found.as_ref()?.nfs).map(|(&node, nf)| NfResult {
            node: problem.nodes[node as usize].id.clone(),
            mpps: nf.mpps.clamp(0.0, nf.ideal),
            llc: nf.llc,
            mem: nf.mem,
            llc_drop: nf.llc_drop,
            mem_drop: nf.mem_drop,
        });
        Some((chain.id.clone(), nfs.collect()))
    });
    results.collect()
}

/// A broken rule by the names of the problem.
fn words(problem: &Problem, instance: &Instance, violation: Violation) -> String {
    match violation {
        Violation::Pin { chain, position, node } => {
            let (chain, node) = (&problem.chains[chain].id, &problem.nodes[node as usize].id);
            format!("chain '{chain}', NF {position}: pinned, but placed on '{node}'")
        }
        Violation::Capacity { node, need } => {
            format!("node '{}': {need} NFs for {} free cores", problem.nodes[node].id, instance.free[node])
        }
        Violation::Moves(moved) => format!("{moved} moves, {} allowed", instance.max_moves),
    }
}
