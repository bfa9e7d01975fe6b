//! What is to be placed: elements with hops between them, on cores.

pub use crate::core_id::CoreId;

/// Rounding of sums of shares: a core that is full by less than this too much is full.
pub const ROUNDING: f64 = 1e-9;

/// What may stand on a core.
#[derive(Debug, Clone, PartialEq)]
pub struct Core {
    /// Its name.
    pub id: CoreId,
    /// The NUMA node that it belongs to, counted from 0.
    pub node: usize,
    /// Share of its time that elements may take.
    pub room: f64,
    /// How many NFs may stand there.
    pub slots: usize,
}

/// Elements, in chains.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// By index, in the order in which packets pass.
    pub elements: Vec<usize>,
    /// CoCo's theta.
    pub rate: f64,
}

/// Extra delay of handing a packet on (CoCo's `t_d`), by distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// To an element on the same core.
    pub same_core: f64,
    /// To another core of the same node.
    pub same_node: f64,
    /// To another node.
    pub other_node: f64,
}

/// What moving elements costs; without it they are placed for the first time.
#[derive(Debug, Clone, PartialEq)]
pub struct Homes {
    /// The core of each element now; None: it is new, and stands nowhere.
    pub at: Vec<Option<usize>>,
    /// NFs of each element that stand there; more of it may be new.
    pub nfs: Vec<usize>,
    /// In delayed bytes, of one NF that moves.
    pub price: f64,
    /// Elements that must not move.
    pub stays: Vec<bool>,
}

/// A question: the least delayed bytes, and price times moves where elements stand already.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Of the elements.
    pub names: Vec<String>,
    /// CoCo's f at the element's summed rate: share of a core.
    pub cpu: Vec<f64>,
    /// NFs that each element is, one for each of its chains that runs it as a process of its own: slots that it takes.
    pub nfs: Vec<usize>,
    /// Chains.
    pub chains: Vec<Chain>,
    /// Cores.
    pub cores: Vec<Core>,
    /// Delays.
    pub distances: Distances,
    /// Where elements stand now.
    pub homes: Option<Homes>,
}

/// The core of each element.
pub type Placement = Vec<usize>;

impl Problem {
    /// Delay of a hop from core to core.
    #[inline]
    pub fn distance(&self, from: usize, to: usize) -> f64 {
        if from == to {
            self.distances.same_core
        } else if self.cores[from].node == self.cores[to].node {
            self.distances.same_node
        } else {
            self.distances.other_node
        }
    }

    /// Eq. 3: over chains and hops the rate times the delay of the hop.
    pub fn delayed_bytes(&self, placement: &[usize]) -> f64 {
        let hop = |chain: &Chain, pair: &[usize]| chain.rate * self.distance(placement[pair[0]], placement[pair[1]]);
        self.chains.iter().map(|chain| chain.elements.windows(2).map(|pair| hop(chain, pair)).sum::<f64>()).sum()
    }

    /// NFs that would stand elsewhere than now.
    pub fn moves(&self, placement: &[usize]) -> usize {
        let elsewhere = |homes: &Homes, one: usize| homes.at[one].is_some_and(|from| from != placement[one]);
        let moved =
            |homes: &Homes| (0..placement.len()).filter(|&one| elsewhere(homes, one)).map(|one| homes.nfs[one]).sum();
        self.homes.as_ref().map_or(0, moved)
    }

    /// What is minimised.
    pub fn cost(&self, placement: &[usize]) -> f64 {
        let price = self.homes.as_ref().map_or(0.0, |homes| homes.price);
        self.delayed_bytes(placement) + price * self.moves(placement) as f64
    }

    /// What it costs that an element stands on a core, whatever the others do; infinite: it must not.
    pub fn alone(&self, element: usize, core: usize) -> f64 {
        match &self.homes {
            Some(homes) if homes.at[element].is_some_and(|home| home != core) => {
                if homes.stays[element] {
                    f64::INFINITY
                } else {
                    homes.price * homes.nfs[element] as f64
                }
            }
            _ => 0.0,
        }
    }

    /// By element, its neighbours in chains and the rate between, hops of several chains added up.
    pub fn adjacency(&self) -> Vec<Vec<(usize, f64)>> {
        let mut found: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.cpu.len()];
        for chain in &self.chains {
            for pair in chain.elements.windows(2) {
                for (one, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                    match found[one].iter_mut().find(|(known, _)| *known == other) {
                        Some((_, rate)) => *rate += chain.rate,
                        None => found[one].push((other, chain.rate)),
                    }
                }
            }
        }
        found
    }

    /// Elements in the order of the input's chains, each once.
    pub fn in_chain_order(&self) -> Vec<usize> {
        let mut seen = vec![false; self.cpu.len()];
        let all = self.chains.iter().flat_map(|chain| chain.elements.iter().copied());
        all.filter(|&element| !std::mem::replace(&mut seen[element], true)).collect()
    }
}

/// What stands on cores while elements are placed.
#[derive(Debug, Clone)]
pub struct Loads {
    /// Share that is left.
    pub room: Vec<f64>,
    /// Slots that are left.
    pub slots: Vec<usize>,
}

impl Loads {
    /// Nothing is placed.
    pub fn empty(problem: &Problem) -> Self {
        Self {
            room: problem.cores.iter().map(|core| core.room).collect(),
            slots: problem.cores.iter().map(|core| core.slots).collect(),
        }
    }

    /// After a placement.
    pub fn of(problem: &Problem, placement: &[usize]) -> Self {
        let mut loads = Self::empty(problem);
        for (element, &core) in placement.iter().enumerate() {
            loads.take(core, problem.cpu[element], problem.nfs[element]);
        }
        loads
    }

    /// May an element of that share, and of so many NFs, come here?
    #[inline]
    pub fn fits(&self, core: usize, cpu: f64, nfs: usize) -> bool {
        self.slots[core] >= nfs && cpu <= self.room[core] + ROUNDING
    }

    /// It comes.
    #[inline]
    pub fn take(&mut self, core: usize, cpu: f64, nfs: usize) {
        self.room[core] -= cpu;
        self.slots[core] = self.slots[core].saturating_sub(nfs);
    }

    /// It goes.
    #[inline]
    pub fn give(&mut self, core: usize, cpu: f64, nfs: usize) {
        self.room[core] += cpu;
        self.slots[core] += nfs;
    }
}
