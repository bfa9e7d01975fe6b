//! The optimum of one interval: where chains stand and what they are granted, so that the sum of what they carry is
//! greatest, a chain that changes its node counting (1 - loss / horizon) of it; fewest moves among equals.
//!
//! What moved chains carry is rounded to 10^-9 Gbps, each by up to half of it, so that sums which are equal can differ by
//! as many of them as there are chains. A move counts as much less: then rounding never pays for one.
//!
//! Depth first over the assignments of chains to nodes. Each node's knapsack table is made along the way, one chain at a
//! time, so a complete assignment costs no more than its last step. A branch is left where it cannot beat the best:
//! by what each remaining chain carries at most alone, and by the same with ways and bandwidth at a price (Lagrange).
//! A search that turns out long begins again with a stronger bound, which takes longer to make (`relaxing`).
//! Remote nodes that are alike, and on which nothing stands, are tried in one order only.

use crate::control::Control;
use crate::error::BadInput;
use crate::laws::numasfp::granting::rooms;
use crate::laws::numasfp::knapsack::{Choice, Grid, PER_GBPS, unit};
use crate::laws::numasfp::problem::{Host, Placement};
use crate::laws::numasfp::relaxing::Relaxed;
use crate::laws::numasfp::table::Level;

/// Most assignments that are searched without a limit of time or evaluations, as log2: 32 chains on 2 nodes.
pub const MOST_UNLIMITED_LOG2: f64 = 32.0;
/// A search that is ended goes on for so many nodes until it has a placement at all.
const MOST_FOR_FIRST: u64 = 1_000_000;
/// A search of more nodes is long, with at least so many chains: the search of fewer is over before a stronger bound has
/// paid what it takes to make.
const SHORT: u64 = 128;
const LEAST_LONG: usize = 10;

/// What an interval's optimum depends on beside the rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked<'a> {
    /// Where chains stand; None: nowhere yet, so nothing is a move.
    pub current: Option<&'a [usize]>,
    /// Share of what it carries that a chain loses in the interval in which it moves.
    pub loss: f64,
    /// The same of each chain, where chains differ: in place of `loss`.
    pub losses: Option<&'a [f64]>,
    /// Intervals over which that loss is spread; at least 1.
    pub horizon: f64,
    /// Most chains that may move.
    pub most_moves: Option<u32>,
}

/// An optimum, or the best that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The node of each chain.
    pub placement: Placement,
    /// What each is granted.
    pub granted: Vec<Level>,
    /// The objective, in 10^-9 Gbps.
    pub value: i64,
    /// Chains that change their node.
    pub moves: u32,
    /// False where the search was ended.
    pub proven: bool,
}

impl Found {
    /// The objective.
    pub fn gbps(&self) -> f64 {
        self.value as f64 / PER_GBPS
    }
}

/// The optimum at these rates, which are clamped.
pub fn step(host: &Host, rates: &[f64], asked: Asked, control: &mut Control) -> Result<Found, BadInput> {
    let size = host.chains.len() as f64 * (host.nodes.len() as f64).log2();
    if size > MOST_UNLIMITED_LOG2 && !control.limited() {
        let message =
            format!("{} on {} nodes is too much to search without a limit", host.chains.len(), host.nodes.len());
        return Err(BadInput::new("chains", format!("{message}; name --seconds or --evaluations")));
    }
    let unit = unit(host);
    let grids = (0..host.nodes.len()).map(|node| Grid::new(host, node, unit)).collect::<Result<Vec<_>, _>>()?;
    let mut search = Search::new(host, rates, asked, grids, control);
    search.go(0);
    if search.long {
        search.relax();
        search.go(0);
    }
    let ended = search.ended;
    let Some(best) = search.best else {
        return Err(match asked.most_moves {
            _ if ended => BadInput::new("seconds", "the search ended before it found a placement; give it longer"),
            Some(most) => BadInput::new("most_moves", format!("no placement within {most} moves is within the cores")),
            None => BadInput::new("chains", "no placement keeps every chain whole within the cores of the nodes"),
        });
    };
    let granted = granted(host, rates, asked, &search.grids, &best.placement);
    Ok(Found { placement: best.placement, granted, value: best.value, moves: best.moves, proven: !ended })
}

