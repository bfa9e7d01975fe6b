//! What all other NFs of a host bring to bear on one, with chains at given rates.

use super::known::Known;
use super::shape::{LOADS, Load, Role};

/// An NF where it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Its number among the known.
    pub nf_type: usize,
    /// Its node's number.
    pub node: usize,
}

/// A chain where it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct FedChain {
    /// In the order of packets.
    pub nfs: Vec<Standing>,
    /// The node that its packets arrive on.
    pub ingress: usize,
    /// Mpps.
    pub offered: f64,
}

impl FedChain {
    /// Mpps of an NF of it alone where it stands.
    pub fn alone(&self, known: &Known, place: usize) -> f64 {
        let nf = self.nfs[place];
        let ideal = &known.types[nf.nf_type].ideal;
        if nf.node == self.ingress { ideal.local } else { ideal.remote }
    }

    /// Whether the NF before, or after, is on the same node; None where there is none.
    pub fn beside(&self, place: usize, other: Option<usize>) -> Option<bool> {
        Some(self.nfs.get(other?)?.node == self.nfs[place].node)
    }

    /// As curves have it: only the NF right in front counts.
    pub fn role(&self, place: usize) -> Role {
        let upstream = self.beside(place, place.checked_sub(1));
        match (self.nfs[place].node == self.ingress, upstream) {
            (true, Some(false)) => Role::Crossing,
            (true, _) => Role::Local,
            (false, Some(true)) => Role::Behind,
            (false, _) => Role::Head,
        }
    }

    /// First NF of the run that a place is in.
    fn head(&self, place: usize) -> usize {
        (0..=place).rev().take_while(|&one| self.nfs[one].node == self.nfs[place].node).last().unwrap_or(place)
    }
}

/// On the NF at that place of that chain. A chain's run brings packets to a node once, however many of its NFs look at
/// them, and an NF's own run brings it none.
pub fn load_on(chains: &[FedChain], rates: &[f64], chain: usize, place: usize, known: &Known) -> Load {
    let (node, own_head) = (chains[chain].nfs[place].node, chains[chain].head(place));
    let mut load: Load = [0.0; LOADS];
    load[0] = chains.len() as f64 - 1.0;
    for (number, (other, rate)) in chains.iter().zip(rates).enumerate() {
        let mut head = 0;
        for (position, nf) in other.nfs.iter().enumerate() {
            if other.nfs[head].node != nf.node {
                head = position;
            }
            let (mpps, far) = (rate.min(other.alone(known, position)), if nf.node == node { 0 } else { 2 });
            if head == position && !(number == chain && head == own_head) {
                load[1 + far] += mpps / known.average_mpps;
            }
            if (number, position) != (chain, place) {
                load[2 + far] += mpps * known.types[nf.nf_type].references;
            }
        }
    }
    load
}
