//! What is to be assigned: VNFs that ask for parts of cores.

pub use crate::core_id::CoreId;
use crate::laws::sfc2cpu::ideal::Demand;

/// Rounding of sums of loads: a core that is full by less than this too much is full.
pub const ROUNDING: f64 = 1e-9;

/// A core of capacity 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Core {
    /// Its name.
    pub id: CoreId,
    /// The socket that it belongs to, counted from 0.
    pub socket: usize,
}

/// What the loads come from; by VNF but for chains and clock.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    /// Of a packet.
    pub cycles: Vec<f64>,
    /// Packets a second.
    pub rates: Vec<f64>,
    /// What sort of VNF it is; None: not said.
    pub kinds: Vec<Option<String>>,
    /// VNFs by index, in the order in which packets pass. Each VNF is in one of them.
    pub chains: Vec<Vec<usize>>,
    /// Cycles a second of a core.
    pub clock_hz: f64,
}

impl Traffic {
    /// Packets a second that come to a chain: to its first VNF.
    pub fn offered(&self, chain: &[usize]) -> f64 {
        self.rates[chain[0]]
    }
}

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Part of a core that each VNF asks for.
    pub loads: Vec<f64>,
    /// None: loads are all that is known.
    pub traffic: Option<Traffic>,
    /// Cores, one at least.
    pub cores: Vec<Core>,
    /// Part of a core's time that is left by switches (Sec. IV-E).
    pub gamma: f64,
    /// How many VNFs each core takes; what stands there already counts.
    pub slots: Vec<usize>,
    /// The core of each VNF that stands already; None: it is new.
    pub placed: Vec<Option<usize>>,
    /// Of those that stand, which do not move, however many may.
    pub stays: Vec<bool>,
    /// How many of those that stand may move; none does unless this is given.
    pub max_moves: usize,
}

/// The core of each VNF.
pub type Assignment = Vec<usize>;

impl Problem {
    /// For the ideal model.
    pub fn demand(&self) -> Demand<'_> {
        Demand { loads: &self.loads, cores: self.cores.len(), gamma: self.gamma }
    }

    /// What the cores are asked for.
    pub fn core_loads(&self, assignment: &[usize]) -> Vec<f64> {
        let mut loads = vec![0.0; self.cores.len()];
        assignment.iter().zip(&self.loads).for_each(|(&core, load)| loads[core] += load);
        loads
    }

    /// What the cores are asked for by VNFs that stand already.
    pub fn standing_loads(&self) -> Vec<f64> {
        let mut loads = vec![0.0; self.cores.len()];
        for (core, load) in self.placed.iter().zip(&self.loads) {
            if let Some(core) = core {
                loads[*core] += load;
            }
        }
        loads
    }

    /// VNFs that stand elsewhere than before.
    pub fn moves(&self, assignment: &[usize]) -> usize {
        self.placed.iter().zip(assignment).filter(|(before, after)| before.is_some_and(|core| core != **after)).count()
    }

    /// May it be assigned, where so many moves are allowed?
    pub fn is_open(&self, vnf: usize, allowed: usize) -> bool {
        self.placed[vnf].is_none() || (allowed > 0 && !self.stays[vnf])
    }

    /// What the cores are asked for by VNFs that may not be assigned.
    pub fn fixed_loads(&self, allowed: usize) -> Vec<f64> {
        let mut loads = vec![0.0; self.cores.len()];
        for (vnf, core) in self.placed.iter().enumerate() {
            if let Some(core) = core.filter(|_| !self.is_open(vnf, allowed)) {
                loads[core] += self.loads[vnf];
            }
        }
        loads
    }

    /// Does any core take fewer VNFs than there are?
    pub fn is_limited(&self) -> bool {
        self.slots.iter().any(|slots| *slots < self.loads.len())
    }

    /// Slots of each core that nobody has.
    pub fn room(&self, taken: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut room = self.slots.clone();
        taken.for_each(|core| room[core] = room[core].saturating_sub(1));
        room
    }

    /// Is it within slots and moves, and does what stays stay?
    pub fn allows(&self, assignment: &[usize]) -> bool {
        let mut moves = 0;
        for (vnf, (before, after)) in self.placed.iter().zip(assignment).enumerate() {
            if before.is_some_and(|core| core != *after) {
                moves += 1;
                if moves > self.max_moves || self.stays[vnf] {
                    return false;
                }
            }
        }
        !self.is_limited() || self.within_slots(assignment)
    }

    fn within_slots(&self, assignment: &[usize]) -> bool {
        let mut room = self.slots.clone();
        assignment.iter().all(|&core| {
            let free = room[core] > 0;
            room[core] = room[core].saturating_sub(1);
            free
        })
    }

    /// VNFs that are new, in the order in which they came.
    pub fn newcomers(&self) -> Vec<usize> {
        (0..self.loads.len()).filter(|&vnf| self.placed[vnf].is_none()).collect()
    }

    /// By falling load; of equal ones the earliest first.
    pub fn falling(&self, vnfs: &mut [usize]) {
        vnfs.sort_by(|&one, &other| self.loads[other].total_cmp(&self.loads[one]));
    }
}

/// The lowest core of the least load; where that is infinite, the first.
pub fn least_loaded(loads: &[f64]) -> usize {
    let mut least = 0;
    for core in 1..loads.len() {
        if loads[core] < loads[least] {
            least = core;
        }
    }
    least
}

/// Of the fullest core.
pub fn greatest(loads: &[f64]) -> f64 {
    loads.iter().copied().fold(0.0, f64::max)
}
