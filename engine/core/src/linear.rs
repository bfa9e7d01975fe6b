//! The throughput of an NF as a linear function of its own node's sums of weights.
//!
//! Once it is known on which side an NF stands and whether it heads a run, its competing levels are `M_k`, `R_k`, the
//! server's sum or 1, less weights of its own chain (Octans, Eq. 9-11): throughput = fixed - all `M_k` - heads `R_k` -
//! server S, all three slopes never negative. Hence the capacity of a chain is concave in the sums, and what it loses
//! when they grow is at least what its slowest NF loses.

use crate::instance::{Chain, Nf};
use crate::roles::{Role, roles};

/// throughput (Mpps) = `fixed` - `all` x `M_k` - `heads` x `R_k` - `server` x S.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Line {
    /// Mpps where all sums are zero.
    pub fixed: f64,
    /// Mpps lost per unit of `M_k`.
    pub all: f64,
    /// Mpps lost per unit of `R_k`.
    pub heads: f64,
    /// Mpps lost per unit of the server's sum.
    pub server: f64,
}

impl Line {
    /// An NF in its role: `Role::mpps` as a function of the sums.
    #[inline]
    pub fn of(nf: &Nf, role: Role) -> Self {
        match role {
            Role::Local => Self::local(nf, false),
            Role::Crossing => Self::local(nf, true),
            Role::Head => Self::remote(nf, None),
            Role::Behind(head) => Self::remote(nf, Some(head)),
        }
    }

    /// An NF on its chain's ingress node. `crosses`: its upstream NF stands elsewhere.
    #[inline]
    pub fn local(nf: &Nf, crosses: bool) -> Self {
        let side = &nf.local;
        let (alpha, beta) = (side.ideal * side.alpha, side.ideal * side.beta);
        let fixed = side.ideal * (1.0 - side.c) + beta * nf.weight;
        if crosses {
            Self { fixed: fixed - alpha, all: 0.0, heads: 0.0, server: beta } // Eq. 10: the LLC term is 1
        } else {
            Self { fixed: fixed + alpha * nf.weight, all: alpha, heads: 0.0, server: beta } // Eq. 9
        }
    }

    /// An NF on another node. `head`: the weight of its run's first NF; None where it is that NF itself.
    #[inline]
    pub fn remote(nf: &Nf, head: Option<f64>) -> Self {
        let side = &nf.remote;
        let (alpha, beta) = (side.ideal * side.alpha, side.ideal * side.beta);
        let fixed = side.ideal * (1.0 - side.c) + beta * nf.weight;
        match head {
            None => Self { fixed: fixed - alpha, all: beta, heads: 0.0, server: 0.0 },
            Some(head) => Self { fixed: fixed + alpha * head, all: beta, heads: alpha, server: 0.0 }, // Eq. 11
        }
    }

    /// Throughput at given sums, Mpps.
    #[inline]
    pub fn at(&self, all: f64, heads: f64, server: f64) -> f64 {
        self.fixed - self.all * all - self.heads * heads - self.server * server
    }
}

/// The lines of a chain's NFs on the nodes of a pattern, in the order of the packets.
#[inline]
pub fn lines<'a>(chain: &'a Chain, pattern: &'a [u16]) -> impl Iterator<Item = (u16, Line)> + 'a {
    roles(&chain.nfs, chain.ingress, pattern).map(|(node, nf, role)| (node, Line::of(nf, role)))
}
