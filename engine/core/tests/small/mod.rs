//! Small problems with round numbers, for tests.
#![allow(dead_code)] // every test file is a crate of its own and uses a part of it

use sextant_core::problem::{Chain, DropCoefficients, LocalRemote, NfParameters, Node, Placement, Problem};

/// n0 (local), n1, ... with so many cores.
pub fn nodes(cores: &[u32]) -> Vec<Node> {
    let node = |(index, &cores)| Node { id: format!("n{index}"), local: index == 0, cores, taken: 0, background: 0.0 };
    cores.iter().enumerate().map(node).collect()
}

/// `nfs` as letters: "AB" is an A followed by a B.
pub fn chain(id: &str, nfs: &str) -> Chain {
    Chain {
        id: id.to_owned(),
        nfs: nfs.chars().map(String::from).collect(),
        value: 1.0,
        rate_mpps: None,
        ingress: None,
        pin: None,
        nf_pins: None,
    }
}

/// The same with a value.
pub fn worth(value: f64, chain: Chain) -> Chain {
    Chain { value, ..chain }
}

/// The same confined to nodes.
pub fn pinned(nodes: &[&str], chain: Chain) -> Chain {
    Chain { pin: Some(nodes.iter().map(|&name| name.to_owned()).collect()), ..chain }
}

/// A problem of types A (weight .1; alone 10 Mpps local, 8 remote) and B (weight .2; 6 x .99 local, 5 x .98 remote).
pub fn problem(nodes: Vec<Node>, chains: Vec<Chain>) -> Problem {
    let nf = |stalls, ideal: (f64, f64), local: (f64, f64, f64), remote: (f64, f64, f64)| NfParameters {
        stalls,
        ideal: LocalRemote { local: ideal.0, remote: ideal.1 },
        local: DropCoefficients { alpha: local.0, beta: local.1, c: local.2 },
        remote: DropCoefficients { alpha: remote.0, beta: remote.1, c: remote.2 },
    };
    let a = nf(10.0, (10.0, 8.0), (0.2, 0.1, 0.0), (0.1, 0.2, 0.0));
    let b = nf(5.0, (6.0, 5.0), (0.3, 0.2, 0.01), (0.2, 0.3, 0.02));
    Problem { nodes, nf_types: [("A".to_owned(), a), ("B".to_owned(), b)].into(), chains, ..Problem::default() }
}

/// A placement: chain and nodes, "c: n0 n1".
pub fn placement(chains: &[&str]) -> Placement {
    let parse = |line: &&str| {
        let (chain, nodes) = line.split_once(": ").expect("chain: nodes");
        (chain.to_owned(), nodes.split(' ').map(str::to_owned).collect())
    };
    chains.iter().map(parse).collect()
}
