//! sfc2cpu: the core of each of many small VNFs that share cores (Krämer and others). A VNF's load is its cycles a packet
//! times its rate by the clock: the part of a core that it asks for.
//!
//! `problem` (VNFs, chains, cores), `reading` (from JSON), `ideal` (what an assignment serves, Sec. IV-E), `heuristics`
//! (the baselines), `rebalance` (few moves of what stands), `min_max` (the least load of the fullest core, proven),
//! `registry`, `api`.

pub mod api;
pub mod heuristics;
pub mod ideal;
pub mod min_max;
pub mod problem;
pub mod reading;
pub mod rebalance;
pub mod registry;
