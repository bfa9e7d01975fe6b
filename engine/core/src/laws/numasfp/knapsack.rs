//! Ways and bandwidth of one node, divided among the chains on it: a knapsack with one choice a chain, as a table over
//! what is used at most. Values are whole numbers of 10^-9 Gbps, so that equal sums are equal in any order.

use crate::error::BadInput;
use crate::laws::numasfp::problem::{Host, Node};
use crate::laws::numasfp::table::Level;

/// Values are counted in this part of a Gbps.
pub const PER_GBPS: f64 = 1e9;
/// Most cells of a node's table: what bounds memory and time.
pub const MAX_CELLS: usize = 100_000;

/// The shape of a node's table: cell = ways x (steps + 1) + steps of bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Most ways.
    pub ways: usize,
    /// Most steps of bandwidth.
    pub steps: usize,
    /// % of bandwidth in a step.
    pub unit: u32,
}

/// A level that is worth choosing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// What it adds, in 10^-9 Gbps; above 0.
    pub value: i64,
    /// Ways it takes.
    pub ways: usize,
    /// Steps of bandwidth it takes.
    pub steps: usize,
    /// Itself.
    pub level: Level,
}

/// The step of bandwidth that all entries of a host are multiples of.
pub fn unit(host: &Host) -> u32 {
    let levels = host.chains.iter().flat_map(|chain| {
        use crate::laws::numasfp::table::Side::{Local, Remote};
        chain.levels(Local).iter().chain(chain.levels(Remote))
    });
    levels.fold(0, |unit, level| divisor(unit, level.mb_percent)).max(1)
}

fn divisor(one: u32, other: u32) -> u32 {
    if other == 0 { one } else { divisor(other, one % other) }
}

impl Grid {
    /// No wider than all chains of the host can use.
    pub fn new(host: &Host, index: usize, unit: u32) -> Result<Self, BadInput> {
        let node: &Node = &host.nodes[index];
        let most = |of: fn(&Level) -> u32| -> u32 {
            let one = |chain| host.levels(chain, index).iter().map(of).max().unwrap_or_default();
            (0..host.chains.len()).map(one).sum()
        };
        let ways = node.ways.min(most(|level| level.ways)) as usize;
        let steps = (node.mb_percent.min(most(|level| level.mb_percent)) / unit) as usize;
        let grid = Self { ways, steps, unit };
        if grid.cells() > MAX_CELLS {
            let size = format!("{ways} ways and {steps} steps of bandwidth are more than {MAX_CELLS} combinations");
            let next = "name fewer ways, or bandwidths with a larger common divisor";
            return Err(BadInput::new(format!("nodes.{}", node.name), format!("{size}; {next}")));
        }
        Ok(grid)
    }

    /// How many cells its table has.
    pub fn cells(self) -> usize {
        (self.ways + 1) * (self.steps + 1)
    }

    /// What is worth choosing for a chain: `weight` of what it carries counts. Nothing that another choice beats or
    /// equals with no more of either resource.
    pub fn choices(self, levels: &[Level], rate: f64, weight: f64) -> Vec<Choice> {
        let mut found: Vec<Choice> = Vec::with_capacity(levels.len());
        for level in levels {
            let value = (level.gbps.min(rate) * weight * PER_GBPS).round() as i64;
            let (ways, steps) = (level.ways as usize, (level.mb_percent / self.unit) as usize);
            let choice = Choice { value, ways, steps, level: *level };
            let beats = |one: &Choice, other: &Choice| {
                one.value >= other.value && one.ways <= other.ways && one.steps <= other.steps
            };
            if value > 0 && ways <= self.ways && steps <= self.steps && !found.iter().any(|one| beats(one, &choice)) {
                found.retain(|one| !beats(&choice, one));
                found.push(choice);
            }
        }
        found
    }

    /// The table with one chain more.
    pub fn add(self, before: &[i64], after: &mut [i64], choices: &[Choice]) {
        after.copy_from_slice(before);
        let row = self.steps + 1;
        for choice in choices {
            for ways in choice.ways..=self.ways {
                let from = &before[(ways - choice.ways) * row..][..row - choice.steps];
                let to = &mut after[ways * row + choice.steps..][..row - choice.steps];
                for (best, base) in to.iter_mut().zip(from) {
                    *best = (*best).max(base + choice.value);
                }
            }
        }
    }

    /// The best value of some chains together.
    pub fn value(self, chains: &[&[Choice]]) -> i64 {
        self.tables(chains).last().and_then(|table| table.last().copied()).unwrap_or_default()
    }

    /// A best choice for each chain, with as few ways as there can be, then as little bandwidth; None: none.
    pub fn best(self, chains: &[&[Choice]]) -> Vec<Option<Choice>> {
        let tables = self.tables(chains);
        let best = tables[chains.len()][self.cells() - 1];
        let cell = tables[chains.len()].iter().position(|value| *value == best).unwrap_or_default();
        let row = self.steps + 1;
        let (mut ways, mut steps) = (cell / row, cell % row);
        let mut chosen = vec![None; chains.len()];
        for index in (0..chains.len()).rev() {
            let at = |ways: usize, steps: usize| tables[index][ways * row + steps];
            let value = tables[index + 1][ways * row + steps];
            if at(ways, steps) == value {
                continue; // as good without it
            }
            let fits = |choice: &&Choice| choice.ways <= ways && choice.steps <= steps;
            let choice = chains[index]
                .iter()
                .filter(fits)
                .find(|choice| at(ways - choice.ways, steps - choice.steps) + choice.value == value)
                .expect("the table was made of these choices");
            ways -= choice.ways;
            steps -= choice.steps;
            chosen[index] = Some(*choice);
        }
        chosen
    }

    fn tables(self, chains: &[&[Choice]]) -> Vec<Vec<i64>> {
        let mut tables = vec![vec![0; self.cells()]];
        for choices in chains {
            let mut next = vec![0; self.cells()];
            self.add(&tables[tables.len() - 1], &mut next, choices);
            tables.push(next);
        }
        tables
    }
}
