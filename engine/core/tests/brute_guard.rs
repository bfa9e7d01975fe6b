//! What brute refuses, because its search nests a call an NF.

use sextant_core::BadInput;
use sextant_core::algorithms::Algorithm;
use sextant_core::control::Limits;
use sextant_core::generate::{Mode, Recipe, generate};
use sextant_core::solve::{Options, solve};

fn evaluations(chains: usize) -> Result<u64, BadInput> {
    let problem = generate(&Recipe { chains, nodes: 2, cores: 5000, length: 4, mode: Mode::A, seed: 1 })?;
    let limits = Limits { time: None, evaluations: Some(1) };
    Ok(solve(&problem, Algorithm::Brute, &Options { limits, ..Options::default() }, None)?.evaluations)
}

/// 500 chains of 4 are 2000 NFs: the search reaches its first placement. One chain more is refused.
#[test]
fn more_nfs_than_the_stack_holds_are_refused() {
    assert_eq!(evaluations(500), Ok(1));
    let refused = evaluations(501).unwrap_err();
    assert_eq!(refused.field, "algorithm");
    assert_eq!(refused.message, "brute takes 2000 NFs at most, these are 2004; use another algorithm");
}
