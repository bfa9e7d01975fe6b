//! CoCo's ways of placing, declared once.

use super::reading::MAX_OF;
use crate::declaration::{Bound, Declaration, Places};
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

const SIZE: Bound = Bound { most: MAX_OF as u64, of: "NFs, or cores, of a host", beyond: "refused" };

/// Those that a plan may be asked to place by, on hosts whose cores are shared.
pub const DECLARATIONS: [Declaration<Algorithm>; 2] = [
    Declaration {
        algorithm: Algorithm::Exact,
        law: "coco",
        name: "coco",
        summary: "CoCo: the fewest packets from core to core where NFs share cores, proven",
        since: "0.1.0",
        places: Places::Cores,
        exact: true,
        offered: true,
        races: false,
        bounds: &[SIZE],
    },
    Declaration {
        algorithm: Algorithm::Greedy,
        law: "coco",
        name: "coco_greedy",
        summary: "baseline of CoCo: what waits, chain by chain, on the first shared core with room",
        since: "0.1.0",
        places: Places::Cores,
        exact: false,
        offered: true,
        races: false,
        bounds: &[SIZE],
    },
];

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
