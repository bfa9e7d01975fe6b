//! Small problems with round numbers.

use sextant_core::instance::{Instance, assignment_of};
use sextant_core::problem::{Chain, DropCoefficients, LocalRemote, NfParameters, Node, Placement, Problem};
use sextant_core::rank::Rank;

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

/// A problem of these types:
///
/// | | weight | ideal local, remote (Mpps) | alpha, beta, c local | remote |
/// |---|---|---|---|---|
/// | A | .1 | 10, 8 | .2, .1, 0 | .1, .2, 0 |
/// | B | .2 | 6, 5 | .3, .2, .01 | .2, .3, .02 |
/// | F (fast) | .1 | 10, 8 | .3, .1, 0 | .2, .2, 0 |
/// | S (slow) | .05 | 6, 5 | .3, .1, 0 | .2, .2, 0 |
pub fn problem(nodes: Vec<Node>, chains: Vec<Chain>) -> Problem {
    let nf = |name: &str, stalls, ideal: (f64, f64), local: (f64, f64, f64), remote: (f64, f64, f64)| {
        let drop = |(alpha, beta, c)| DropCoefficients { alpha, beta, c };
        let ideal = LocalRemote { local: ideal.0, remote: ideal.1 };
        (name.to_owned(), NfParameters { stalls, ideal, local: drop(local), remote: drop(remote) })
    };
    let nf_types = [
        nf("A", 10.0, (10.0, 8.0), (0.2, 0.1, 0.0), (0.1, 0.2, 0.0)),
        nf("B", 5.0, (6.0, 5.0), (0.3, 0.2, 0.01), (0.2, 0.3, 0.02)),
        nf("F", 10.0, (10.0, 8.0), (0.3, 0.1, 0.0), (0.2, 0.2, 0.0)),
        nf("S", 20.0, (6.0, 5.0), (0.3, 0.1, 0.0), (0.2, 0.2, 0.0)),
    ];
    Problem { nodes, nf_types: nf_types.into(), chains, ..Problem::default() }
}

/// Two nodes of three cores; c0 = fast fast, c1 = slow fast.
pub fn two_chains() -> Problem {
    problem(nodes(&[3, 3]), vec![chain("c0", "FF"), chain("c1", "SF")])
}

/// A placement: chain and nodes, "c: n0 n1".
pub fn placement(chains: &[&str]) -> Placement {
    let parse = |line: &&str| {
        let (chain, nodes) = line.split_once(": ").expect("chain: nodes");
        (chain.to_owned(), nodes.split(' ').map(str::to_owned).collect())
    };
    chains.iter().map(parse).collect()
}

/// A placement of `two_chains`' chains by the digits of their nodes: `seats("00", "01")`.
pub fn seats(c0: &str, c1: &str) -> Placement {
    let nodes = |digits: &str| digits.chars().map(|digit| format!("n{digit}")).collect();
    [("c0".to_owned(), nodes(c0)), ("c1".to_owned(), nodes(c1))].into()
}

/// The rank of a placement by names.
pub fn rank(problem: &Problem, placement: &Placement) -> Rank {
    Rank::of(&Instance::new(problem), &assignment_of(problem, placement, "assignment").expect("its own names"))
}
