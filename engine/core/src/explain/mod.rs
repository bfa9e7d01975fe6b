//! Who hurts whom: every NF's drop as a sum of parts, each with its cause (Octans, Eq. 7-11 read term by term).
//!
//! The model is linear in the weights of the competitors, so the split is exact: the parts of an NF sum to its drop.

mod parts;

use serde::Serialize;

use crate::error::BadInput;
use crate::instance::{Instance, assignment_of};
use crate::laws::octans::solve::chain_results;
use crate::model::{self, ChainFigures};
use crate::problem::{Placement, Problem};
use parts::{Seat, harm, other_causes, seats};

/// Most placed NFs: the answer has a part for every pair of them.
pub const MOST_NFS: usize = 512;

/// An explanation of one placement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// Placed NFs in the order of chains and positions.
    pub nfs: Vec<NfExplanation>,
    /// Accepted chains in the problem's order.
    pub chains: Vec<ChainExplanation>,
    /// `mpps[victim][aggressor]`: what one NF costs another, by indices of `nfs`.
    pub mpps: Vec<Vec<f64>>,
}

/// One placed NF.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NfExplanation {
    /// Id of its chain.
    pub chain: String,
    /// Its position in the chain.
    pub position: usize,
    /// Its type.
    pub nf: String,
    /// Where it stands.
    pub node: String,
    /// Throughput, clamped to [0, ideal].
    pub mpps: f64,
    /// Throughput without competitors on this kind of node, Mpps.
    pub ideal: f64,
    /// Share of the ideal throughput that is lost, unclamped; llc + mem + fixed.
    pub drop: f64,
    /// Lost to the last-level cache.
    pub llc: f64,
    /// Lost to memory or interconnect.
    pub mem: f64,
    /// Lost in any case.
    pub fixed: f64,
    /// What the drop consists of, the worst first.
    pub causes: Vec<Cause>,
}

/// One part of an NF's drop. In JSON the fields of `source` stand beside the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    /// Who or what.
    #[serde(flatten)]
    pub source: Source,
    /// Drop by the last-level cache.
    pub llc: f64,
    /// Drop by memory or interconnect.
    pub mem: f64,
    /// Drop in any case.
    pub fixed: f64,
    /// (llc + mem + fixed) / drop of the NF; 0 where the drop is 0.
    pub share: f64,
}

impl Cause {
    fn new(source: Source, llc: f64, mem: f64) -> Self {
        Self { source, llc, mem, fixed: 0.0, share: 0.0 }
    }

    fn points(&self) -> f64 {
        self.llc + self.mem + self.fixed
    }
}

/// Who or what costs throughput.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Source {
    /// Another NF, of the same chain or not.
    Neighbour {
        /// Id of its chain.
        chain: String,
        /// Its position.
        position: usize,
    },
    /// Foreign load on a node.
    Background {
        /// The node.
        node: String,
    },
    /// The NF is local and its upstream NF is not: its packets come without the cache (Eq. 10's constant 1).
    Chaining,
    /// The NF is the head of a remote run: its packets come over the interconnect (Eq. 9's constant 1).
    Remote,
    /// C of Eq. 8.
    Fixed,
}

/// One accepted chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChainExplanation {
    /// Its id.
    pub chain: String,
    /// What it delivers, as in a result.
    pub mpps: f64,
    /// Position of its slowest NF.
    pub bottleneck: usize,
    /// Ideal throughput of that NF, Mpps.
    pub ideal: f64,
    /// What each chain, its own included, costs that NF; the worst first.
    pub lost: Vec<Lost>,
    /// What all else costs it: background, chaining, remote access, C. ideal - lost - this = its unclamped throughput.
    pub lost_otherwise: f64,
}

/// What a chain costs the bottleneck of another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lost {
    /// The aggressor.
    pub chain: String,
    /// Throughput that it costs.
    pub mpps: f64,
}