/// What a chain's carried traffic counts on a node.
fn weight(asked: Asked, chain: usize, node: usize) -> f64 {
    let moves = asked.current.is_some_and(|current| current[chain] != node);
    let loss = asked.losses.map_or(asked.loss, |losses| losses[chain]);
    if moves { 1.0 - loss / asked.horizon } else { 1.0 }
}

/// The best grants under a placement. A chain for which nothing counts is granted its least level where it fits.
pub fn granted(host: &Host, rates: &[f64], asked: Asked, grids: &[Grid], placement: &[usize]) -> Vec<Level> {
    let mut granted = vec![Level::default(); host.chains.len()];
    let mut rooms = rooms(host);
    for (node, grid) in grids.iter().enumerate() {
        let here: Vec<usize> = (0..host.chains.len()).filter(|&chain| placement[chain] == node).collect();
        let choose = |&chain: &usize| grid.choices(host.levels(chain, node), rates[chain], weight(asked, chain, node));
        let choices: Vec<Vec<Choice>> = here.iter().map(choose).collect();
        let best = grid.best(&choices.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for (&chain, choice) in here.iter().zip(best) {
            if let Some(choice) = choice {
                granted[chain] = choice.level;
                rooms[node].take(&choice.level);
            }
        }
        for chain in here {
            let least = host.levels(chain, node).first().filter(|level| rooms[node].fits(level));
            if let (0.0, Some(level)) = (granted[chain].gbps, least) {
                rooms[node].take(level);
                granted[chain] = *level;
            }
        }
    }
    granted
}

struct Best {
    placement: Placement,
    value: i64,
    moves: u32,
}

/// A node while the search stands at one depth.
#[derive(Clone, Copy)]
struct Top {
    /// Which buffer holds its table.
    buffer: usize,
    /// The best value of the chains on it.
    value: i64,
    /// The same, with what it has left at its price.
    priced: i64,
    cores: i64,
    chains: u32,
}

struct Search<'h, 'c, 'w> {
    host: &'h Host,
    control: &'c mut Control<'w>,
    grids: Vec<Grid>,
    current: Option<&'h [usize]>,
    most_moves: u32,
    order: Vec<usize>,
    /// By depth and node.
    choices: Vec<Vec<Vec<Choice>>>,
    /// By depth: nodes, the most promising first.
    nodes: Vec<Vec<usize>>,
    /// By node: earlier nodes that are the same to the search while both are empty.
    alike: Vec<Vec<usize>>,
    /// By depth: what the chains from there on add at most.
    rest: Vec<i64>,
    /// The same, with resources at their price.
    priced_rest: Vec<i64>,
    /// By node and cell: the price of what is left.
    prices: Vec<Vec<i64>>,
    buffers: Vec<Vec<i64>>,
    tops: Vec<Top>,
    placement: Placement,
    moves: u32,
    best: Option<Best>,
    ended: bool,
    /// It has turned out long, and shall begin again.
    long: bool,
    /// Nodes until it is long.
    short: u64,
    /// Prices of ways and of steps of bandwidth.
    resources: (i64, i64),
    relaxed: Option<Relaxed>,
}

