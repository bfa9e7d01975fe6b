//! Random neighbours of a placement: a stretch of a chain goes to another node, or two stretches exchange their nodes.
//!
//! A stretch is one NF (half the time), all of a chain, or anything between: so prefixes, suffixes and whole chains
//! move too. Exchanges need no free core.

use super::dice::Dice;
use crate::incremental::{Change, Standing};
use crate::instance::{Chain, Instance};

/// Makes proposals; its buffers are reused.
#[derive(Default)]
pub struct Moves {
    one: Vec<u16>,
    other: Vec<u16>,
}

impl Moves {
    /// Propose a change; false if the lots drawn lead to none. Pins are kept; capacity is left to the forecast.
    pub fn propose(&mut self, standing: &Standing, dice: &mut Dice, change: &mut Change) -> bool {
        change.clear();
        let chain = dice.below(standing.instance().chains.len());
        let Some(nodes) = standing.pattern(chain) else { return false };
        self.one.clear();
        self.one.extend_from_slice(nodes);
        if dice.below(2) == 0 {
            self.shift(standing, dice, chain, change)
        } else {
            self.exchange(standing, dice, chain, change)
        }
    }

    fn shift(&mut self, standing: &Standing, dice: &mut Dice, chain: usize, change: &mut Change) -> bool {
        let instance = standing.instance();
        let data = &instance.chains[chain];
        let (from, to) = stretch(dice, self.one.len());
        let node = target(instance, data, &self.one, (from, to), dice);
        let need: i64 = self.one[from..to].iter().map(|&now| i64::from(now != node)).sum();
        let allowed = |nf: &crate::instance::Nf| instance.allowed(nf).binary_search(&node).is_ok();
        if need == 0 || standing.room(node) < need || !data.nfs[from..to].iter().all(allowed) {
            return false;
        }
        self.one[from..to].fill(node);
        change.push(chain, &self.one);
        true
    }

    fn exchange(&mut self, standing: &Standing, dice: &mut Dice, chain: usize, change: &mut Change) -> bool {
        let instance = standing.instance();
        let partner = dice.below(instance.chains.len());
        let Some(nodes) = standing.pattern(partner) else { return false };
        let (from, to) = stretch(dice, self.one.len());
        let length = (to - from).min(nodes.len());
        let begin = dice.below(nodes.len() - length + 1);
        if partner == chain {
            let (a, b) = (dice.below(self.one.len()), dice.below(self.one.len()));
            self.one.swap(a, b);
            if self.one == nodes || !keeps_pins(instance, chain, &self.one) {
                return false;
            }
            change.push(chain, &self.one);
            return true;
        }
        self.other.clear();
        self.other.extend_from_slice(nodes);
        self.one[from..from + length].swap_with_slice(&mut self.other[begin..begin + length]);
        if self.other == nodes || !keeps_pins(instance, chain, &self.one) || !keeps_pins(instance, partner, &self.other)
        {
            return false;
        }
        change.push(chain, &self.one);
        change.push(partner, &self.other);
        true
    }
}

/// A stretch of a chain of this many NFs: from, and one past its end.
fn stretch(dice: &mut Dice, length: usize) -> (usize, usize) {
    match dice.below(4) {
        0 | 1 => {
            let at = dice.below(length);
            (at, at + 1)
        }
        2 => (0, length),
        _ => {
            let (a, b) = (dice.below(length), dice.below(length));
            (a.min(b), a.max(b) + 1)
        }
    }
}

/// Where a stretch goes: now and then to a neighbour's node, so that runs grow together, else anywhere it may.
fn target(instance: &Instance, chain: &Chain, nodes: &[u16], (from, to): (usize, usize), dice: &mut Dice) -> u16 {
    match dice.below(4) {
        0 if from > 0 => nodes[from - 1],
        1 if to < nodes.len() => nodes[to],
        _ => {
            let allowed = instance.allowed(&chain.nfs[from]);
            allowed[dice.below(allowed.len())]
        }
    }
}

fn keeps_pins(instance: &Instance, chain: usize, nodes: &[u16]) -> bool {
    let everywhere = |allowed: &[u16]| allowed.len() == instance.nodes();
    instance.chains[chain].nfs.iter().zip(nodes).all(|(nf, node)| {
        let allowed = instance.allowed(nf);
        everywhere(allowed) || allowed.binary_search(node).is_ok()
    })
}
