//! Who stands where: the node of every NF, and the NFs of every node, in constant time an NF.

use std::ops::Range;

use crate::instance::Instance;

const NOWHERE: u16 = u16::MAX; // the node of a rejected chain's NFs

/// NFs on nodes. NFs are numbered through, chain by chain.
#[derive(Debug, Clone)]
pub(super) struct Places {
    first: Vec<u32>,    // index of each chain's first NF; one more at the end
    owner: Vec<u32>,    // chain of each NF
    node: Vec<u16>,     // of each NF
    on: Vec<Vec<u32>>,  // NFs on each node
    spot: Vec<u32>,     // of each NF in `on`
    out: Vec<u32>,      // rejected chains
    out_spot: Vec<u32>, // of each rejected chain in `out`
}

impl Places {
    /// All chains are rejected.
    pub fn new(instance: &Instance) -> Self {
        let mut first = vec![0];
        let mut owner = Vec::new();
        for (index, chain) in instance.chains.iter().enumerate() {
            owner.extend(std::iter::repeat_n(index as u32, chain.nfs.len()));
            first.push(owner.len() as u32);
        }
        let (nfs, chains) = (owner.len(), instance.chains.len() as u32);
        Self {
            first,
            owner,
            node: vec![NOWHERE; nfs],
            on: vec![Vec::new(); instance.nodes()],
            spot: vec![0; nfs],
            out: (0..chains).collect(),
            out_spot: (0..chains).collect(),
        }
    }

    /// Number of NFs.
    pub fn nfs(&self) -> usize {
        self.owner.len()
    }

    /// The NFs of a chain.
    #[inline]
    pub fn range(&self, chain: usize) -> Range<usize> {
        self.first[chain] as usize..self.first[chain + 1] as usize
    }

    /// The nodes of a chain's NFs; None if it is rejected.
    #[inline]
    pub fn pattern(&self, chain: usize) -> Option<&[u16]> {
        Self::placed(&self.node[self.range(chain)])
    }

    /// The rejected chains, in no order.
    pub fn rejected(&self) -> &[u32] {
        &self.out
    }

    /// The node of every NF, for `saved`.
    pub fn nodes(&self) -> &Vec<u16> {
        &self.node
    }

    /// The nodes of a chain's NFs when `nodes` were those of all.
    pub fn saved<'a>(&self, nodes: &'a [u16], chain: usize) -> Option<&'a [u16]> {
        Self::placed(&nodes[self.range(chain)])
    }

    fn placed(nodes: &[u16]) -> Option<&[u16]> {
        (nodes[0] != NOWHERE).then_some(nodes)
    }

    /// The chain of the NF at a spot of a node; a chain may hold several. None past the last.
    #[inline]
    pub fn chain_on(&self, node: u16, spot: usize) -> Option<usize> {
        self.on[node as usize].get(spot).map(|&nf| self.owner[nf as usize] as usize)
    }

    /// Take an accepted chain's NFs off their nodes.
    pub fn leave(&mut self, chain: usize) {
        self.out_spot[chain] = self.out.len() as u32;
        self.out.push(chain as u32);
        for nf in self.range(chain) {
            let (list, spot) = (&mut self.on[self.node[nf] as usize], self.spot[nf]);
            list.swap_remove(spot as usize);
            if let Some(&moved) = list.get(spot as usize) {
                self.spot[moved as usize] = spot;
            }
            self.node[nf] = NOWHERE;
        }
    }

    /// Put a rejected chain's NFs on nodes.
    pub fn seat(&mut self, chain: usize, pattern: &[u16]) {
        let spot = self.out_spot[chain];
        self.out.swap_remove(spot as usize);
        if let Some(&moved) = self.out.get(spot as usize) {
            self.out_spot[moved as usize] = spot;
        }
        for (nf, &node) in self.range(chain).zip(pattern) {
            self.node[nf] = node;
            let list = &mut self.on[node as usize];
            self.spot[nf] = list.len() as u32;
            list.push(nf as u32);
        }
    }
}
