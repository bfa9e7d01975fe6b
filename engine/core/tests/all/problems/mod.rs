//! Problems for tests: `build` for worked examples, `any` for properties, `fleets` for many hosts, `harness` for what
//! must hold for any bytes at all (the fuzzer runs it too).

pub mod any;
pub mod build;
pub mod fleets;
pub mod harness;
