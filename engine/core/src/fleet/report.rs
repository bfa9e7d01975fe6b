//! What a fleet's solve gives back.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::fleet::attempt::{filled, standing};
use crate::fleet::plan::Plan;
use crate::result::{SolveResult, Status};

/// A host that got newcomers, or whose chains move.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostResult {
    /// Who found its nodes: an algorithm, or `insertion` where the search over the fleet found nothing better.
    pub algorithm: String,
    /// The result of its own placement problem; without figures where nothing is predicted.
    pub result: SolveResult,
    /// False where the model does not hold.
    pub trusted: bool,
}

/// A fleet's placement and what it is worth. Sums are over the hosts listed for which something is predicted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FleetResult {
    /// By id.
    pub hosts: BTreeMap<String, HostResult>,
    /// The host of each placed chain.
    pub placed: BTreeMap<String, String>,
    /// Waiting chains without a host, in the order of the request.
    pub rejected: Vec<String>,
    /// Optimal only where no chain waits and every host is solved to optimality within a free limit of moves.
    pub status: Status,
    /// Unclamped sum of the counted throughputs, Mpps.
    pub objective: f64,
    /// Sum of value x throughput - price x moves.
    pub score: f64,
    /// Sum of the hosts' bounds: no placement of the chosen chains on their hosts scores more, another choice of hosts
    /// may.
    pub bound: f64,
    /// Placements evaluated.
    pub evaluations: u64,
    /// Wall time.
    pub seconds: f64,
    /// CPU time of all threads.
    pub cpu_seconds: f64,
    /// Steps of exchange between hosts.
    pub exchanges: u64,
    /// Host problems solved, repetitions included.
    pub hosts_solved: u64,
    /// True if the watcher ended the solve: what was not placed by then is rejected.
    pub stopped: bool,
}

/// What was spent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// Placements evaluated.
    pub evaluations: u64,
    /// Wall time.
    pub seconds: f64,
    /// CPU time of all threads.
    pub cpu_seconds: f64,
    /// Steps of exchange.
    pub exchanges: u64,
    /// Host problems solved.
    pub hosts_solved: u64,
    /// Ended by the watcher.
    pub stopped: bool,
}

/// The result of a plan; `solved`: by host, where the algorithm's result is that of the content.
pub fn fleet_result(plan: &Plan, solved: Vec<Option<SolveResult>>, spent: Spent) -> FleetResult {
    let roster = plan.roster;
    let all_optimal = solved.iter().flatten().all(|result| result.status == Status::Optimal);
    let mut hosts = BTreeMap::new();
    let (mut objective, mut score, mut bound) = (0.0, 0.0, 0.0);
    for (host, solved) in solved.into_iter().enumerate() {
        let state = &plan.states[host];
        let moved = solved.as_ref().is_some_and(|result| result.moves > 0);
        if state.newcomers().next().is_none() && !moved {
            continue;
        }
        let result = solved.or_else(|| standing(roster, host, state)).unwrap_or_else(|| filled(roster, host, state));
        objective += result.objective;
        score += result.score;
        bound += result.bound.unwrap_or(0.0);
        let place = roster.hosts[host].asked;
        let (algorithm, trusted) = (result.algorithm.clone(), place.trusted);
        hosts.insert(place.id.clone(), HostResult { algorithm, result, trusted });
    }
    let placed =
        roster.waiting.iter().zip(&plan.host_of).filter_map(|(chain, host)| {
            Some((chain.asked.id.clone(), roster.hosts[(*host)? as usize].asked.id.clone()))
        });
    let placed: BTreeMap<String, String> = placed.collect();
    let rejected = roster.request.waiting.iter().filter(|chain| !placed.contains_key(&chain.id));
    let waited = !roster.waiting.is_empty();
    let status = match (waited, placed.is_empty()) {
        (true, true) => Status::Infeasible,
        (false, _) if all_optimal && !spent.stopped => Status::Optimal,
        _ => Status::Feasible,
    };
    FleetResult {
        rejected: rejected.map(|chain| chain.id.clone()).collect(),
        hosts,
        placed,
        status,
        objective,
        score,
        bound,
        evaluations: spent.evaluations,
        seconds: spent.seconds,
        cpu_seconds: spent.cpu_seconds,
        exchanges: spent.exchanges,
        hosts_solved: spent.hosts_solved,
        stopped: spent.stopped,
    }
}