/// Explain a placement of a checked problem; it need not be feasible.
pub fn explain(problem: &Problem, placement: &Placement) -> Result<Explanation, BadInput> {
    let instance = Instance::new(problem);
    let assignment = assignment_of(problem, placement, "assignment")?;
    let seats = seats(&instance, &assignment);
    if seats.len() > MOST_NFS {
        let message = format!("places {} NFs; at most {MOST_NFS} can be explained", seats.len());
        return Err(BadInput::new("assignment", message));
    }
    let figures = model::evaluate(&instance, &assignment);
    let results = chain_results(problem, &instance, &figures);
    let mut explanation = Explanation { nfs: Vec::new(), chains: Vec::new(), mpps: Vec::new() };
    for victim in &seats {
        let Some(found) = &figures[victim.chain] else { continue };
        let pairs: Vec<(f64, f64)> = seats.iter().map(|other| harm(&instance, victim, other)).collect();
        let costs: Vec<f64> = pairs.iter().map(|(llc, mem)| found.nfs[victim.position].ideal * (llc + mem)).collect();
        let mut causes = other_causes(&instance, victim, |node| problem.nodes[node].id.clone());
        causes.extend(seats.iter().zip(pairs).map(|(other, (llc, mem))| {
            let chain = problem.chains[other.chain].id.clone();
            Cause::new(Source::Neighbour { chain, position: other.position }, llc, mem)
        }));
        if victim.position == found.bottleneck {
            let mpps = results.get(&problem.chains[victim.chain].id).map_or(0.0, |result| result.mpps);
            explanation.chains.push(explain_chain(problem, &seats, victim.chain, found, mpps, &costs));
        }
        explanation.nfs.push(explain_nf(problem, victim, found, causes));
        explanation.mpps.push(costs);
    }
    Ok(explanation)
}

fn explain_nf(problem: &Problem, seat: &Seat, chain: &ChainFigures, mut causes: Vec<Cause>) -> NfExplanation {
    let named = &problem.chains[seat.chain];
    let nf = &chain.nfs[seat.position];
    let drop = nf.llc_drop + nf.mem_drop + nf.fixed_drop;
    causes.retain(|cause| cause.points() != 0.0);
    causes.sort_by(|a, b| b.points().total_cmp(&a.points()));
    for cause in &mut causes {
        cause.share = if drop == 0.0 { 0.0 } else { cause.points() / drop };
    }
    NfExplanation {
        chain: named.id.clone(),
        position: seat.position,
        nf: named.nfs[seat.position].clone(),
        node: problem.nodes[seat.node as usize].id.clone(),
        mpps: nf.mpps.min(nf.ideal).max(0.0),
        ideal: nf.ideal,
        drop,
        llc: nf.llc_drop,
        mem: nf.mem_drop,
        fixed: nf.fixed_drop,
        causes,
    }
}

/// `costs`: what each placed NF costs the chain's bottleneck, Mpps.
fn explain_chain(
    problem: &Problem,
    seats: &[Seat],
    index: usize,
    figures: &ChainFigures,
    mpps: f64,
    costs: &[f64],
) -> ChainExplanation {
    let mut lost: Vec<Lost> = Vec::new();
    let (mut last, mut lost_to_chains) = (usize::MAX, 0.0);
    for (seat, cost) in seats.iter().zip(costs) {
        if seat.chain != last {
            lost.push(Lost { chain: problem.chains[seat.chain].id.clone(), mpps: 0.0 });
            last = seat.chain;
        }
        if let Some(lost) = lost.last_mut() {
            lost.mpps += cost;
        }
        lost_to_chains += cost;
    }
    lost.retain(|lost| lost.mpps > 0.0);
    lost.sort_by(|a, b| b.mpps.total_cmp(&a.mpps));
    let nf = &figures.nfs[figures.bottleneck];
    ChainExplanation {
        chain: problem.chains[index].id.clone(),
        mpps,
        bottleneck: figures.bottleneck,
        ideal: nf.ideal,
        lost,
        lost_otherwise: nf.ideal - nf.mpps - lost_to_chains,
    }
}
