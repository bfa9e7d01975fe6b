//! What is declared of algorithms, against what they do.

use std::collections::BTreeSet;

use crate::tests::problems::build::{chain, nodes, problem};
use sextant_core::laws::octans::Algorithm;
use sextant_core::laws::octans::registry::DECLARATIONS;
use sextant_core::laws::octans::solve::{Options, solve};
use sextant_core::result::Status;

/// They are listed, offered and written into code by their names, and read as one line.
#[test]
fn names_are_identifiers_of_one_algorithm_each() {
    let names: BTreeSet<&str> = DECLARATIONS.iter().map(|declared| declared.name).collect();
    assert_eq!(names.len(), DECLARATIONS.len());
    for declared in &DECLARATIONS {
        assert!(declared.name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'), "{}", declared.name);
        assert!(declared.summary.len() <= 90 && !declared.summary.ends_with('.'), "{}", declared.summary);
        assert_eq!(Algorithm::named(declared.name), Ok(declared.algorithm));
    }
}

/// `anytime` is left out: its bound may happen to prove what it found.
///
/// Two chains of two NFs on two nodes of two cores: no placement reaches the bound that chains alone have, so that only
/// a proof makes it optimal.
#[test]
fn exactly_those_that_are_declared_exact_prove_their_optimum() {
    let given = problem(nodes(&[2, 2]), vec![chain("c", "AB"), chain("d", "BA")]);
    let proves =
        |algorithm: &Algorithm| solve(&given, *algorithm, &Options::default(), None).unwrap().status == Status::Optimal;
    for algorithm in Algorithm::all().filter(|algorithm| *algorithm != Algorithm::Anytime) {
        assert_eq!(proves(&algorithm), algorithm.declaration().exact, "{}", algorithm.name());
    }
}

/// What is declared to be refused is, by the number that is declared: 2049 NFs where 2048 are taken.
#[test]
fn a_problem_beyond_a_bound_of_nfs_is_refused_with_that_bound() {
    let given = problem(nodes(&[10, 10]), (0..2049).map(|index| chain(&format!("c{index}"), "A")).collect());
    for declared in &DECLARATIONS {
        for bound in declared.bounds.iter().filter(|bound| bound.of == "NFs") {
            let refused = solve(&given, declared.algorithm, &Options::default(), None).unwrap_err();
            assert!(refused.message.contains(&format!("at most {} NFs", bound.most)), "{}", refused.message);
        }
    }
}
