//! What laws declare of their algorithms, each once. Python's enum, the API, the command line, the console and the docs are
//! written from these tables or compared with them (docs/decisions/0054).

use serde::Serialize;

/// What is declared about an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Declaration<A> {
    /// Its variant.
    #[serde(skip)]
    pub algorithm: A,
    /// The law whose way of deciding it is.
    pub law: &'static str,
    /// In JSON, in the API and on the command line.
    pub name: &'static str,
    /// One line for an operator, without a full stop.
    pub summary: &'static str,
    /// The first version of the API that has it.
    pub since: &'static str,
    /// What it chooses for an NF.
    pub places: Places,
    /// It proves that nothing is better, wherever it ends by itself within its bounds.
    pub exact: bool,
    /// Operators are offered it; whoever names it may have any.
    pub offered: bool,
    /// It plans beside others in races: it takes whatever a fleet poses, and ends within seconds.
    pub races: bool,
    /// How large a problem may be; none: any size.
    pub bounds: &'static [Bound],
}

impl<A> Declaration<A> {
    /// What is shown of it, whichever law's it is.
    pub fn shown(&self) -> Declaration<()> {
        Declaration {
            algorithm: (),
            law: self.law,
            name: self.name,
            summary: self.summary,
            since: self.since,
            places: self.places,
            exact: self.exact,
            offered: self.offered,
            races: self.races,
            bounds: self.bounds,
        }
    }
}

/// What an algorithm chooses for an NF; the other follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Places {
    /// Its NUMA node, on any host; cores are then assigned by rule.
    Nodes,
    /// Its core, on hosts whose cores several NFs share; others are refused.
    Cores,
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
