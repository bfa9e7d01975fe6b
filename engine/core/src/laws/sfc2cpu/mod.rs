//! sfc2cpu: the core of each of many small VNFs that share cores (Krämer and others). A VNF's load is its cycles a packet
//! times its rate by the clock: the part of a core that it asks for.
//!
//! `problem` (VNFs, chains, cores), `reading` (from JSON), `ideal` (what an assignment serves, Sec. IV-E), `heuristics`
//! (the baselines), `rebalance` (few moves of what stands), `flatten`, `min_max` (the least load of the fullest core, proven),
//! `worth` (what is better), `annealing`, `throughput` (the most packets, proven), `inflation` (loads as a
//! fitted model predicts them), `calibrated` (the most packets by these), `layer`, `network` and `game` (the paper's
//! learned assigner), `weights` (from JSON), `assigning` (by any assigner), `registry`, `api`.

pub mod annealing;
pub mod api;
pub mod assigning;
pub mod calibrated;
pub mod flatten;
pub mod game;
pub mod heuristics;
pub mod ideal;
pub mod inflation;
pub mod layer;
pub mod min_max;
pub mod network;
pub mod problem;
pub mod reading;
pub mod rebalance;
pub mod registry;
pub mod throughput;
pub mod weights;
pub mod worth;
