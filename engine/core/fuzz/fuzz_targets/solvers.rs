//! Any bytes make a small valid problem, on which every algorithm keeps the rules.
#![no_main]

#[allow(dead_code)] // the other target uses the rest
#[path = "../../tests/all/problems/harness.rs"]
mod harness;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness::solvers(&harness::problem_from(bytes), 2000));
