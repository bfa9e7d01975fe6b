//! What the model says of a host with fixed placements, as far as a newcomer can change it.
//!
//! Where the patterns stand, the throughput of an NF is linear in the weights that join (see `linear`).

use crate::fleet::demand::Seated;
use crate::instance::Nf;
use crate::linear::Line;
use crate::model::Weights;
use crate::roles::roles;

/// One chain that stands on the host.
#[derive(Debug, Clone)]
struct Chain {
    value: f64,
    counted: f64, // min(rate, capacity), Mpps
    slack: f64,   // what the bottleneck may lose before less counts, Mpps
    slope: f64,   // what the bottleneck loses wherever weight joins, Mpps per unit
    first: usize, // its lines: from here ...
    last: usize,  // ... to before here
}

/// A host by the model.
#[derive(Debug, Clone)]
pub struct View {
    /// Sums of weights on each node.
    pub weights: Weights,
    /// Sum of value x counted throughput; prices are not in it.
    pub score: f64,
    chains: Vec<Chain>,
    lines: Vec<(u16, Line)>, // by node; of what joins: `fixed` is the throughput as it is
}

impl View {
    /// What the model says; `seated` beside the NFs of each.
    pub fn new(background: &[f64], seated: &[(&Seated, &[Nf])]) -> Self {
        let placed = seated.iter().map(|(chain, nfs)| (*nfs, chain.ingress, &*chain.pattern));
        let weights = Weights::sum(background, placed);
        let mut view = Self { weights, score: 0.0, chains: Vec::with_capacity(seated.len()), lines: Vec::new() };
        for (chain, nfs) in seated {
            let first = view.lines.len();
            view.lines.extend(lines(chain, nfs, &view.weights));
            let lines = &view.lines[first..];
            let bottleneck = lines.iter().map(|(_, line)| line).min_by(|a, b| a.fixed.total_cmp(&b.fixed));
            let (mpps, slope) = bottleneck.map_or((f64::INFINITY, 0.0), |line| (line.fixed, line.server));
            let counted = mpps.min(chain.demand.rate);
            view.score += chain.demand.value * counted;
            let last = view.lines.len();
            let value = chain.demand.value;
            view.chains.push(Chain { value, counted, slack: mpps - counted, slope, first, last });
        }
        view
    }

    /// The loss of what stands here cannot be less when this weight joins, on whatever nodes.
    pub fn least_loss(&self, weight: f64) -> f64 {
        self.chains.iter().map(|chain| chain.value * (chain.slope * weight - chain.slack).max(0.0)).sum()
    }

    /// Who can lose when this weight joins.
    pub fn threats(&self, weight: f64) -> Threats {
        let mut threats = Threats { chains: Vec::new(), lines: Vec::new() };
        for chain in &self.chains {
            let first = threats.lines.len();
            for &(node, line) in &self.lines[chain.first..chain.last] {
                if line.at(weight, weight, weight) < chain.counted {
                    threats.lines.push((node, Line { fixed: line.at(0.0, 0.0, weight), server: 0.0, ..line }));
                }
            }
            if first < threats.lines.len() {
                threats.chains.push((chain.value, chain.counted, first, threats.lines.len()));
            }
        }
        threats
    }
}

/// The chains that a newcomer of a given weight can slow down.
#[derive(Debug)]
pub struct Threats {
    chains: Vec<(f64, f64, usize, usize)>, // value, counted, lines from and to
    lines: Vec<(u16, Line)>,               // with the server's share of the loss taken off
}

impl Threats {
    /// Score lost when these weights join M and R of each node; never falls as they grow.
    pub fn loss(&self, all: &[f64], heads: &[f64]) -> f64 {
        let lost = |&(value, counted, first, last): &(f64, f64, usize, usize)| {
            let after = self.lines[first..last].iter().fold(counted, |least, (node, line)| {
                let k = *node as usize;
                least.min(line.at(all[k], heads[k], 0.0))
            });
            value * (counted - after)
        };
        self.chains.iter().map(lost).sum()
    }

    /// True if an NF on this node can lose.
    pub fn on(&self, node: u16) -> bool {
        self.lines.iter().any(|(on, _)| *on == node)
    }
}

fn lines<'a>(chain: &'a Seated, nfs: &'a [Nf], weights: &'a Weights) -> impl Iterator<Item = (u16, Line)> + 'a {
    roles(nfs, chain.ingress, &chain.pattern).map(|(node, nf, role)| {
        let k = node as usize;
        let mpps = role.mpps(nf, weights.all[k], weights.heads[k], weights.server);
        (node, Line { fixed: mpps, ..Line::of(nf, role) })
    })
}
