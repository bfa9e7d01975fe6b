//! All tests of what the crate offers, a module of its test program: compiled and linked once.

mod acceptance;
mod anytime;
mod bound;
mod curves;
mod evaluate;
mod exact;
mod explain;
mod fleet;
mod fleet_apart;
mod fleet_properties;
mod frontier;
mod guard;
mod hostile;
mod incremental;
mod model;
mod numasfp;
mod octans;
mod problems;
mod process;
mod reader;
mod registry;
mod rejections;
mod relax;
mod sfc2cpu;
