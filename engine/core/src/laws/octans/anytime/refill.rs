//! Exchanges of accepted and rejected chains, for hosts that cannot hold all: a rejected chain takes its cores, up to
//! three others give way if it must be, and whoever is out then is seated again where there is still room.

use super::dice::Dice;
use crate::incremental::{Change, Standing};
use crate::instance::Instance;

const MOST_EJECTED: usize = 3;
const MOST_TRIED: usize = 4; // other rejected chains offered what room is left

/// Makes proposals; its buffers are reused.
#[derive(Default)]
pub struct Refill {
    room: Vec<i64>,
    nodes: Vec<u16>,
    ejected: Vec<usize>,
}

impl Refill {
    /// Propose to accept a rejected chain; false if it finds no seat, or if none is rejected.
    pub fn propose(&mut self, standing: &Standing, dice: &mut Dice, change: &mut Change) -> bool {
        change.clear();
        let instance = standing.instance();
        let rejected = standing.rejected();
        if rejected.is_empty() {
            return false;
        }
        self.room.clear();
        self.room.extend((0..instance.nodes() as u16).map(|node| standing.room(node)));
        self.ejected.clear();
        let newcomer = rejected[dice.below(rejected.len())] as usize;
        while !self.seat(instance, dice, newcomer) {
            if self.ejected.len() == MOST_EJECTED || !self.eject(standing, dice) {
                return false;
            }
        }
        change.push(newcomer, &self.nodes);
        for index in 0..self.ejected.len() {
            let chain = self.ejected[index];
            let again = self.seat(instance, dice, chain);
            change.push(chain, if again { &self.nodes } else { &[] });
        }
        for _ in 0..MOST_TRIED.min(rejected.len() - 1) {
            let chain = rejected[dice.below(rejected.len())] as usize;
            if !change.contains(chain) && self.seat(instance, dice, chain) {
                change.push(chain, &self.nodes);
            }
        }
        true
    }

    fn eject(&mut self, standing: &Standing, dice: &mut Dice) -> bool {
        let chain = dice.below(standing.instance().chains.len());
        let Some(nodes) = standing.pattern(chain).filter(|_| !self.ejected.contains(&chain)) else { return false };
        for &node in nodes {
            self.room[node as usize] += 1;
        }
        self.ejected.push(chain);
        true
    }

    /// Seats for all NFs of a chain, into `nodes`; NFs without a choice first. False, and the room as it was, if not.
    fn seat(&mut self, instance: &Instance, dice: &mut Dice, chain: usize) -> bool {
        let data = &instance.chains[chain];
        self.nodes.clear();
        self.nodes.resize(data.nfs.len(), u16::MAX);
        for forced in [true, false] {
            for (position, nf) in data.nfs.iter().enumerate() {
                let allowed = instance.allowed(nf);
                if (allowed.len() == 1) != forced {
                    continue;
                }
                let upstream = position.checked_sub(1).map(|before| self.nodes[before]);
                let open = |node: &u16| self.room[*node as usize] > 0;
                let together = upstream.filter(|node| {
                    *node != u16::MAX && open(node) && dice.below(4) > 0 && allowed.binary_search(node).is_ok()
                });
                let begin = dice.below(allowed.len());
                let turned = allowed[begin..].iter().chain(&allowed[..begin]).copied();
                let Some(node) = together.or_else(|| turned.into_iter().find(open)) else {
                    let taken = self.nodes.iter().filter(|&&node| node != u16::MAX);
                    taken.for_each(|&node| self.room[node as usize] += 1);
                    return false;
                };
                self.nodes[position] = node;
                self.room[node as usize] -= 1;
            }
        }
        true
    }
}
