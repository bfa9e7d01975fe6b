//! Where an NF stands, as far as the model cares: the one place that knows runs, heads and Octans' Eq. 9-11.
//!
//! A run is a maximal stretch of consecutive NFs of one chain on one node, its head the first of them. All sums over
//! nodes and all throughputs in this crate are made from roles.

use crate::instance::{Nf, Side};

/// The part of an NF in the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Role {
    /// On its chain's ingress node, first or behind an NF on that node (Eq. 9).
    Local,
    /// On the ingress node, behind an NF that stands elsewhere (Eq. 10).
    Crossing,
    /// On another node, at the head of a run (Eq. 9).
    Head,
    /// On another node, behind the head of its run, which has this weight (Eq. 11).
    Behind(f64),
}

impl Role {
    /// The role of an NF on `node`, and the weight of its run's head. `before`: the node of its upstream NF, None for
    /// the first of the chain, and the weight of that one's head.
    #[inline]
    pub fn next(nf: &Nf, node: u16, ingress: u16, before: Option<(u16, f64)>) -> (Self, f64) {
        match before {
            Some((upstream, head)) if upstream == node => {
                (if node == ingress { Self::Local } else { Self::Behind(head) }, head)
            }
            _ if node != ingress => (Self::Head, nf.weight),
            Some(_) => (Self::Crossing, nf.weight),
            None => (Self::Local, nf.weight),
        }
    }

    /// True if its weight is part of `R_k`: every local NF's, of remote runs the head's.
    #[inline]
    pub fn leads(self) -> bool {
        !matches!(self, Self::Behind(_))
    }

    /// True on the chain's ingress node.
    #[inline]
    pub fn is_local(self) -> bool {
        matches!(self, Self::Local | Self::Crossing)
    }

    /// True if its packets come from another node: its LLC level is the constant 1.
    #[inline]
    pub fn without_cache(self) -> bool {
        matches!(self, Self::Crossing | Self::Head)
    }

    /// The parameters that hold there, and the competing levels on the LLC and on memory or interconnect. `all`,
    /// `heads`: `M_k` and `R_k` of its node, `server`: the sum of all M, each with the NF in it.
    #[inline]
    pub fn levels(self, nf: &Nf, all: f64, heads: f64, server: f64) -> (&Side, f64, f64) {
        match self {
            Self::Local => (&nf.local, all - nf.weight, server - nf.weight),
            Self::Crossing => (&nf.local, 1.0, server - nf.weight),
            Self::Head => (&nf.remote, 1.0, all - nf.weight),
            Self::Behind(head) => (&nf.remote, heads - head, all - nf.weight),
        }
    }

    /// Throughput there, Mpps, unclamped; the sums as in `levels`.
    #[inline]
    pub fn mpps(self, nf: &Nf, all: f64, heads: f64, server: f64) -> f64 {
        let (side, llc, mem) = self.levels(nf, all, heads, server);
        side.mpps(llc, mem)
    }
}

/// The NFs of a chain with their nodes and roles, in the order of the packets.
#[inline]
pub fn roles<'a>(nfs: &'a [Nf], ingress: u16, pattern: &'a [u16]) -> impl Iterator<Item = (u16, &'a Nf, Role)> {
    let mut before = None;
    nfs.iter().zip(pattern).map(move |(nf, &node)| {
        let (role, head) = Role::next(nf, node, ingress, before);
        before = Some((node, head));
        (node, nf, role)
    })
}
