//! The best that any law could do that knows all rates beforehand: dynamic programming over the placements of each
//! interval. A move costs its share of what the chain carries in that interval. No law passes it; none can follow it.

use std::collections::HashMap;

use crate::control::Control;
use crate::error::BadInput;
use crate::laws::numasfp::exact::{Asked, granted};
use crate::laws::numasfp::knapsack::{Choice, Grid, unit};
use crate::laws::numasfp::problem::{Host, Placement};
use crate::laws::numasfp::table::Level;

/// Most placements of a host, chains to nodes: 6 chains on 2 nodes.
pub const MOST_PLACEMENTS: usize = 64;

/// Placements and grants of all intervals; `rates` are clamped. `start`: where chains stand before; None: nowhere.
pub fn plan(
    host: &Host,
    rates: &[Vec<f64>],
    loss: f64,
    start: Option<&Placement>,
    control: &mut Control,
) -> Result<Vec<(Placement, Vec<Level>)>, BadInput> {
    let placements = placements(host)?;
    let unit = unit(host);
    let grids = (0..host.nodes.len()).map(|node| Grid::new(host, node, unit)).collect::<Result<Vec<_>, _>>()?;
    let mut value: Vec<(i64, i64)> = Vec::new(); // by placement: best until now, and minus the moves of it
    let mut came_from: Vec<Vec<usize>> = Vec::with_capacity(rates.len());
    for now in rates {
        let mut gains = Gains::new(host, &grids, now, loss);
        let first = came_from.is_empty();
        let mut next = Vec::with_capacity(placements.len());
        let mut from = Vec::with_capacity(placements.len());
        for to in &placements {
            let through = |before: Option<&Placement>, so_far: (i64, i64), gains: &mut Gains| {
                let (gain, moves) = gains.of(before, to);
                (so_far.0 + gain, so_far.1 - moves)
            };
            let best = if first {
                (through(start, (0, 0), &mut gains), 0)
            } else {
                let ways = placements
                    .iter()
                    .enumerate()
                    .map(|(index, before)| (through(Some(before), value[index], &mut gains), index));
                ways.max_by_key(|(value, index)| (*value, std::cmp::Reverse(*index))).unwrap_or_default()
            };
            next.push(best.0);
            from.push(best.1);
        }
        if control.count(placements.len() as u64) {
            return Err(BadInput::new("seconds", "the search ended before it knew its bound; give it longer"));
        }
        value = next;
        came_from.push(from);
    }
    let mut at = (0..placements.len()).max_by_key(|&index| value[index]).unwrap_or_default();
    let mut way = vec![0; rates.len()];
    for interval in (0..rates.len()).rev() {
        way[interval] = at;
        at = came_from[interval][at];
    }
    let step = |interval: usize| {
        let placement = &placements[way[interval]];
        let before = interval.checked_sub(1).map(|before| &placements[way[before]]).or(start);
        let asked = Asked { current: before.map(Vec::as_slice), loss, losses: None, horizon: 1.0, most_moves: None };
        (placement.clone(), granted(host, &rates[interval], asked, &grids, placement))
    };
    Ok((0..rates.len()).map(step).collect())
}

/// All placements within the cores.
fn placements(host: &Host) -> Result<Vec<Placement>, BadInput> {
    let mut found: Vec<Placement> = vec![Vec::new()];
    for _ in &host.chains {
        if found.len() * host.nodes.len() > MOST_PLACEMENTS {
            let message =
                format!("the bound of all laws takes at most {MOST_PLACEMENTS} placements of chains on nodes");
            return Err(BadInput::new("algorithm", format!("{message}; leave chains or nodes out")));
        }
        let longer =
            found.iter().flat_map(|one| (0..host.nodes.len()).map(move |node| [one.as_slice(), &[node]].concat()));
        found = longer.collect();
    }
    found.retain(|one| host.free_cores(one).iter().all(|&free| free >= 0));
    if found.is_empty() {
        return Err(BadInput::new("chains", "no placement keeps every chain whole within the cores of the nodes"));
    }
    Ok(found)
}

/// What nodes carry in one interval, by the chains on them and those of these that came to them.
struct Gains<'a> {
    grids: &'a [Grid],
    /// By chain and node: choices where it stays, and where it comes.
    choices: Vec<Vec<[Vec<Choice>; 2]>>,
    known: HashMap<(usize, u64, u64), i64>,
}

impl<'a> Gains<'a> {
    fn new(host: &Host, grids: &'a [Grid], rates: &[f64], loss: f64) -> Self {
        let on = |chain: usize, node: usize| {
            let of = |weight| grids[node].choices(host.levels(chain, node), rates[chain], weight);
            [of(1.0), of(1.0 - loss)]
        };
        let of_chain = |chain: usize| (0..grids.len()).map(|node| on(chain, node)).collect();
        Self { grids, choices: (0..host.chains.len()).map(of_chain).collect(), known: HashMap::new() }
    }

    /// What all carry under a placement, and how many have moved to it.
    fn of(&mut self, before: Option<&Placement>, to: &Placement) -> (i64, i64) {
        let mut gain = 0;
        let mut moves = 0;
        for node in 0..self.grids.len() {
            let (mut here, mut came) = (0_u64, 0_u64);
            for (chain, _) in to.iter().enumerate().filter(|&(_, &at)| at == node) {
                here |= 1 << chain;
                let moved = before.is_some_and(|before| before[chain] != node);
                came |= u64::from(moved) << chain;
                moves += i64::from(moved);
            }
            gain += self.of_node(node, here, came);
        }
        (gain, moves)
    }

    fn of_node(&mut self, node: usize, here: u64, came: u64) -> i64 {
        if let Some(&value) = self.known.get(&(node, here, came)) {
            return value;
        }
        let chains = (0..self.choices.len()).filter(|chain| here >> chain & 1 == 1);
        let chosen = chains.map(|chain| self.choices[chain][node][(came >> chain & 1) as usize].as_slice());
        let value = self.grids[node].value(&chosen.collect::<Vec<_>>());
        self.known.insert((node, here, came), value);
        value
    }
}
