//! What the model says of a host with fixed placements, as far as a newcomer can change it.
//!
//! Where the patterns stand, the throughput of an NF is linear in the weights that join: a local NF loses
//! ideal (alpha `dM_k` + beta dS), without its alpha part behind a cross-node hop; a remote one ideal (alpha `dR_k` +
//! beta `dM_k`), without its alpha part at the head of a run (Octans, Eq. 9-11). S is the sum of M over the server.

use crate::fleet::roster::Seated;
use crate::instance::Nf;
use crate::model::Weights;

/// Throughput of one NF, and what it loses per unit of weight that joins.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    node: u16,
    mpps: f64,
    per_all: f64,
    per_heads: f64,
    per_server: f64,
}

/// One chain that stands on the host.
#[derive(Debug, Clone)]
struct Standing {
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
    chains: Vec<Standing>,
    lines: Vec<Line>,
}

impl View {
    /// What the model says; `seated` beside the NFs of each.
    pub fn new(background: &[f64], seated: &[(&Seated, &[Nf])]) -> Self {
        let weights = weigh(background, seated);
        let mut view = Self { weights, score: 0.0, chains: Vec::with_capacity(seated.len()), lines: Vec::new() };
        for (chain, nfs) in seated {
            let first = view.lines.len();
            view.lines.extend(lines(chain, nfs, &view.weights));
            let lines = &view.lines[first..];
            let bottleneck = lines.iter().min_by(|a, b| a.mpps.total_cmp(&b.mpps));
            let (mpps, slope) = bottleneck.map_or((f64::INFINITY, 0.0), |line| (line.mpps, line.per_server));
            let counted = mpps.min(chain.demand.rate);
            view.score += chain.demand.value * counted;
            let last = view.lines.len();
            let value = chain.demand.value;
            view.chains.push(Standing { value, counted, slack: mpps - counted, slope, first, last });
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
            for line in &self.lines[chain.first..chain.last] {
                let mpps = line.mpps - line.per_server * weight;
                if mpps - (line.per_all + line.per_heads) * weight < chain.counted {
                    threats.lines.push(Line { mpps, ..*line });
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
    lines: Vec<Line>,                      // with the server's share of the loss taken off
}

impl Threats {
    /// Score lost when these weights join M and R of each node; never falls as they grow.
    pub fn loss(&self, all: &[f64], heads: &[f64]) -> f64 {
        let lost = |&(value, counted, first, last): &(f64, f64, usize, usize)| {
            let after = self.lines[first..last].iter().fold(counted, |least, line| {
                let k = line.node as usize;
                least.min(line.mpps - line.per_all * all[k] - line.per_heads * heads[k])
            });
            value * (counted - after)
        };
        self.chains.iter().map(lost).sum()
    }

    /// True if an NF on this node can lose.
    pub fn on(&self, node: u16) -> bool {
        self.lines.iter().any(|line| line.node == node)
    }
}

fn weigh(background: &[f64], seated: &[(&Seated, &[Nf])]) -> Weights {
    let (mut all, mut heads) = (background.to_vec(), background.to_vec());
    for (chain, nfs) in seated {
        let mut before = u16::MAX;
        for (nf, &node) in nfs.iter().zip(&chain.pattern) {
            all[node as usize] += nf.weight;
            if node == chain.ingress || node != before {
                heads[node as usize] += nf.weight;
            }
            before = node;
        }
    }
    let server = all.iter().sum();
    Weights { all, heads, server }
}

fn lines<'a>(chain: &'a Seated, nfs: &'a [Nf], weights: &'a Weights) -> impl Iterator<Item = Line> + 'a {
    let (mut before, mut head) = (u16::MAX, 0.0);
    nfs.iter().zip(&chain.pattern).enumerate().map(move |(position, (nf, &node))| {
        let k = node as usize;
        let starts_run = node != before;
        if starts_run {
            head = nf.weight;
        }
        before = node;
        if node == chain.ingress {
            let crosses = position > 0 && starts_run;
            let (ideal, alpha, beta) = (nf.local.ideal, nf.local.alpha, nf.local.beta);
            let llc = if crosses { 1.0 } else { weights.all[k] - nf.weight };
            let mpps = nf.local.mpps(llc, weights.server - nf.weight);
            let per_all = if crosses { 0.0 } else { ideal * alpha };
            Line { node, mpps, per_all, per_heads: 0.0, per_server: ideal * beta }
        } else {
            let (ideal, alpha, beta) = (nf.remote.ideal, nf.remote.alpha, nf.remote.beta);
            let llc = if starts_run { 1.0 } else { weights.heads[k] - head };
            let mpps = nf.remote.mpps(llc, weights.all[k] - nf.weight);
            let per_heads = if starts_run { 0.0 } else { ideal * alpha };
            Line { node, mpps, per_all: ideal * beta, per_heads, per_server: 0.0 }
        }
    })
}
