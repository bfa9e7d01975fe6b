//! The algorithms that place NFs on nodes, declared once.

use super::Algorithm;
use super::brute::MOST_UNLIMITED;
use super::exact::{MOST_CHAINS, MOST_OPTIONS};
use super::starts::MOST_NFS;
use crate::declaration::{Bound, Declaration, Places};

const UNLIMITED: Bound =
    Bound { most: MOST_UNLIMITED as u64, of: "placements without a limit of time or evaluations", beyond: "refused" };
const NFS: Bound = Bound { most: MOST_NFS as u64, of: "NFs", beyond: "refused" };

/// All of them, in the order in which they are offered: the best first.
pub const DECLARATIONS: [Declaration<Algorithm>; 7] = [
    Declaration {
        algorithm: Algorithm::Exact,
        law: "octans",
        name: "exact",
        summary: "branch and bound: proves the optimum of what is predicted",
        since: "0.1.0",
        places: Places::Nodes,
        exact: true,
        offered: true,
        races: true,
        bounds: &[
            Bound { most: MOST_CHAINS as u64, of: "chains", beyond: "searched by anytime" },
            Bound {
                most: MOST_OPTIONS as u64,
                of: "ways to place the chains one by one",
                beyond: "searched by anytime",
            },
        ],
    },
    Declaration {
        algorithm: Algorithm::Anytime,
        law: "octans",
        name: "anytime",
        summary: "simulated annealing with a certified bound of how far the best may be off",
        since: "0.1.0",
        places: Places::Nodes,
        exact: false,
        offered: true,
        races: true,
        bounds: &[],
    },
    Declaration {
        algorithm: Algorithm::Octans,
        law: "octans",
        name: "octans",
        summary: "Algorithm 1 of the Octans paper to the letter; refuses what the paper does not know",
        since: "0.1.0",
        places: Places::Nodes,
        exact: false,
        offered: true,
        races: false,
        bounds: &[NFS, UNLIMITED],
    },
    Declaration {
        algorithm: Algorithm::OctansExtended,
        law: "octans",
        name: "octans_extended",
        summary: "Octans with the cost of moves, pinned NFs, occupied cores and several ingress nodes",
        since: "0.1.0",
        places: Places::Nodes,
        exact: false,
        offered: true,
        races: true,
        bounds: &[NFS, UNLIMITED],
    },
    Declaration {
        algorithm: Algorithm::Brute,
        law: "octans",
        name: "brute",
        summary: "tries every placement: the reference in tests of the others",
        since: "0.1.0",
        places: Places::Nodes,
        exact: true,
        offered: false,
        races: false,
        bounds: &[UNLIMITED],
    },
    Declaration {
        algorithm: Algorithm::NodeFirst,
        law: "octans",
        name: "node_first",
        summary: "baseline: fills one node after another, the local one first",
        since: "0.1.0",
        places: Places::Nodes,
        exact: false,
        offered: true,
        races: true,
        bounds: &[],
    },
    Declaration {
        algorithm: Algorithm::NodeBalance,
        law: "octans",
        name: "node_balance",
        summary: "baseline: spreads NFs evenly over the nodes",
        since: "0.1.0",
        places: Places::Nodes,
        exact: false,
        offered: true,
        races: true,
        bounds: &[],
    },
];
