//! All tests of the twin as one program: linked once, and what they share is compiled once.

mod common;
mod laws;
mod monotone;
mod siblings;
mod time;
mod time_properties;
