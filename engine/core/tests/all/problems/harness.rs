//! What must hold for any bytes: shared by the tests here and the fuzzer's targets in `core/fuzz`.

use sextant_core::control::Limits;
use sextant_core::error::BadInput;
use sextant_core::evaluate::evaluate;
use sextant_core::laws::octans::Algorithm;
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::problem::{Chain, DropCoefficients, LocalRemote, NfParameters, Node, Objective, Problem};
use sextant_core::rank::close;
use sextant_core::reader::{read_evaluation, read_problem};

/// Reading ends with a problem that its own JSON form holds too, or with a short error that names a field.
pub fn reader(raw: &[u8]) {
    match read_problem(raw) {
        Ok(problem) => {
            let again = serde_json::to_vec(&problem).expect("a problem can be written");
            assert_eq!(read_problem(&again), Ok(problem));
        }
        Err(error) => well_told(&error),
    }
    if let Err(error) = read_evaluation(raw) {
        well_told(&error);
    }
}

fn well_told(error: &BadInput) {
    assert!(!error.field.is_empty() && !error.message.is_empty());
    assert!(error.field.chars().count() < 2000 && error.message.chars().count() < 2000, "{error}");
}

/// Every algorithm ends, keeps the rules, and reports a score that its bound and the evaluation agree with.
pub fn solvers(problem: &Problem, evaluations: u64) {
    let raw = serde_json::to_vec(problem).expect("a problem can be written");
    assert_eq!(read_problem(&raw).as_ref(), Ok(problem), "the problem is valid");
    for algorithm in Algorithm::all() {
        let limits = Limits { evaluations: Some(evaluations), ..Limits::default() };
        let found = match solve(problem, algorithm, &Options { seed: 7, limits, ..Options::default() }, None) {
            Ok(found) => found,
            Err(error) => {
                well_told(&error); // an algorithm may refuse what it cannot express
                continue;
            }
        };
        let name = algorithm.name();
        let judged = evaluate(problem, &found.assignment).expect("its own names");
        assert_eq!(judged.violations, Vec::<String>::new(), "{name}");
        assert!(found.score.is_finite() && found.objective.is_finite(), "{name}");
        assert!(close(judged.result.score, found.score), "{name}: {} told, {} found", found.score, judged.result.score);
        assert_eq!(judged.result.moves, found.moves, "{name}");
        let bound = found.bound.expect("every algorithm has a bound");
        assert!(bound >= found.score || close(bound, found.score), "{name}: bound {bound}, score {}", found.score);
        assert_eq!(found.rejected.len() + found.assignment.len(), problem.chains.len(), "{name}");
        for rejected in &found.rejected {
            assert!(!found.assignment.contains_key(&rejected.chain), "{name}");
            assert!(rejected.relax.is_some(), "{name}: no way out for {}", rejected.chain);
        }
    }
}

/// A small valid problem from any bytes; figures are ordinary or at the edges of the format.
pub fn problem_from(bytes: &[u8]) -> Problem {
    let mut dice = Dice { bytes, at: 0 };
    let count = dice.below(5); // no node at all is an edge, too
    let node = |index: usize, dice: &mut Dice| {
        let cores = dice.below(6) as u32;
        let taken = if dice.below(4) == 0 { cores.min(dice.below(6) as u32) } else { 0 };
        let background = dice.pick([0.0, 0.0, 0.3, 1e9]);
        Node { id: format!("n{index}"), local: index == 0 || dice.below(2) == 0, cores, taken, background }
    };
    let nodes: Vec<Node> = (0..count).map(|index| node(index, &mut dice)).collect();
    let local: Vec<String> = nodes.iter().filter(|node| node.local).map(|node| node.id.clone()).collect();
    let nf_types = (0..3).map(|index| (format!("t{index}"), nf_type(&mut dice))).collect();
    let chains: Vec<Chain> =
        (0..if count == 0 { 0 } else { dice.below(5) }).map(|index| chain(index, count, &local, &mut dice)).collect();
    let initial = (dice.below(2) == 0).then(|| {
        let mut placed = std::collections::BTreeMap::new();
        for chain in &chains {
            if dice.below(3) > 0 {
                placed.insert(chain.id.clone(), chain.nfs.iter().map(|_| dice.node(count)).collect());
            }
        }
        if count > 0 && dice.below(4) == 0 {
            placed.insert("gone".to_owned(), vec![dice.node(count)]);
        }
        placed
    });
    Problem {
        nodes,
        nf_types,
        chains,
        objective: dice.pick([Objective::Capacity, Objective::Served]),
        initial,
        move_price_mpps: dice.pick([0.0, 0.5, 1e9]),
        margin_mpps: dice.pick([0.0, 1.0, 1e9]),
        max_moves: dice.pick([None, None, Some(0), Some(1), Some(3)]),
    }
}

fn nf_type(dice: &mut Dice) -> NfParameters {
    let mut drop = |c| DropCoefficients { alpha: dice.pick([0.3, 0.0, 1e9]), beta: dice.pick([0.1, 0.0, 1e9]), c };
    let (local, remote) = (drop(0.02), drop(-0.5));
    NfParameters {
        stalls: dice.pick([10.0, 5.0, 1e9, 1e-9]),
        ideal: LocalRemote { local: dice.pick([10.0, 4.0, 1e9, 1e-300]), remote: dice.pick([8.0, 3.0, 1e9]) },
        local: DropCoefficients { c: dice.pick([0.02, 0.0, -1e9, 1e9]), ..local },
        remote,
    }
}

fn chain(index: usize, nodes: usize, local: &[String], dice: &mut Dice) -> Chain {
    let nfs: Vec<String> = (0..=dice.below(4)).map(|_| format!("t{}", dice.below(3))).collect();
    let pin: Option<Vec<String>> =
        (dice.below(3) == 0).then(|| (0..=dice.below(2)).map(|_| dice.node(nodes)).collect());
    let nf_pins = (dice.below(3) == 0).then(|| {
        let pinned = |dice: &mut Dice| match &pin {
            _ if dice.below(2) == 0 => None,
            Some(pin) => Some(pin[dice.below(pin.len())].clone()),
            None => Some(dice.node(nodes)),
        };
        nfs.iter().map(|_| pinned(dice)).collect()
    });
    Chain {
        id: format!("c{index}"),
        value: dice.pick([1.0, 1.0, 2.0, 1e9, 1e-9]),
        rate_mpps: dice.pick([None, None, Some(0.0), Some(2.0), Some(1e9)]),
        ingress: (dice.below(2) == 0).then(|| local[dice.below(local.len())].clone()),
        nfs,
        pin,
        nf_pins,
    }
}

/// Choices from bytes; once they are spent, the first choice.
struct Dice<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Dice<'_> {
    fn below(&mut self, choices: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        usize::from(byte) % choices
    }

    fn pick<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[self.below(N)]
    }

    fn node(&mut self, nodes: usize) -> String {
        format!("n{}", self.below(nodes))
    }
}
