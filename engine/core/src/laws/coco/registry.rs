//! CoCo's ways of placing, declared once.

use crate::error::BadInput;

/// What places elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// The least delayed bytes, proven.
    Exact,
    /// First fit, chain by chain.
    Greedy,
    /// Any core with room.
    Random,
}

/// Their names in JSON.
pub const ALGORITHMS: [(&str, Algorithm); 3] =
    [("exact", Algorithm::Exact), ("greedy", Algorithm::Greedy), ("random", Algorithm::Random)];

impl Algorithm {
    /// The algorithm of a name.
    pub fn named(name: &str) -> Result<Self, BadInput> {
        ALGORITHMS.iter().find(|(known, _)| *known == name).map(|(_, algorithm)| *algorithm).ok_or_else(|| {
            BadInput::new(
                "algorithm",
                format!("'{name}' is not one of {}", ALGORITHMS.map(|(known, _)| known).join(", ")),
            )
        })
    }
}
