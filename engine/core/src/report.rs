//! What a plan reports of a host: every chain's and NF's throughput and what it loses to whom, what other nodes would
//! be worth, what each move gains, and what a number of moves buys.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::alternatives::{Alternative, alternatives};
use crate::control::Limits;
use crate::error::BadInput;
use crate::explain::{Cause, NfExplanation, Source, explain};
use crate::frontier::{Point, frontier};
use crate::gains::gains;
use crate::instance::{Instance, assignment_of};
use crate::laws::octans::Algorithm;
use crate::laws::octans::solve::{Options, delivered};
use crate::model;
use crate::problem::{Placement, Problem};
use crate::result::Status;

/// A report on one placement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Accepted chains by id.
    pub chains: BTreeMap<String, ChainReport>,
    /// Moves from the running placement, in the order of chains and positions.
    pub gains: Vec<MoveReport>,
    /// What moves buy, from 0 moves on; empty where none were asked for.
    pub frontier: Vec<PointReport>,
}

/// One chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChainReport {
    /// What it delivers, clamped to [0, ideal throughput of its bottleneck].
    pub mpps: f64,
    /// What it would deliver if nothing moved: with all that is new in place. None where it is new itself.
    pub before_mpps: Option<f64>,
    /// Throughput of its bottleneck, unclamped.
    pub capacity_mpps: f64,
    /// Position of its slowest NF.
    pub bottleneck: usize,
    /// In the order of the chain.
    pub nfs: Vec<NfReport>,
}

/// One NF.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NfReport {
    /// Where it stands.
    pub node: String,
    /// Clamped to [0, ideal].
    pub mpps: f64,
    /// Throughput without competitors on this kind of node.
    pub ideal_mpps: f64,
    /// Share of the ideal throughput lost to the last-level cache.
    pub llc_drop: f64,
    /// Lost to memory or interconnect.
    pub mem_drop: f64,
    /// Lost in any case.
    pub fixed_drop: f64,
    /// What the drop consists of, the worst first; as many as were asked for.
    pub causes: Vec<CauseReport>,
    /// Other nodes with room.
    pub alternatives: Vec<AlternativeReport>,
}

/// A part of what an NF loses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CauseReport {
    /// neighbour, background, chaining, remote or fixed.
    pub kind: &'static str,
    /// The neighbour's chain.
    pub chain: Option<String>,
    /// The neighbour's position.
    pub position: Option<usize>,
    /// Share of the ideal throughput lost to the last-level cache.
    pub llc_drop: f64,
    /// Lost to memory or interconnect.
    pub mem_drop: f64,
    /// Mpps lost.
    pub lost_mpps: f64,
    /// Of the NF's whole drop.
    pub share: f64,
}

/// Another node for an NF.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlternativeReport {
    /// Its id.
    pub node: String,
    /// Score with the NF there, all else as it is, less the score as it is.
    pub score_delta: f64,
}

/// A moved NF.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MoveReport {
    /// Its chain.
    pub chain: String,
    /// Its position.
    pub position: usize,
    /// Added to the score before the price of moves, value x Mpps.
    pub gain_mpps: f64,
    /// Added to what all chains deliver together, Mpps.
    pub mpps: f64,
}

/// The best placement with at most so many moves, against the best with none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PointReport {
    /// Moves allowed.
    pub moves: u32,
    /// Gain in score before the price of moves.
    pub gain_mpps: f64,
    /// The same after it.
    pub net_mpps: f64,
    /// True if no placement within these moves ranks higher.
    pub proven: bool,
}

/// How much of it is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Detail {
    /// Points of the frontier after the first; 0: no frontier.
    pub most_moves: u32,
    /// The worst so many causes of each NF; None: all of them, one for every neighbour.
    pub most_causes: Option<usize>,
}

/// The report on `placement`; `limits` are those of the frontier.
pub fn report(problem: &Problem, placement: &Placement, detail: Detail, limits: Limits) -> Result<Report, BadInput> {
    let most_causes = detail.most_causes.unwrap_or(usize::MAX);
    let instance = Instance::new(problem);
    let assignment = assignment_of(problem, placement, "assignment")?;
    let figures = model::evaluate(&instance, &assignment);
    let others = alternatives(&instance, &assignment);
    let explained = explain(problem, placement)?;
    let mut nfs = explained.nfs.into_iter();
    let before = unmoved(problem, placement);
    let stayed = delivered_before(problem, &instance, before.as_ref())?;
    let mut chains = BTreeMap::new();
    let mut delivered = explained.chains.into_iter();
    for (index, found) in figures.iter().enumerate() {
        let (Some(found), Some(delivery)) = (found, found.as_ref().and_then(|_| delivered.next())) else { continue };
        let of_chain = nfs.by_ref().take(found.nfs.len()).zip(&others[index]);
        let report = ChainReport {
            mpps: delivery.mpps,
            before_mpps: stayed.get(&delivery.chain).copied(),
            capacity_mpps: found.capacity,
            bottleneck: found.bottleneck,
            nfs: of_chain.map(|(nf, others)| nf_report(problem, nf, most_causes, others)).collect(),
        };
        chains.insert(delivery.chain, report);
    }
    Ok(Report {
        chains,
        gains: moves(problem, before.as_ref(), placement)?,
        frontier: match detail.most_moves {
            0 => Vec::new(),
            most => points(problem, &instance, most, limits)?,
        },
    })
}

