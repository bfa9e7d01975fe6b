//! Placement of service function chains on the NUMA nodes of a host, and of chains on the hosts of a fleet.
//!
//! Data in, seed in, stopping rule in, result out; no I/O. Read in this order:
//! `problem` (what is asked, as JSON has it), `instance` (the same by indices), `model` (Octans' throughput model),
//! `rank` (what is better), `solve` (the door to all algorithms), `algorithms` (one a file), `fleet` (many hosts).

pub mod algorithms;
pub mod bound;
pub mod control;
pub mod error;
pub mod generate;
pub mod incremental;
pub mod instance;
pub mod linear;
pub mod model;
pub mod problem;
pub mod rank;
pub mod result;
pub mod solve;

pub use error::BadInput;
