//! Why a chain is left out, what is missing, and the cheapest way out, in the problem's own terms.

use std::collections::HashMap;

use crate::fields::figure;
use crate::instance::{Instance, Pattern, node_indices};
use crate::problem::{Chain, Problem};
use crate::relax::{Host, Relaxation};
use crate::result::{RejectedChain, Short};
use crate::seating::{Demand, Shortfall};

/// Most names in one list.
const MOST_NAMES: usize = 4;

/// One entry for each chain that `assignment` leaves out, in the problem's order.
pub fn rejections_of(problem: &Problem, instance: &Instance, assignment: &[Option<Pattern>]) -> Vec<RejectedChain> {
    if assignment.iter().all(Option::is_some) {
        return Vec::new();
    }
    let host = Host::new(instance, assignment);
    let node_of = node_indices(problem);
    let mut known = HashMap::new(); // chains that ask for the same are answered alike
    let mut rejected = Vec::new();
    for (index, chain) in problem.chains.iter().enumerate().filter(|(index, _)| assignment[*index].is_none()) {
        let initial = &instance.chains[index].initial;
        let key = (chain.nfs.len(), &chain.pin, &chain.nf_pins, initial, chain.value.to_bits());
        let answer = known.entry(key).or_insert_with(|| {
            let demand = Demand::new(problem, instance, &node_of, index);
            Words { problem, host: &host }.answer(index, chain, &demand)
        });
        rejected.push(RejectedChain { chain: chain.id.clone(), ..answer.clone() });
    }
    rejected
}

fn rising(mut nodes: Vec<u16>) -> Vec<u16> {
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Findings by the names of the problem.
struct Words<'a> {
    problem: &'a Problem,
    host: &'a Host<'a>,
}

impl Words<'_> {
    fn answer(&self, index: usize, chain: &Chain, demand: &Demand) -> RejectedChain {
        let short = demand.shortfall(&self.host.room);
        let relaxations = self.host.relaxations(index, demand);
        let ways: Vec<String> = relaxations.iter().map(|relaxation| self.relaxation(relaxation, demand)).collect();
        RejectedChain {
            chain: chain.id.clone(),
            reason: self.reason(demand, &short),
            short: (short.cores() > 0).then(|| self.short(demand, &short)),
            relax: (!ways.is_empty()).then(|| ways.join(", or ")),
        }
    }

    fn reason(&self, demand: &Demand, short: &Shortfall) -> String {
        let room = &self.host.room;
        if let Some(&(node, _, nfs)) = short.pinned.first() {
            return format!("needs {} on {}, {} are free", cores(nfs), self.places(&[node]), room[node as usize]);
        }
        let (needed, places) = (cores(demand.pins.len() as u32), self.places(&demand.confined));
        if short.free > 0 {
            let free: u32 = demand.confined.iter().map(|&node| room[node as usize]).sum();
            return format!("needs {needed} on {places}, {free} are free");
        }
        let moves = demand.seat(room).map_or(0, |pattern| demand.moves(&pattern));
        if moves > self.host.moves_left() {
            let nfs = plural(moves as usize);
            return format!("would have to move {moves} NF{nfs}, {} more may move", self.host.moves_left());
        }
        format!("was left out, though the {needed} it needs are free on {places}")
    }

    fn short(&self, demand: &Demand, short: &Shortfall) -> Short {
        let node = match (short.pinned.as_slice(), short.free, demand.confined.as_slice()) {
            ([(node, ..)], 0, _) | ([], _, [node]) => Some(*node),
            _ => None,
        };
        Short { node: node.map(|node| self.problem.nodes[node as usize].id.clone()), cores: short.cores() }
    }

    fn relaxation(&self, relaxation: &Relaxation, demand: &Demand) -> String {
        match relaxation {
            Relaxation::Seat(pattern) => format!("place it on {}", self.places(&rising(pattern.clone()))),
            Relaxation::Reseat(reseat) if reseat.moved.len() > MOST_NAMES => {
                let chains: Vec<usize> = reseat.moved.iter().map(|&(chain, ..)| chain).collect();
                format!("move {} NFs of {} out of its way", reseat.moved.len(), self.chains(&chains))
            }
            Relaxation::Reseat(reseat) => {
                let steps = reseat.moved.iter().map(|&(chain, position, node)| {
                    format!("NF {position} of '{}' to {}", self.problem.chains[chain].id, self.places(&[node]))
                });
                format!("move {}", steps.collect::<Vec<_>>().join(" and "))
            }
            Relaxation::Loosen { unpin, allow } => {
                let positions: Vec<String> = unpin.iter().map(usize::to_string).collect();
                let unpinned = (!unpin.is_empty())
                    .then(|| format!("unpin its NF{} {}", plural(unpin.len()), positions.join(", ")));
                let allowed = (!allow.is_empty()).then(|| format!("add {} to its pin", self.every_place(allow)));
                unpinned.into_iter().chain(allowed).collect::<Vec<_>>().join(" and ")
            }
            Relaxation::RaiseMoves(moves) => format!("raise max_moves to {moves}"),
            Relaxation::Remove(removed) => {
                let value: f64 = removed.iter().map(|&index| self.problem.chains[index].value).sum();
                format!("remove {} (value {})", self.chains(removed), figure(value))
            }
            Relaxation::Shorten(1) => "shorten it to its first NF".to_owned(),
            Relaxation::Shorten(nfs) => format!("shorten it to its first {nfs} NFs"),
            Relaxation::AddCores { pinned, free, max_moves } => {
                let mut added: Vec<String> = pinned
                    .iter()
                    .map(|&(node, missing)| format!("add {} on {}", cores(missing), self.places(&[node])))
                    .collect();
                if *free > 0 {
                    added.push(format!("add {} on {}", cores(*free), self.places(&demand.confined)));
                }
                added.extend(max_moves.map(|moves| format!("raise max_moves to {moves}")));
                added.join(" and ")
            }
        }
    }

    /// Where: the first of many names stand for all.
    fn places(&self, nodes: &[u16]) -> String {
        match nodes.len().checked_sub(MOST_NAMES) {
            None | Some(0) => self.every_place(nodes),
            Some(more) => format!("{} and {more} more", self.every_place(&nodes[..MOST_NAMES])),
        }
    }

    fn every_place(&self, nodes: &[u16]) -> String {
        let names: Vec<&str> = nodes.iter().map(|&node| self.problem.nodes[node as usize].id.as_str()).collect();
        format!("node{} {}", plural(names.len()), names.join(", "))
    }

    fn chains(&self, chains: &[usize]) -> String {
        let mut names: Vec<String> =
            chains.iter().map(|&index| format!("'{}'", self.problem.chains[index].id)).collect();
        names.dedup();
        format!("chain{} {}", plural(names.len()), names.join(", "))
    }
}

fn cores(count: u32) -> String {
    format!("{count} core{}", plural(count as usize))
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
