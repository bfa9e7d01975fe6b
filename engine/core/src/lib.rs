//! Placement of service function chains on the NUMA nodes of a host, and of chains on the hosts of a fleet.
//!
//! Data in, seed in, stopping rule in, result out; no I/O. Read in this order:
//! `problem` (what is asked, as JSON has it), `json`, `fields`, `reader` and `check` (from text, strictly), `instance`
//! (the same by indices), `model` (Octans' throughput model), `rank` (what is better), `solve` (the door to all
//! algorithms), `algorithms` (one a file), `seating`, `reseat`, `relax` and `rejections` (why a chain is left out, and
//! what would help), `evaluate` (what a given placement is worth), `api` (all of it from text to text), `fleet` (many
//! hosts).

pub mod algorithms;
pub mod api;
pub mod check;
pub mod control;
pub mod error;
pub mod evaluate;
pub mod fields;
pub mod generate;
pub mod instance;
pub mod json;
pub mod model;
pub mod problem;
pub mod rank;
pub mod reader;
pub mod rejections;
pub mod relax;
pub mod reseat;
pub mod result;
pub mod seating;
pub mod solve;

pub use error::BadInput;
