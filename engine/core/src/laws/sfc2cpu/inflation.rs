//! What VNFs cost beside others, by a model that was fitted on what ran (`sextant_engine.modelling.inflation`).
//!
//! cycles beside = cycles alone x (1 + the sum over the others of coefficient x weight) + hand-offs. The coefficient is
//! that of the two kinds, on the same core or on another one of the socket: sensitivity of the one, aggressiveness of
//! the other. The weight is the other's load alone, or 1. A hand-off costs cycles by the distance to the neighbour.

use crate::error::BadInput;
use crate::fields::{At, Object};
use crate::laws::sfc2cpu::problem::{Problem, Traffic};

/// Most kinds of a model.
pub const MAX_KINDS: usize = 128;
const MAX_COEFFICIENT: f64 = 1e12;

/// By kinds, of which the last is any that the model does not know.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Those that it knows.
    pub kinds: Vec<String>,
    /// By kind, and kind of the other on the same core.
    pub core: Vec<Vec<f64>>,
    /// The same, of another core of the socket.
    pub socket: Vec<Vec<f64>>,
    /// Others weigh by their load; else each weighs 1.
    pub by_load: bool,
    /// Cycles of a packet from another core of the socket, from another socket, to these.
    pub hand_off: [f64; 4],
    /// Losses upstream unload what comes after.
    pub extended: bool,
}

/// The keys of hand-offs.
const HAND_OFFS: [&str; 4] = ["from_socket", "from_remote", "to_socket", "to_remote"];

impl Model {
    /// Out of JSON.
    pub fn read(at: At) -> Result<Self, BadInput> {
        let object = at.object(&["kinds", "core", "socket", "weight", "hand_off", "served", "errors"])?;
        let kinds = object.required("kinds", |at| at.list(0..=MAX_KINDS, |at| at.id()))?;
        let table = |key: &str| {
            let length = kinds.len() + 1..=kinds.len() + 1;
            let row = |at: At| at.list(length.clone(), |at| at.number(0.0..=MAX_COEFFICIENT));
            object.required(key, |at| at.list(length.clone(), row))
        };
        let hand_off = |object: &Object| {
            let mut cycles = [0.0; 4];
            for (cycles, key) in cycles.iter_mut().zip(HAND_OFFS) {
                *cycles = object.required(key, |at| at.number(0.0..=MAX_COEFFICIENT))?;
            }
            Ok(cycles)
        };
        Ok(Self {
            core: table("core")?,
            socket: table("socket")?,
            by_load: object.required("weight", |at| one_of(&at, ["load", "presence"]))?,
            hand_off: object.required("hand_off", |at| hand_off(&at.object(&HAND_OFFS)?))?,
            extended: object.required("served", |at| one_of(&at, ["extended", "literal"]))?,
            kinds,
        })
    }

    /// By VNF; one of a kind that is not known is the last. A VNF whose kind is not said may be a kind by its index.
    fn kinds_of(&self, traffic: &Traffic) -> Vec<usize> {
        let index = |(vnf, kind): (usize, &Option<String>)| {
            let own = format!("#{vnf}");
            let kind = kind.as_ref().unwrap_or(&own);
            self.kinds.iter().position(|known| known == kind).unwrap_or(self.kinds.len())
        };
        traffic.kinds.iter().enumerate().map(index).collect()
    }

    /// Kinds that it does not know, each once.
    pub fn unknown(&self, traffic: &Traffic) -> Vec<String> {
        let mut found: Vec<String> =
            traffic.kinds.iter().flatten().filter(|kind| !self.kinds.contains(kind)).cloned().collect();
        found.sort();
        found.dedup();
        found
    }
}

fn one_of(at: &At, [yes, no]: [&str; 2]) -> Result<bool, BadInput> {
    match at.text()? {
        text if text == yes => Ok(true),
        text if text == no => Ok(false),
        text => Err(at.refuse(format!("'{text}' is neither {yes} nor {no}"))),
    }
}

/// A model applied to a problem: loads of any assignment.
pub struct Predictor<'a> {
    problem: &'a Problem,
    /// By VNF and other: what the other adds to its load on the same core, and on the socket.
    core: Vec<f64>,
    socket: Vec<f64>,
    /// By VNF: its neighbours in the chain, before and after.
    neighbours: Vec<[Option<usize>; 2]>,
    /// Load that hand-offs add, as `Model::hand_off` has them, by VNF.
    hand_off: Vec<[f64; 4]>,
    loads: Vec<f64>,
}

impl<'a> Predictor<'a> {
    /// Of VNFs of these kinds.
    pub fn new(problem: &'a Problem, traffic: &Traffic, model: &Model) -> Self {
        let kinds = model.kinds_of(traffic);
        let vnfs = kinds.len();
        let weight = |vnf: usize| if model.by_load { problem.loads[vnf] } else { 1.0 };
        let added = |table: &Vec<Vec<f64>>| {
            let by = |one: usize, other: usize| {
                if one == other { 0.0 } else { problem.loads[one] * table[kinds[one]][kinds[other]] * weight(other) }
            };
            (0..vnfs * vnfs).map(|index| by(index / vnfs, index % vnfs)).collect()
        };
        let mut neighbours = vec![[None; 2]; vnfs];
        for pair in traffic.chains.iter().flat_map(|chain| chain.windows(2)) {
            neighbours[pair[1]][0] = Some(pair[0]);
            neighbours[pair[0]][1] = Some(pair[1]);
        }
        let hand_off = traffic.rates.iter().map(|rate| model.hand_off.map(|cycles| cycles * rate / traffic.clock_hz));
        Self {
            core: added(&model.core),
            socket: added(&model.socket),
            neighbours,
            hand_off: hand_off.collect(),
            loads: vec![0.0; vnfs],
            problem,
        }
    }

    /// Of each VNF.
    pub fn loads(&mut self, assignment: &[usize]) -> &[f64] {
        let vnfs = assignment.len();
        for one in 0..vnfs {
            let (here, row) = (assignment[one], one * vnfs..(one + 1) * vnfs);
            let home = self.problem.cores[here].socket;
            let mut load = self.problem.loads[one];
            for ((&at, core), socket) in assignment.iter().zip(&self.core[row.clone()]).zip(&self.socket[row]) {
                if at == here {
                    load += core;
                } else if self.problem.cores[at].socket == home {
                    load += socket;
                }
            }
            for (side, neighbour) in self.neighbours[one].iter().enumerate() {
                let Some(at) = neighbour.map(|vnf| assignment[vnf]).filter(|at| *at != here) else { continue };
                load += self.hand_off[one][2 * side + usize::from(self.problem.cores[at].socket != home)];
            }
            self.loads[one] = load;
        }
        &self.loads
    }
}
