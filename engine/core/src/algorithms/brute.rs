//! Exhaustive search: every way to accept or reject and to seat every NF. The reference for small problems, so it
//! shares no trick with the others: each complete placement is judged from scratch.

use crate::algorithms::{Outcome, node_first};
use crate::control::Control;
use crate::error::BadInput;
use crate::instance::{Assignment, Instance, Pattern};
use crate::rank::{Rank, close, moves, violations};

/// Placements that are tried without a limit of time or evaluations: about a minute.
pub const MOST_UNLIMITED: f64 = 1e8;

/// Most NFs: the search nests a call each, and a stack that overflows would end the calling program.
pub const MOST_NFS: usize = 2000;

/// How many combinations there are, infeasible ones included: the product over chains of patterns + 1.
pub fn placements(instance: &Instance) -> f64 {
    let patterns = |chain: &crate::instance::Chain| -> f64 {
        chain.nfs.iter().map(|nf| instance.allowed(nf).len() as f64).product()
    };
    instance.chains.iter().map(|chain| patterns(chain) + 1.0).product()
}

/// Best of all, or best so far when `control` says so. Refuses more than `MOST_UNLIMITED` placements without a limit, and
/// more than `MOST_NFS` NFs.
pub fn run(instance: &Instance, control: &mut Control, start: Option<&Assignment>) -> Result<Outcome, BadInput> {
    let nfs: usize = instance.chains.iter().map(|chain| chain.nfs.len()).sum();
    if nfs > MOST_NFS {
        let message = format!("brute takes {MOST_NFS} NFs at most, these are {nfs}; use another algorithm");
        return Err(BadInput::new("algorithm", message));
    }
    let size = placements(instance);
    if size > MOST_UNLIMITED && !control.limited() {
        let message = format!(
            "brute would try {size:.3e} placements, at most {MOST_UNLIMITED:e} without a limit; give a time limit, or use exact"
        );
        return Err(BadInput::new("algorithm", message));
    }
    let usable = start.filter(|start| violations(instance, start).is_empty()).cloned();
    let best = usable.unwrap_or_else(|| node_first::run(instance, &mut Control::unlimited()).assignment);
    let mut value_left: Vec<f64> = vec![0.0];
    for chain in instance.chains.iter().rev() {
        value_left.push(value_left[value_left.len() - 1] + chain.value);
    }
    value_left.reverse();
    let mut search = Search {
        instance,
        control,
        value_left,
        room: instance.free.clone(),
        current: vec![None; instance.chains.len()],
        best_rank: Rank::of(instance, &best),
        best,
    };
    search.control.found(search.best_rank.score);
    search.chain(0, 0.0);
    let proven = !search.control.stopped();
    Ok(Outcome { bound: proven.then_some(search.best_rank.score), assignment: search.best, proven })
}

/// Depth first over the chains; a branch that cannot reach the best accepted value is cut.
struct Search<'a, 'b, 'c> {
    instance: &'a Instance,
    control: &'b mut Control<'c>,
    value_left: Vec<f64>,
    room: Vec<u32>,
    current: Assignment,
    best: Assignment,
    best_rank: Rank,
}

impl Search<'_, '_, '_> {
    fn chain(&mut self, index: usize, value: f64) {
        let reachable = value + self.value_left[index];
        if self.control.stopped() || (reachable < self.best_rank.value && !close(reachable, self.best_rank.value)) {
            return;
        }
        if index == self.current.len() {
            self.judge();
            return;
        }
        let mut pattern = Pattern::with_capacity(self.instance.chains[index].nfs.len());
        self.nf(index, value, &mut pattern);
        self.current[index] = None;
        self.chain(index + 1, value);
    }

    fn nf(&mut self, index: usize, value: f64, pattern: &mut Pattern) {
        let instance = self.instance;
        let Some(nf) = instance.chains[index].nfs.get(pattern.len()) else {
            self.current[index] = Some(pattern.clone());
            self.chain(index + 1, value + instance.chains[index].value);
            return;
        };
        for &node in instance.allowed(nf) {
            if self.room[node as usize] > 0 {
                self.room[node as usize] -= 1;
                pattern.push(node);
                self.nf(index, value, pattern);
                pattern.pop();
                self.room[node as usize] += 1;
            }
        }
    }

    fn judge(&mut self) {
        if moves(self.instance, &self.current) > self.instance.max_moves {
            return;
        }
        let rank = Rank::of(self.instance, &self.current);
        if rank.beats(&self.best_rank) {
            self.best.clone_from(&self.current);
            self.best_rank = rank;
            self.control.found(rank.score);
        }
        self.control.count(1);
    }
}
