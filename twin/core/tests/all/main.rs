//! All tests of what the crate offers, a module of its test program: compiled and linked once.

mod common;
mod held_rings;
mod laws;
mod monotone;
mod siblings;
mod time;
mod time_properties;
