//! Exhaustive search: every way to accept or reject and to seat every NF. The reference for small problems, so it
//! shares no trick with the others: each complete placement is judged from scratch.

use crate::control::Control;
use crate::error::BadInput;
use crate::instance::{Assignment, Instance, Pattern};
use crate::laws::octans::{Outcome, node_first};
use crate::rank::{Rank, close, moves, violations};

/// Placements that are tried without a limit of time or evaluations: about a minute.
pub const MOST_UNLIMITED: f64 = 1e8;

/// How many combinations there are, infeasible ones included: the product over chains of patterns + 1.
pub fn placements(instance: &Instance) -> f64 {
    let patterns = |chain: &crate::instance::Chain| -> f64 {
        chain.nfs.iter().map(|nf| instance.allowed(nf).len() as f64).product()
    };
    instance.chains.iter().map(|chain| patterns(chain) + 1.0).product()
}

/// Best of all, or best so far when `control` says so. Refuses more than `MOST_UNLIMITED` placements without a limit.
pub fn run(instance: &Instance, control: &mut Control, start: Option<&Assignment>) -> Result<Outcome, BadInput> {
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
        value: vec![0.0; instance.chains.len() + 1],
        room: instance.free.clone(),
        current: vec![None; instance.chains.len()],
        best_rank: Rank::of(instance, &best),
        best,
    };
    search.control.found(search.best_rank.score);
    search.run();
    let proven = !search.control.stopped();
    let bound = proven.then_some(search.best_rank.score);
    Ok(Outcome { bound, proven, ..Outcome::found(search.best) })
}

/// Depth first over the chains; a branch that cannot reach the best accepted value is cut. No recursion: a problem may
/// have more NFs than a thread's stack has room for.
struct Search<'a, 'b, 'c> {
    instance: &'a Instance,
    control: &'b mut Control<'c>,
    value_left: Vec<f64>,
    value: Vec<f64>, // accepted before each chain
    room: Vec<u32>,
    current: Assignment,
    best: Assignment,
    best_rank: Rank,
}

impl Search<'_, '_, '_> {
    fn run(&mut self) {
        let mut index = 0; // the chain to decide; those before it are decided
        loop {
            let open = self.worth_it(index) && index < self.current.len();
            if open {
                self.current[index] = Some(Pattern::new());
            } else if index == self.current.len() && self.worth_it(index) {
                self.accept_leaf();
            }
            // The next way for the chain that was opened, or for the last one before that is not rejected already.
            if !open {
                while index > 0 && self.current[index - 1].is_none() {
                    index -= 1;
                }
                if index == 0 {
                    return;
                }
                index -= 1;
            }
            if self.control.stopped() {
                return;
            }
            let seated = self.next_pattern(index);
            let gained = if seated { self.instance.chains[index].value } else { 0.0 };
            self.value[index + 1] = self.value[index] + gained;
            index += 1;
        }
    }

    fn worth_it(&self, index: usize) -> bool {
        let reachable = self.value[index] + self.value_left[index];
        reachable >= self.best_rank.value || close(reachable, self.best_rank.value)
    }

    /// Seat a chain the next way, in the order of its nodes, from its present, perhaps empty pattern. False: there is
    /// no other, and it counts as rejected. A dead end counts as an evaluation, so that a limit ends it too.
    fn next_pattern(&mut self, index: usize) -> bool {
        let instance = self.instance;
        let mut pattern = self.current[index].take().unwrap_or_default();
        let mut least = self.take_back(&mut pattern).map_or(0, |node| node + 1);
        while let Some(nf) = instance.chains[index].nfs.get(pattern.len()) {
            let mut others = instance.allowed(nf).iter().copied().filter(|&node| node >= least);
            if let Some(node) = others.find(|&node| self.room[node as usize] > 0) {
                self.room[node as usize] -= 1;
                pattern.push(node);
                least = 0;
                continue;
            }
            if least == 0 && self.control.count(1) {
                while self.take_back(&mut pattern).is_some() {}
            }
            let Some(node) = self.take_back(&mut pattern) else { return false };
            least = node + 1;
        }
        self.current[index] = Some(pattern);
        true
    }

    /// Free the core of a pattern's last NF.
    fn take_back(&mut self, pattern: &mut Pattern) -> Option<u16> {
        let node = pattern.pop()?;
        self.room[node as usize] += 1;
        Some(node)
    }

    fn accept_leaf(&mut self) {
        self.control.count(1);
        if moves(self.instance, &self.current) > self.instance.max_moves {
            return;
        }
        let rank = Rank::of(self.instance, &self.current);
        if rank.beats(&self.best_rank) {
            self.best.clone_from(&self.current);
            self.best_rank = rank;
            self.control.found(rank.score);
        }
    }
}
