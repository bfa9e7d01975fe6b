//! NUMASFP: which node each chain stands on, and how many cache ways and how much memory bandwidth it is granted, as
//! rates change. A chain stands on one node as a whole; its NFs share one group of ways and one class of bandwidth.
//!
//! `table` (what a chain needs for a rate), `problem` (a host, from JSON), `granting` (the paper's
//! `resource_adjustment`), `literal` (Algorithms 1 and 2), `exact` (the optimum of one interval), `relaxing` (its stronger bound), `baselines`,
//! `clairvoyant` (the bound that no law passes), `run` (interval after interval), `registry`, `api`.
//!
//! The sum of bandwidth over a node is an abstraction that admits chains: the hardware throttles each core by itself.

pub mod api;
pub mod baselines;
pub mod clairvoyant;
pub mod exact;
pub mod granting;
pub mod knapsack;
pub mod literal;
pub mod problem;
pub mod registry;
pub mod relaxing;
pub mod run;
pub mod table;