fn nf_report(problem: &Problem, nf: NfExplanation, most_causes: usize, others: &[Alternative]) -> NfReport {
    let ideal = nf.ideal;
    let other = |other: &Alternative| AlternativeReport {
        node: problem.nodes[other.node as usize].id.clone(),
        score_delta: other.score_delta,
    };
    NfReport {
        node: nf.node,
        mpps: nf.mpps,
        ideal_mpps: ideal,
        llc_drop: nf.llc,
        mem_drop: nf.mem,
        fixed_drop: nf.fixed,
        causes: nf.causes.into_iter().take(most_causes).map(|cause| cause_report(cause, ideal)).collect(),
        alternatives: others.iter().map(other).collect(),
    }
}

fn cause_report(cause: Cause, ideal: f64) -> CauseReport {
    let lost_mpps = ideal * (cause.llc + cause.mem + cause.fixed);
    let (kind, chain, position) = match cause.source {
        Source::Neighbour { chain, position } => ("neighbour", Some(chain), Some(position)),
        Source::Background { .. } => ("background", None, None),
        Source::Chaining => ("chaining", None, None),
        Source::Remote => ("remote", None, None),
        Source::Fixed => ("fixed", None, None),
    };
    CauseReport { kind, chain, position, llc_drop: cause.llc, mem_drop: cause.mem, lost_mpps, share: cause.share }
}

/// The placement without its moves: what runs where it runs, newcomers in place. None where nothing runs.
fn unmoved(problem: &Problem, placement: &Placement) -> Option<Placement> {
    let initial = problem.initial.as_ref()?;
    let stays = |(chain, nodes): (&String, &Vec<String>)| {
        let before = initial.get(chain).unwrap_or(nodes);
        (chain.clone(), before.clone())
    };
    Some(placement.iter().map(stays).collect())
}

/// By chain that runs.
fn delivered_before(
    problem: &Problem,
    instance: &Instance,
    before: Option<&Placement>,
) -> Result<BTreeMap<String, f64>, BadInput> {
    let (Some(before), Some(initial)) = (before, &problem.initial) else { return Ok(BTreeMap::new()) };
    let figures = model::evaluate(instance, &assignment_of(problem, before, "initial")?);
    let found = problem.chains.iter().zip(&instance.chains).zip(&figures);
    let running = found.filter(|((named, _), _)| initial.contains_key(&named.id));
    Ok(running
        .filter_map(|((named, chain), found)| Some((named.id.clone(), delivered(chain.rate, found.as_ref()?))))
        .collect())
}

/// Moves are judged with the newcomers already in place.
fn moves(problem: &Problem, before: Option<&Placement>, placement: &Placement) -> Result<Vec<MoveReport>, BadInput> {
    let Some(before) = before else { return Ok(Vec::new()) };
    let found = gains(problem, before, placement, None)?.into_iter();
    let reports = found.filter_map(|gain| {
        let (chain, position) = (gain.step.chain, gain.step.position?);
        Some(MoveReport { chain, position, gain_mpps: gain.gain_mpps, mpps: gain.mpps })
    });
    Ok(reports.collect())
}

fn points(problem: &Problem, instance: &Instance, most: u32, limits: Limits) -> Result<Vec<PointReport>, BadInput> {
    let options = Options { limits, ..Options::default() };
    let found = frontier(problem, most, Algorithm::automatic(instance), &options)?;
    let first = found.first().map_or((0.0, 0.0), |point| (point.gain_mpps, point.net_gain_mpps));
    let report_of = |point: &Point| PointReport {
        moves: point.most_moves,
        gain_mpps: point.gain_mpps - first.0,
        net_mpps: point.net_gain_mpps - first.1,
        proven: point.status == Status::Optimal,
    };
    Ok(found.iter().map(report_of).collect())
}
