//! What a NUMA host does with the NFs on it (docs/twin-model.md, whose sections and equations the comments name).
//!
//! Data in, result out; no I/O, no clock. Read in this order:
//! - `machine`, `nf`, `setting` (what is given, as JSON has it), `reader`, `check` (from text to these, strictly;
//!   `error`), `outcome` (what comes out);

pub mod actuation;
pub mod cache;
pub mod check;
pub mod counters;
pub mod dice;
pub mod error;
pub mod faults;
pub mod guard;
pub mod histogram;
pub mod linear;
pub mod machine;
pub mod nf;
pub mod order;
pub mod outcome;
pub mod reader;
pub mod setting;
pub mod traffic;

pub use error::BadInput;
