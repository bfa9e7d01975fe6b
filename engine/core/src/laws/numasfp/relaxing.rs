//! A bound for searches that turn out long: each chain has a price, and a node takes whichever chains carry more than
//! their price, as if no other node could take them, too (Lagrange relaxation of "each chain stands on one node"). What a
//! node takes is an exact knapsack, so the bound is no weaker than that of prices of ways and bandwidth, from which
//! the prices of chains begin. Subgradient steps: Held, Wolfe, Crowder, Validation of Subgradient Optimization, 1974.

use crate::laws::numasfp::knapsack::{Choice, Grid};

/// Steps that better the prices.
const STEPS: u32 = 12;
/// Most cells of all tables together: what bounds memory.
const MOST_CELLS: usize = 1_000_000;

/// Prices of chains, and what each node makes of the chains from each depth on.
#[derive(Debug, Clone)]
pub struct Relaxed {
    /// By depth: the prices of the chains from there on.
    rest: Vec<i64>,
    /// By node, depth and cell: what the node carries at most beyond the prices of chains from there on.
    tables: Vec<Vec<Vec<i64>>>,
    /// By depth and node: whether the node takes the chain at these prices.
    pub takes: Vec<Vec<bool>>,
}

impl Relaxed {
    /// The best of some steps. `prices`: of chains by depth, not negative. `least`: what a placement carries. None: the
    /// tables would be too large.
    pub fn new(choices: &[Vec<Vec<Choice>>], grids: &[Grid], mut prices: Vec<i64>, least: i64) -> Option<Self> {
        let cells: usize = grids.iter().map(|grid| grid.cells()).sum();
        if cells * (choices.len() + 1) > MOST_CELLS {
            return None;
        }
        let mut best = Self::at(choices, grids, &prices);
        let mut now = best.clone();
        for _ in 0..STEPS {
            let over: Vec<i64> =
                now.takes.iter().map(|takes| takes.iter().map(|&taken| i64::from(taken)).sum::<i64>() - 1).collect();
            let open = |(over, price): (&i64, &i64)| if *over < 0 && *price == 0 { 0 } else { over * over };
            let length: i64 = over.iter().zip(&prices).map(open).sum();
            let gap = now.bound() - least;
            if length == 0 || gap <= 0 {
                break; // no prices are better, or no placement is
            }
            prices.iter_mut().zip(&over).for_each(|(price, over)| *price = (*price + over * (gap / length)).max(0));
            now.price(choices, grids, &prices);
            if now.bound() < best.bound() {
                best.clone_from(&now);
            }
        }
        Some(best)
    }

    fn at(choices: &[Vec<Vec<Choice>>], grids: &[Grid], prices: &[i64]) -> Self {
        let chains = choices.len();
        let mut found = Self {
            rest: vec![0; chains + 1],
            tables: grids.iter().map(|grid| vec![vec![0; grid.cells()]; chains + 1]).collect(),
            takes: vec![vec![false; grids.len()]; chains],
        };
        found.price(choices, grids, prices);
        found
    }

    /// The same at other prices.
    fn price(&mut self, choices: &[Vec<Vec<Choice>>], grids: &[Grid], prices: &[i64]) {
        for depth in (0..prices.len()).rev() {
            self.rest[depth] = self.rest[depth + 1] + prices[depth];
        }
        let mut beyond: Vec<Vec<Choice>> = vec![Vec::new(); prices.len()];
        for (node, grid) in grids.iter().enumerate() {
            let tables = &mut self.tables[node];
            for depth in (0..prices.len()).rev() {
                let left = choices[depth][node].iter().map(|one| Choice { value: one.value - prices[depth], ..*one });
                beyond[depth].clear();
                beyond[depth].extend(left.filter(|choice| choice.value > 0));
                let (before, after) = tables.split_at_mut(depth + 1);
                grid.add(&after[0], &mut before[depth], &beyond[depth]);
            }
            let mut cell = grid.cells() - 1;
            for depth in 0..prices.len() {
                let value = tables[depth][cell];
                let taken = tables[depth + 1][cell] != value;
                self.takes[depth][node] = taken;
                if taken {
                    cell = left(*grid, cell, &beyond[depth], &tables[depth + 1], value);
                }
            }
        }
    }

    /// No placement carries more.
    fn bound(&self) -> i64 {
        self.rest[0] + self.tables.iter().map(|tables| tables[0].last().copied().unwrap_or_default()).sum::<i64>()
    }

    /// Prices of the chains from a depth on.
    pub fn rest(&self, depth: usize) -> i64 {
        self.rest[depth]
    }

    /// What a node carries at most, beside what it has by cells, beyond the prices of the chains from a depth on.
    pub fn with(&self, node: usize, depth: usize, has: &[i64]) -> i64 {
        // What one part does not use the other has: cell i beside cell (last - i).
        let sums = has.iter().zip(self.tables[node][depth].iter().rev()).map(|(has, adds)| has + adds);
        sums.max().unwrap_or_default()
    }
}

/// The cell that is left once the chain with these choices has taken the one that makes `value`.
fn left(grid: Grid, cell: usize, choices: &[Choice], without: &[i64], value: i64) -> usize {
    let row = grid.steps + 1;
    let (ways, steps) = (cell / row, cell % row);
    let fits = choices.iter().filter(|choice| choice.ways <= ways && choice.steps <= steps);
    let mut cells = fits.map(|choice| (cell - choice.ways * row - choice.steps, choice.value));
    cells.find(|&(left, adds)| without[left] + adds == value).expect("the table was made of these choices").0
}