impl<'h, 'c, 'w> Search<'h, 'c, 'w> {
    fn new(host: &'h Host, rates: &[f64], asked: Asked<'h>, grids: Vec<Grid>, control: &'c mut Control<'w>) -> Self {
        let order = host.by_falling_rate(rates);
        let of_chain = |&chain: &usize| -> Vec<Vec<Choice>> {
            let on = |(node, grid): (usize, &Grid)| {
                grid.choices(host.levels(chain, node), rates[chain], weight(asked, chain, node))
            };
            grids.iter().enumerate().map(on).collect()
        };
        let choices: Vec<Vec<Vec<Choice>>> = order.iter().map(of_chain).collect();
        let most = |choices: &[Choice]| choices.iter().map(|choice| choice.value).max().unwrap_or_default();
        let nodes = order.iter().zip(&choices).map(|(&chain, by_node)| {
            let mut nodes: Vec<usize> = (0..by_node.len()).collect();
            let stands = |node: usize| asked.current.is_some_and(|current| current[chain] == node);
            nodes.sort_by_key(|&node| (!stands(node), -most(&by_node[node])));
            nodes
        });
        let nodes = nodes.collect();
        let rest = suffixes(&choices, |by_node| by_node.iter().map(|choices| most(choices)).max().unwrap_or_default());
        let (per_way, per_step) = multipliers(&choices, &grids, rest[0]);
        let priced_rest = suffixes(&choices, |by_node| reduced(by_node, per_way, per_step));
        let price = |grid: &Grid| -> Vec<i64> {
            let cell = |cell: usize| {
                let (ways, steps) = (cell / (grid.steps + 1), cell % (grid.steps + 1));
                per_way * (grid.ways - ways) as i64 + per_step * (grid.steps - steps) as i64
            };
            (0..grid.cells()).map(cell).collect()
        };
        let prices: Vec<Vec<i64>> = grids.iter().map(price).collect();
        let top = |(node, prices): (usize, &Vec<i64>)| Top {
            buffer: 0,
            value: 0,
            priced: prices[0],
            cores: i64::from(host.nodes[node].cores),
            chains: 0,
        };
        let cells = grids.iter().map(|grid| grid.cells()).max().unwrap_or_default();
        Self {
            tops: prices.iter().enumerate().map(top).collect(),
            buffers: vec![vec![0; cells]; order.len() + 1],
            placement: vec![0; order.len()],
            alike: (0..host.nodes.len()).map(|node| alike(host, asked.current, node)).collect(),
            current: asked.current,
            most_moves: asked.most_moves.unwrap_or(u32::MAX),
            moves: 0,
            best: None,
            ended: false,
            long: false,
            short: if host.chains.len() < LEAST_LONG { u64::MAX } else { SHORT },
            resources: (per_way, per_step),
            relaxed: None,
            host,
            control,
            grids,
            order,
            choices,
            nodes,
            rest,
            priced_rest,
            prices,
        }
    }

    fn go(&mut self, depth: usize) {
        if depth == self.order.len() {
            return self.judge();
        }
        for index in 0..self.nodes[depth].len() {
            let (chain, node) = (self.order[depth], self.nodes[depth][index]);
            let moved = u32::from(self.current.is_some_and(|current| current[chain] != node));
            let nfs = i64::from(self.host.chains[chain].nfs);
            let before = self.tops[node];
            let again = before.chains == 0 && self.alike[node].iter().any(|&other| self.tops[other].chains == 0);
            if again || before.cores < nfs || self.moves + moved > self.most_moves {
                continue;
            }
            let first = self.best.is_none() && self.control.evaluations() < MOST_FOR_FIRST;
            if self.control.count(1) && !first {
                self.ended = true;
                return;
            }
            self.long = self.short == 0;
            if self.long {
                return;
            }
            self.short -= 1;
            self.tops[node] = self.with(depth, node, before, nfs);
            self.placement[chain] = node;
            self.moves += moved;
            if self.promising(depth + 1) {
                self.go(depth + 1);
            }
            self.moves -= moved;
            self.tops[node] = before;
            if self.ended || self.long {
                return;
            }
        }
    }

    /// Make the stronger bound, and try first what it takes.
    fn relax(&mut self) {
        self.long = false;
        self.short = u64::MAX;
        let prices = self.choices.iter().map(|by_node| reduced(by_node, self.resources.0, self.resources.1)).collect();
        let least = self.best.as_ref().map_or(0, |best| best.value);
        self.relaxed = Relaxed::new(&self.choices, &self.grids, prices, least);
        if let Some(relaxed) = &self.relaxed {
            self.nodes
                .iter_mut()
                .zip(&relaxed.takes)
                .for_each(|(nodes, takes)| nodes.sort_by_key(|&node| !takes[node]));
        }
    }

    /// The node with the chain of this depth on it.
    fn with(&mut self, depth: usize, node: usize, before: Top, nfs: i64) -> Top {
        let cells = self.grids[node].cells();
        let (made, free) = self.buffers.split_at_mut(depth + 1);
        let table = &mut free[0][..cells];
        self.grids[node].add(&made[before.buffer][..cells], table, &self.choices[depth][node]);
        let priced = table.iter().zip(&self.prices[node]).map(|(value, price)| value + price).max();
        Top {
            buffer: depth + 1,
            value: table[cells - 1],
            priced: priced.unwrap_or_default(),
            cores: before.cores - nfs,
            chains: before.chains + 1,
        }
    }

