//! What chains ask of a host: those that wait, and those that stand there.

use crate::fleet::apart::Apart;
use crate::instance::{Nf, Pattern};

/// What a chain asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// Equal for chains of the same NF types: index into `Roster::nfs`.
    pub kind: u32,
    /// Number of NFs.
    pub length: u32,
    /// Weight in both aims.
    pub value: f64,
    /// What it counts at most, Mpps; infinity without a rate or with objective `capacity`.
    pub rate: f64,
    /// Whom it must not stand with.
    pub apart: Option<Apart>,
}

/// A chain on a host.
#[derive(Debug, Clone, PartialEq)]
pub struct Seated {
    /// Place among the waiting; None for a chain that runs already.
    pub rank: Option<u32>,
    /// What it asks for.
    pub demand: Demand,
    /// The node its packets arrive on.
    pub ingress: u16,
    /// The node of every NF.
    pub pattern: Pattern,
}

/// A chain at the door of a host.
#[derive(Debug, Clone, Copy)]
pub struct Newcomer<'a> {
    /// Its NFs by the host's model.
    pub nfs: &'a [Nf],
    /// Weight in both aims.
    pub value: f64,
    /// What it counts at most, Mpps.
    pub rate: f64,
    /// The node its packets arrive on.
    pub ingress: u16,
}

impl Newcomer<'_> {
    /// Sum of the weights of its NFs.
    pub fn weight(&self) -> f64 {
        self.nfs.iter().map(|nf| nf.weight).sum()
    }

    /// No host of this model gains more by it.
    pub fn solo_bound(&self) -> f64 {
        let best = |nf: &Nf| nf.local.mpps(0.0, 0.0).max(nf.remote.mpps(0.0, 0.0));
        self.value * self.nfs.iter().map(best).fold(self.rate, f64::min)
    }
}
