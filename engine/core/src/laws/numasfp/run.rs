//! Interval after interval: what an algorithm makes of given rates. An interval is one second long. In each, chains
//! carry what they are granted once the interval's moves are made; a chain that moves loses a share of it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::control::Control;
use crate::error::BadInput;
use crate::laws::numasfp::exact::{Asked, step};
use crate::laws::numasfp::granting::{adjust, carried};
use crate::laws::numasfp::literal::{self, Decided, Leaving, Memory};
use crate::laws::numasfp::problem::{Host, Placement};
use crate::laws::numasfp::registry::Algorithm;
use crate::laws::numasfp::table::Level;
use crate::laws::numasfp::{baselines, clairvoyant};

/// What an algorithm is told beside rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Which it is.
    pub algorithm: Algorithm,
    /// A chain moves after more violations than this (the paper: 3).
    pub max_limit: u32,
    /// Share that a chain loses in the interval in which it moves.
    pub loss: f64,
    /// Of `exact`: intervals over which that is spread.
    pub horizon: f64,
}

/// One interval, by chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interval {
    /// Nodes after the moves.
    pub placement: BTreeMap<String, String>,
    /// Grants after the moves.
    pub allocation: BTreeMap<String, Level>,
    /// Consecutive violations before a move sets them back.
    pub violations: BTreeMap<String, u32>,
    /// Chains that changed their node; None: none did.
    pub migrated: Option<Vec<String>>,
    /// After the moves, what they lose taken off.
    pub throughput_gbps: BTreeMap<String, f64>,
    /// Chains that were offered more than the table knows, and were judged by the most it knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clamped: Vec<String>,
}

/// All intervals, and what they come to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// One by one.
    pub intervals: Vec<Interval>,
    /// Mean over intervals of what is carried by what is offered; 1 where nothing is offered.
    pub anat: f64,
    /// Chains that changed their node, all intervals together.
    pub moves: usize,
}

/// Run an algorithm. `start`: where chains stand; None: the algorithm places them at the first rates.
pub fn run(
    host: &Host,
    rates: &[Vec<f64>],
    start: Option<Placement>,
    settings: Settings,
    control: &mut Control,
) -> Result<Run, BadInput> {
    let clamped: Vec<Vec<f64>> = rates.iter().map(|rates| host.clamp(rates)).collect();
    let foreseen = if settings.algorithm == Algorithm::Clairvoyant {
        clairvoyant::plan(host, &clamped, settings.loss, start.as_ref(), control)?
    } else {
        Vec::new()
    };
    let first = match (&start, foreseen.first()) {
        (Some(_), _) => start,
        (None, Some((placement, _))) => Some(placement.clone()),
        (None, None) => None,
    };
    let mut memory = begin(host, &clamped[0], first, settings, control)?;
    let mut intervals = Vec::with_capacity(rates.len());
    for (index, rates) in rates.iter().enumerate() {
        intervals.push(match foreseen.get(index) {
            Some(planned) => told(host, &mut memory, rates, settings, planned),
            None => interval(host, &mut memory, rates, settings, control)?,
        });
    }
    Ok(summed(intervals, rates))
}

/// What intervals come to.
pub fn summed(intervals: Vec<Interval>, rates: &[Vec<f64>]) -> Run {
    let share = |(interval, rates): (&Interval, &Vec<f64>)| {
        let offered: f64 = rates.iter().sum();
        if offered > 0.0 { interval.throughput_gbps.values().sum::<f64>() / offered } else { 1.0 }
    };
    let anat = intervals.iter().zip(rates).map(share).sum::<f64>() / intervals.len() as f64;
    let moves = intervals.iter().filter_map(|interval| interval.migrated.as_ref()).map(Vec::len).sum();
    Run { intervals, anat, moves }
}

