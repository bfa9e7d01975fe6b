//! Problems for tests: `build` for worked examples, `any` for properties, `fleets` for many hosts, `harness` for what
//! must hold for any bytes at all (the fuzzer runs it too).
#![allow(dead_code, reason = "each test file is a crate of its own and uses a part")]

pub mod any;
pub mod build;
pub mod fleets;
pub mod harness;
