//! What a NUMA host does with the NFs on it (docs/twin-model.md, whose sections and equations the comments name).
//!
//! Data in, result out; no I/O, no clock. Read in this order:
//! - `machine`, `nf`, `setting` (what is given, as JSON has it), `reader`, `check` (from text to these, strictly;
//!   `error`), `outcome` (what comes out);
//! - the steady state: `stream`, `cache`, `sets`, `linear` (sections 1 and 2), `memory`, `relax` (3), `handoff`, `packets` (2 and 4), `pool`,
//!   `circulation` (2), `cost`,
//!   `core_share`, `siblings` (5), `flow`, `queue`, `watermarks`, `held_rings` (6), `state`, `layout` (the setting by indices), `steady` (the fixed point), `report` (its
//!   outcome), `api` (from text to text), `guard` (panics as values), `examples`;
//! - in time: `traffic`, `dice` (when packets come), `line`, `life`, `latency`, `histogram` (a chain's rings and NFs), `settle`
//!   (both from the steady state), `step` (the clock), `order`, `faults`, `actuation`, `agenda`, `change` (what happens, and
//!   when), `counters`, `host_report` (what is reported), `fleet` (many hosts);

pub mod access;
pub mod actuation;
pub mod agenda;
pub mod api;
pub mod cache;
pub mod change;
pub mod check;
pub mod circulation;
pub mod core_share;
pub mod cost;
pub mod counters;
pub mod dice;
pub mod error;
pub mod examples;
pub mod faults;
pub mod fleet;
pub mod flow;
pub mod guard;
pub mod handoff;
pub mod held_rings;
pub mod histogram;
pub mod host_report;
pub mod latency;
pub mod layout;
pub mod life;
pub mod line;
pub mod linear;
pub mod machine;
pub mod memory;
pub mod nf;
pub mod order;
pub mod outcome;
pub mod packets;
pub mod pool;
pub mod queue;
pub mod reader;
pub mod relax;
pub mod report;
pub mod sets;
pub mod setting;
pub mod settle;
pub mod siblings;
pub mod state;
pub mod steady;
pub mod step;
pub mod stream;
pub mod traffic;
pub mod watermarks;
pub mod way;

pub use error::BadInput;

// Tests of what the crate offers stand in tests/all and name it as its users do. They are a part of this crate's own test
// program: beside it, they would want the whole crate compiled a second time.
#[cfg(test)]
extern crate self as sextant_twin_core;
#[cfg(test)]
#[path = "../tests/all/main.rs"]
mod tests;
