//! The model and the door, by worked arithmetic.

use sextant_core::algorithms::Algorithm;
use sextant_core::problem::Problem;
use sextant_core::solve::{Options, solve};

/// Two nodes of two cores; one chain of two NFs of weight 1/10.
///
/// Both local: each NF has llc = mem = 0.1, drop = 0.3 x 0.1 + 0.1 x 0.1 + 0.02 = 0.06, throughput 10 x 0.94 = 9.4.
#[test]
fn a_chain_alone_stays_local() {
    let problem: Problem = serde_json::from_str(
        r#"{"nodes": [{"id": "n0", "local": true, "cores": 2}, {"id": "n1", "local": false, "cores": 2}],
            "nf_types": {"fw": {"stalls": 10, "ideal": {"local": 10, "remote": 8},
                "local": {"alpha": 0.3, "beta": 0.1, "c": 0.02}, "remote": {"alpha": 0.2, "beta": 0.2, "c": 0.02}}},
            "chains": [{"id": "c0", "nfs": ["fw", "fw"]}]}"#,
    )
    .unwrap();
    let result = solve(&problem, Algorithm::Brute, &Options::default(), None).unwrap();
    assert_eq!(result.assignment["c0"], ["n0", "n0"]);
    assert!((result.score - 9.4).abs() < 1e-12);
    assert_eq!(result.bound, Some(result.score));
}

/// The generator's problems are solved alike by all: brute is never worse than a baseline.
#[test]
fn brute_is_never_worse_than_a_baseline() {
    use sextant_core::generate::{Mode, Recipe, generate};
    for seed in 0..20 {
        let recipe = Recipe { chains: 3, nodes: 2, cores: 5, length: 3, mode: Mode::A, seed };
        let problem = generate(&recipe).unwrap();
        let score = |algorithm| solve(&problem, algorithm, &Options::default(), None).unwrap().score;
        let best = score(Algorithm::Brute);
        assert!(best >= score(Algorithm::NodeFirst) && best >= score(Algorithm::NodeBalance));
    }
}
