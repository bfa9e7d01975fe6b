//! The first step of Algorithm 1 (Octans, Sec. IV-C, line 2): every combination of the chains' options that fits. The
//! paper calls it a binary search; it is an enumeration.

use crate::control::Control;
use crate::error::BadInput;
use crate::instance::{Assignment, Chain, Instance, Pattern};
use crate::laws::octans::brute::MOST_UNLIMITED;
use crate::laws::octans::greedy;
use crate::laws::octans::subchains::{Params, Search};
use crate::rank::close;

/// Most NFs: the search is as deep as there are chains and NFs that can come over, and a stack has 2 MB.
pub const MOST_NFS: usize = 2048;
/// Steps without a combination that fits that count as one evaluation: limits hold where next to nothing fits, too.
const BARREN_EVALUATION: u64 = 1024;

/// Depth first over the chains: seat each by one of its options, then begin a search at what results.
pub struct Starts<'a> {
    instance: &'a Instance,
    options: &'a [Vec<Pattern>],
    lenient: bool,
    value_left: Vec<f64>,
    room: Vec<u32>,
    current: Assignment,
    barren: u64, // steps since the last combination that fits
}

impl<'a> Starts<'a> {
    /// `lenient`: a chain none of whose options fits is spread over what is free, and any chain may be rejected;
    /// otherwise all chains are seated by their options or the combination is none.
    pub fn new(instance: &'a Instance, options: &'a [Vec<Pattern>], lenient: bool) -> Self {
        let mut value_left = vec![0.0];
        for chain in instance.chains.iter().rev() {
            value_left.push(value_left[value_left.len() - 1] + chain.value);
        }
        value_left.reverse();
        let current = vec![None; instance.chains.len()];
        Self { instance, options, lenient, value_left, room: instance.free.clone(), current, barren: 0 }
    }

    /// Refuse what would never end.
    ///
    /// With its memo a search visits at most the product over chains of: local, rejected, and each option with any number
    /// of its remote NFs left. Without, it visits the same placement once for every order of moves.
    pub fn refuse_endless(&self, name: &str, params: Params, control: &Control) -> Result<(), BadInput> {
        if control.limited() {
            return Ok(());
        }
        if !params.memo {
            return Err(BadInput::new("params.memo", format!("{name} without its memo needs a limit")));
        }
        let visits = |(options, chain): (&Vec<Pattern>, &Chain)| {
            let remote = |option: &Pattern| option.iter().filter(|&&node| node != chain.ingress).count();
            1.0 + f64::from(u8::from(self.lenient)) + options.iter().map(remote).sum::<usize>() as f64
        };
        let size: f64 = self.options.iter().zip(&self.instance.chains).map(visits).product();
        if size <= MOST_UNLIMITED {
            return Ok(());
        }
        let message = format!(
            "{name} could visit {size:.3e} placements, at most {MOST_UNLIMITED:e} without a limit; give a time limit, or use exact"
        );
        Err(BadInput::new("algorithm", message))
    }

    /// Begin the search at every combination.
    pub fn each(&mut self, search: &mut Search) {
        self.chain(0, 0.0, 0, search);
    }

    fn chain(&mut self, index: usize, value: f64, moves: u32, search: &mut Search) {
        let (reachable, best) = (value + self.value_left[index], search.best_value());
        let hopeless = (reachable < best && !close(reachable, best)) || moves > self.instance.max_moves;
        if hopeless || search.stopped() {
            return;
        }
        self.barren += 1;
        if index == self.current.len() {
            search.begin(&self.current);
            self.barren = 0;
            return;
        }
        if self.barren == BARREN_EVALUATION {
            search.tick();
            self.barren = 0;
        }
        let mut fits = false;
        for option in &self.options[index] {
            if self.take(option) {
                fits = true;
                self.seated(index, option.clone(), value, moves, search);
            }
        }
        if self.lenient {
            if let Some(split) = (!fits).then(|| greedy::seat(self.instance, near, &mut self.room, index)).flatten() {
                self.seated(index, split, value, moves, search);
            }
            self.chain(index + 1, value, moves, search);
        }
    }

    /// Go on with a chain seated, then free its cores.
    fn seated(&mut self, index: usize, pattern: Pattern, value: f64, moves: u32, search: &mut Search) {
        let chain = &self.instance.chains[index];
        let moves = moves + unavoidable_moves(chain, &pattern);
        self.current[index] = Some(pattern);
        self.chain(index + 1, value + chain.value, moves, search);
        for node in self.current[index].take().iter().flatten() {
            self.room[*node as usize] += 1;
        }
    }

    /// Take the cores of a pattern; false, and none taken, if some node lacks them.
    fn take(&mut self, pattern: &[u16]) -> bool {
        for (taken, &node) in pattern.iter().enumerate() {
            if self.room[node as usize] == 0 {
                pattern[..taken].iter().for_each(|&node| self.room[node as usize] += 1);
                return false;
            }
            self.room[node as usize] -= 1;
        }
        true
    }
}

/// Moves that no subchain's coming over takes back: NFs that run neither where the pattern has them nor on the local node.
fn unavoidable_moves(chain: &Chain, pattern: &[u16]) -> u32 {
    let away = |before: &Pattern| {
        before.iter().zip(pattern).filter(|&(then, now)| then != now && *then != chain.ingress).count() as u32
    };
    chain.initial.as_ref().map_or(0, away)
}

/// The local node while it has room, then the one with most.
fn near(instance: &Instance, room: &[u32], chain: usize, nodes: &[u16]) -> u16 {
    let local = instance.chains[chain].ingress;
    let emptier = |best: u16, node: u16| if room[node as usize] > room[best as usize] { node } else { best };
    if nodes.contains(&local) { local } else { nodes.iter().copied().reduce(emptier).unwrap_or_default() }
}

/// Refuse what would go too deep.
pub fn refuse_many(instance: &Instance, name: &str) -> Result<(), BadInput> {
    let nfs: usize = instance.chains.iter().map(|chain| chain.nfs.len()).sum();
    if nfs <= MOST_NFS {
        return Ok(());
    }
    Err(BadInput::new("algorithm", format!("{name} takes at most {MOST_NFS} NFs, not {nfs}; use anytime")))
}