    /// Whether what remains could still make it the best.
    fn promising(&self, depth: usize) -> bool {
        let Some(best) = &self.best else { return true };
        let alone = self.tops.iter().map(|top| top.value).sum::<i64>() + self.rest[depth];
        let priced = self.tops.iter().map(|top| top.priced).sum::<i64>() + self.priced_rest[depth];
        let (moves, least) = (self.moves, self.counted(best.value, best.moves));
        let could = |bound: i64| (self.counted(bound, moves), best.moves) > (least, moves);
        could(alone.min(priced)) && self.relaxed.as_ref().is_none_or(|relaxed| could(self.bound(relaxed, depth)))
    }

    /// The stronger bound.
    fn bound(&self, relaxed: &Relaxed, depth: usize) -> i64 {
        let of = |(node, top): (usize, &Top)| {
            relaxed.with(node, depth, &self.buffers[top.buffer][..self.grids[node].cells()])
        };
        relaxed.rest(depth) + self.tops.iter().enumerate().map(of).sum::<i64>()
    }

    /// A value, less what rounding can add to it.
    fn counted(&self, value: i64, moves: u32) -> i64 {
        value - i64::from(moves) * self.order.len() as i64
    }

    fn judge(&mut self) {
        let value = self.tops.iter().map(|top| top.value).sum();
        let counted = self.counted(value, self.moves);
        let better = self
            .best
            .as_ref()
            .is_none_or(|best| (counted, best.moves) > (self.counted(best.value, best.moves), self.moves));
        if better {
            self.best = Some(Best { placement: self.placement.clone(), value, moves: self.moves });
            self.control.found(value as f64 / PER_GBPS);
        }
    }
}

/// Earlier remote nodes that have as much of everything, where nothing stands on either.
fn alike(host: &Host, current: Option<&[usize]>, node: usize) -> Vec<usize> {
    let empty = |node: usize| current.is_none_or(|current| !current.contains(&node));
    let of = |node: usize| {
        let one = &host.nodes[node];
        (one.side == crate::laws::numasfp::table::Side::Remote, one.ways, one.mb_percent, one.cores)
    };
    (0..node).filter(|&other| of(other) == of(node) && empty(other) && empty(node)).collect()
}

/// Sums from each depth to the end.
fn suffixes(choices: &[Vec<Vec<Choice>>], of: impl Fn(&[Vec<Choice>]) -> i64) -> Vec<i64> {
    let mut sums = vec![0; choices.len() + 1];
    for depth in (0..choices.len()).rev() {
        sums[depth] = sums[depth + 1] + of(&choices[depth]);
    }
    sums
}

/// What a chain adds at most beyond the price of what it takes.
fn reduced(by_node: &[Vec<Choice>], per_way: i64, per_step: i64) -> i64 {
    let left = |choice: &Choice| choice.value - per_way * choice.ways as i64 - per_step * choice.steps as i64;
    by_node.iter().flatten().map(left).max().unwrap_or_default().max(0)
}

/// Prices of a way and of a step of bandwidth that make the bound of the whole search least, out of a few: shares of
/// what all chains carry alone, divided by all there is.
fn multipliers(choices: &[Vec<Vec<Choice>>], grids: &[Grid], alone: i64) -> (i64, i64) {
    const SHARES: [i64; 6] = [0, 2, 4, 6, 8, 12]; // eighths
    let ways: i64 = grids.iter().map(|grid| grid.ways as i64).sum();
    let steps: i64 = grids.iter().map(|grid| grid.steps as i64).sum();
    let price = |share: i64, all: i64| alone / 8 * share / all.max(1);
    let bound = |per_way: i64, per_step: i64| {
        let chains: i64 = choices.iter().map(|by_node| reduced(by_node, per_way, per_step)).sum();
        chains + per_way * ways + per_step * steps
    };
    let pairs = SHARES.iter().flat_map(|&way| SHARES.iter().map(move |&step| (way, step)));
    let priced = pairs.map(|(way, step)| (price(way, ways), price(step, steps)));
    priced.min_by_key(|&(per_way, per_step)| bound(per_way, per_step)).unwrap_or_default()
}
