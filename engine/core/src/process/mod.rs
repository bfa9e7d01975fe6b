//! A Gaussian process over what others bring to bear on an NF, evaluated: what Python's `modelling.process` states.
//!
//! ```text
//! drop(x) = sum over samples i of weight_i k(x, x_i),   weights = K^-1 drops
//! variance(x) = k(x, x) - k(x)' K^-1 k(x)
//! ```
//!
//! k is a bend (Matérn of the order 3/2, given that no load costs nothing), a straight line, and a level of roles behind
//! another NF. Stored are samples, of which there are some 60 an NF type: weights and factor follow from them in less
//! time than reading these would take, and cannot contradict them.
//!
//! Read in this order: `shape` (how alike two loads are), `cholesky`, `fitted` (an NF type's samples and what follows
//! from them), `known` (all NF types of a fit, checked), `loads` (what chains at given rates bring to bear), `host` (what
//! every NF has room for, and rates at rest).

pub mod cholesky;
pub mod fitted;
pub mod host;
pub mod known;
pub mod loads;
pub mod shape;

pub use fitted::{Fitted, Sample};
pub use host::{Room, at_rest};
pub use known::{Known, NfType};
pub use loads::{FedChain, Standing};
pub use shape::{LOADS, Load, Role, Shape};
