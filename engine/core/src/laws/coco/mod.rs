//! CoCo: which elements (small NFs) share a core, so that as few packets as can be change cores, and what to move when one
//! of them grows (Meng and others, ICC 2018). An element stands on one core as a whole; an element of several chains is
//! one element, and takes its share of a core once, at its summed rate.
//!
//! `problem` (elements, cores, distances), `reading` (from JSON), `exact` (depth first, with a bound), `runs` (that bound
//! chain by chain), `local_search` (its start), `baselines` (first fit, random), `split` (lanes for what is larger than a
//! core), `registry`, `api`.

pub mod api;
pub mod baselines;
pub mod exact;
pub mod local_search;
pub mod problem;
pub mod reading;
pub mod registry;
mod runs;
pub mod split;
