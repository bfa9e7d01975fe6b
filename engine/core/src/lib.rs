//! Placement of service function chains on the NUMA nodes of a host, and of chains on the hosts of a fleet.
//!
//! Data in, seed in, stopping rule in, result out; no I/O. Read in this order:
//! - `problem` (what is asked, as JSON has it), `json`, `fields`, `reader`, `check` (from text to a problem, strictly;
//!   `error`), `core_id` (names of cores), `instance` (the same by indices);
//! - `roles` (Octans' equations), `model` (them for one placement), `linear` (them as functions of the nodes' sums),
//!   `incremental` (for a placement that changes), `rank` (what is better);
//! - `laws::octans` (the door to the algorithms that choose nodes: `solve`; each is a file or folder; `declaration`), `result`, `control` (when to end);
//! - `acceptance` (the first aim), `bound` (what no placement can beat), `rejections` (why a chain is left out, and what
//!   would help: `seating`, `reseat`, `relax`);
//! - `evaluate` (what a given placement is worth), `explain` (who hurts whom), `alternatives`, `gains`, `frontier` (why
//!   an NF stands where it does, and what moves buy), `report` (all of it for one host);
//! - `curves` (pressure curves out of samples: nothing of a placement), `process` (the third predictor, asked what the
//!   chains of a host carry);
//! - `fleet` (many hosts), `api` (all of it from text to text), `generate` (seeded problems), `guard` (panics as
//!   values), `cpu_time`.

pub mod acceptance;
pub mod alternatives;
pub mod api;
pub mod bound;
pub mod check;
pub mod control;
pub mod core_id;
pub mod cpu_time;
pub mod curves;
pub mod declaration;
pub mod error;
pub mod evaluate;
pub mod explain;
pub mod fields;
pub mod fleet;
pub mod frontier;
pub mod gains;
pub mod generate;
pub mod guard;
pub mod incremental;
pub mod instance;
pub mod json;
pub mod laws;
pub mod linear;
pub mod model;
pub mod problem;
pub mod process;
pub mod rank;
pub mod reader;
pub mod rejections;
pub mod relax;
pub mod report;
pub mod reseat;
pub mod result;
pub mod roles;
pub mod seating;

pub use error::BadInput;

// Tests of what the crate offers stand in tests/all and name it as its users do. They are a part of this crate's own test
// program: beside it, they would want the whole crate compiled a second time.
#[cfg(test)]
extern crate self as sextant_core;
#[cfg(test)]
#[path = "../tests/all/main.rs"]
mod tests;
