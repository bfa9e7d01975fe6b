//! Any bytes are read as a problem, or refused with a short error that names a field.
#![no_main]

#[allow(dead_code)] // the other target uses the rest
#[path = "../../tests/all/problems/harness.rs"]
mod harness;

libfuzzer_sys::fuzz_target!(|raw: &[u8]| harness::reader(raw));