/// Where an algorithm puts chains before the first interval, at its rates (clamped).
pub fn begin(
    host: &Host,
    rates: &[f64],
    start: Option<Placement>,
    settings: Settings,
    control: &mut Control,
) -> Result<Memory, BadInput> {
    let placement = match (start, settings.algorithm) {
        (Some(start), _) => start,
        (None, Algorithm::NodeFirst) => baselines::node_first(host, rates)?,
        (None, Algorithm::NodeBalance) => baselines::node_balance(host)?,
        (None, Algorithm::Exact | Algorithm::Law) => {
            step(
                host,
                rates,
                Asked { current: None, loss: 0.0, losses: None, horizon: 1.0, most_moves: None },
                control,
            )?
            .placement
        }
        (None, Algorithm::Octans) => {
            let message = "is what Octans' own equations choose, of which this law knows nothing";
            return Err(BadInput::new("start", format!("{message}; python -m sextant_engine numasfp run finds it")));
        }
        (None, _) => literal::start(host, rates)?,
    };
    Ok(Memory { violations: vec![0; placement.len()], placement, rates: None })
}

/// One interval of an algorithm that knows no future.
pub fn interval(
    host: &Host,
    memory: &mut Memory,
    rates: &[f64],
    settings: Settings,
    control: &mut Control,
) -> Result<Interval, BadInput> {
    let clamped = host.clamp(rates);
    let decided = match settings.algorithm {
        Algorithm::Literal => literal::interval(host, memory, &clamped, settings.max_limit, Leaving::Carrying),
        Algorithm::Extended => literal::interval(host, memory, &clamped, settings.max_limit, Leaving::Offered),
        Algorithm::Exact => {
            let current = memory.placement.clone();
            let asked = Asked {
                current: Some(&current),
                loss: settings.loss,
                losses: None,
                horizon: settings.horizon,
                most_moves: None,
            };
            let found = step(host, &clamped, asked, control)?;
            moved_to(memory, &clamped, found.placement, found.granted)
        }
        _ => {
            let (placement, granted) = (memory.placement.clone(), adjust(host, &memory.placement, &clamped));
            moved_to(memory, &clamped, placement, granted)
        }
    };
    Ok(shown(host, memory, rates, &clamped, settings.loss, &decided))
}

/// One interval whose placement and grants somebody else decided.
pub fn told(
    host: &Host,
    memory: &mut Memory,
    rates: &[f64],
    settings: Settings,
    planned: &(Placement, Vec<Level>),
) -> Interval {
    let clamped = host.clamp(rates);
    let decided = moved_to(memory, &clamped, planned.0.clone(), planned.1.clone());
    shown(host, memory, rates, &clamped, settings.loss, &decided)
}

fn moved_to(memory: &mut Memory, clamped: &[f64], placement: Placement, granted: Vec<Level>) -> Decided {
    let violations = literal::violations(&memory.violations, &granted, clamped);
    let moved: Vec<usize> = (0..placement.len()).filter(|&chain| placement[chain] != memory.placement[chain]).collect();
    memory.violations.clone_from(&violations);
    moved.iter().for_each(|&chain| memory.violations[chain] = 0);
    memory.placement = placement;
    memory.rates = Some(clamped.to_vec());
    Decided { granted, violations, moved }
}

fn shown(host: &Host, memory: &Memory, rates: &[f64], clamped: &[f64], loss: f64, decided: &Decided) -> Interval {
    let name = |chain: usize| host.chains[chain].name.clone();
    let all = 0..host.chains.len();
    let carries = |chain: usize| {
        let full = carried(&decided.granted[chain], clamped[chain]);
        if decided.moved.contains(&chain) { full * (1.0 - loss) } else { full }
    };
    Interval {
        placement: all.clone().map(|c| (name(c), host.nodes[memory.placement[c]].name.clone())).collect(),
        allocation: all.clone().map(|c| (name(c), decided.granted[c])).collect(),
        violations: all.clone().map(|c| (name(c), decided.violations[c])).collect(),
        migrated: (!decided.moved.is_empty()).then(|| decided.moved.iter().map(|&c| name(c)).collect()),
        throughput_gbps: all.map(|c| (name(c), carries(c))).collect(),
        clamped: host.clamped(rates),
    }
}
