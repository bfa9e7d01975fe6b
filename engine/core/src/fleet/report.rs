//! What a fleet's solve gives back.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::fleet::attempt::{filled, standing};
use crate::fleet::insert::MOST_PATTERNS;
use crate::fleet::plan::Plan;
use crate::fleet::roster::Roster;
use crate::result::{SolveResult, Status};

/// A host that got newcomers, or whose chains might have moved.
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
    /// Optimal where every host is solved to optimality and no other choice of hosts can be better: no chain waits, each
    /// has one host to go to, or a single one has been judged on all of them while all else stays.
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
    /// True if the time or the evaluations ran out before every chain had chosen its host.
    pub hurried: bool,
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
    /// Some chain was seated without evaluation, because a limit was reached.
    pub hurried: bool,
}

/// True where the choice of hosts is forced, or was exhaustive.
fn no_other_choice(roster: &Roster, spent: Spent) -> bool {
    let forced = (0..roster.waiting.len()).all(|rank| roster.doors(rank).len() == 1);
    let most_patterns = |rank: usize| {
        let length = roster.waiting[rank].demand.length as i32;
        let nodes = |&(host, _): &(u32, u16)| roster.hosts[host as usize].seats.len() as f64;
        roster.doors(rank).iter().map(nodes).fold(0.0, f64::max).powi(length)
    };
    let judged = || {
        let stays = roster.hosts.iter().all(|host| !host.may_move());
        roster.waiting.len() == 1 && stays && most_patterns(0) <= MOST_PATTERNS
    };
    !spent.stopped && !spent.hurried && (forced || judged())
}

/// The result of a plan; `solved`: by host, where the algorithm's result is that of the content.
pub fn fleet_result(plan: &Plan, solved: Vec<Option<SolveResult>>, spent: Spent) -> FleetResult {
    let roster = plan.roster;
    let all_optimal = solved.iter().flatten().all(|result| result.status == Status::Optimal);
    let mut hosts = BTreeMap::new();
    let (mut objective, mut score, mut bound) = (0.0, 0.0, 0.0);
    for (host, solved) in solved.into_iter().enumerate() {
        let state = &plan.states[host];
        if state.newcomers().next().is_none() && solved.is_none() {
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
    let status = if !roster.waiting.is_empty() && placed.is_empty() {
        Status::Infeasible
    } else if all_optimal && rejected.clone().next().is_none() && no_other_choice(roster, spent) {
        Status::Optimal
    } else {
        Status::Feasible
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
        hurried: spent.hurried,
    }
}
