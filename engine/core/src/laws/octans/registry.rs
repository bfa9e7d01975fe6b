//! The algorithms that there are, declared once. Python's enum, the API, the command line, the console and the docs are
//! written from this table or compared with it (docs/decisions/0054).

use serde::Serialize;

use super::Algorithm;
use super::brute::MOST_UNLIMITED;
use super::exact::{MOST_CHAINS, MOST_OPTIONS};
use super::starts::MOST_NFS;

/// What is declared about an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Declaration {
    /// Its variant.
    #[serde(skip)]
    pub algorithm: Algorithm,
    /// In JSON, in the API and on the command line.
    pub name: &'static str,
    /// One line for an operator, without a full stop.
    pub summary: &'static str,
    /// The first version of the API that has it.
    pub since: &'static str,
    /// It proves that nothing is better, wherever it ends by itself within its bounds.
    pub exact: bool,
    /// Operators are offered it; whoever names it may have any.
    pub offered: bool,
    /// It plans beside others in races: it takes whatever a fleet poses, and ends within seconds.
    pub races: bool,
    /// How large a problem may be; none: any size.
    pub bounds: &'static [Bound],
}

/// A size up to which an algorithm takes a problem, or keeps its promise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bound {
    /// The number.
    pub most: u64,
    /// Of what.
    pub of: &'static str,
    /// What becomes of a larger problem.
    pub beyond: &'static str,
}

const UNLIMITED: Bound =
    Bound { most: MOST_UNLIMITED as u64, of: "placements without a limit of time or evaluations", beyond: "refused" };
const NFS: Bound = Bound { most: MOST_NFS as u64, of: "NFs", beyond: "refused" };

/// All of them, in the order in which they are offered: the best first.
pub const DECLARATIONS: [Declaration; 7] = [
    Declaration {
        algorithm: Algorithm::Exact,
        name: "exact",
        summary: "branch and bound: proves the optimum of what is predicted",
        since: "0.1.0",
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
        name: "anytime",
        summary: "simulated annealing with a certified bound of how far the best may be off",
        since: "0.1.0",
        exact: false,
        offered: true,
        races: true,
        bounds: &[],
    },
    Declaration {
        algorithm: Algorithm::Octans,
        name: "octans",
        summary: "Algorithm 1 of the Octans paper to the letter; refuses what the paper does not know",
        since: "0.1.0",
        exact: false,
        offered: true,
        races: false,
        bounds: &[NFS, UNLIMITED],
    },
    Declaration {
        algorithm: Algorithm::OctansExtended,
        name: "octans_extended",
        summary: "Octans with the cost of moves, pinned NFs, occupied cores and several ingress nodes",
        since: "0.1.0",
        exact: false,
        offered: true,
        races: true,
        bounds: &[NFS, UNLIMITED],
    },
    Declaration {
        algorithm: Algorithm::Brute,
        name: "brute",
        summary: "tries every placement: the reference in tests of the others",
        since: "0.1.0",
        exact: true,
        offered: false,
        races: false,
        bounds: &[UNLIMITED],
    },
    Declaration {
        algorithm: Algorithm::NodeFirst,
        name: "node_first",
        summary: "baseline: fills one node after another, the local one first",
        since: "0.1.0",
        exact: false,
        offered: true,
        races: true,
        bounds: &[],
    },
    Declaration {
        algorithm: Algorithm::NodeBalance,
        name: "node_balance",
        summary: "baseline: spreads NFs evenly over the nodes",
        since: "0.1.0",
        exact: false,
        offered: true,
        races: true,
        bounds: &[],
    },
];
