//! The Gaussian process: by hand. Whole hosts are compared with the same written plainly in Python
//! (`engine/tests/test_stored_process.py`).

use sextant_core::process::cholesky::Factor;
use sextant_core::process::known::Ideal;
use sextant_core::process::loads::load_on;
use sextant_core::process::{FedChain, Fitted, Known, NfType, Role, Sample, Shape, Standing, at_rest, host};

const STRAIGHT: Shape = Shape { level: 1.0, bend: 0.0, slope: 1.0, lengths: [1.0; 5], shared: 1.0 };

fn sample(load: [f64; 5], drop: f64) -> Sample {
    Sample { role: Role::Local, load, drop, variance: 0.000_025 }
}

/// Two types of 10 and 4 Mpps alone, a half of that on a remote node; packets are counted in 10 Mpps, and the second
/// type makes .1 references a packet.
fn known() -> Known {
    let of = |mpps: f64, references: f64| {
        let ideal = Ideal { local: mpps, remote: mpps / 2.0 };
        NfType::new(STRAIGHT, ideal, references, &[], &[sample([1.0, 1.0, 0.0, 0.0, 0.0], 0.1)]).unwrap()
    };
    Known { average_mpps: 10.0, types: vec![of(10.0, 0.0), of(4.0, 0.1)] }
}

fn chain(nfs: &[(usize, usize)], offered: f64) -> FedChain {
    let nfs = nfs.iter().map(|&(nf_type, node)| Standing { nf_type, node }).collect();
    FedChain { nfs, ingress: 0, offered }
}

#[test]
fn one_sample_of_a_straight_line() {
    let fitted = Fitted::of(STRAIGHT, &[sample([1.0, 1.0, 0.0, 0.0, 0.0], 0.1)]).unwrap();
    let twice = [2.0, 2.0, 0.0, 0.0, 0.0];
    assert!((fitted.drop_at(Role::Local, &twice) - 0.4 / 2.000_025).abs() < 1e-12);
    assert_eq!(fitted.drop_at(Role::Head, &twice), 0.0);
    let variance = 2.0 - 4.0 / 2.000_025 + 0.000_025;
    let there = fitted.deviation_at(Role::Local, &[1.0, 1.0, 0.0, 0.0, 0.0]);
    assert!((there - f64::sqrt(variance)).abs() < 1e-9);
}

#[test]
fn a_run_brings_packets_once_and_its_own_none() {
    // Both NFs of the first chain share node 0; the second chain comes to node 0, then goes to node 1.
    let chains = [chain(&[(0, 0), (1, 0)], 9.0), chain(&[(1, 0), (1, 1)], 9.0)];
    let load = load_on(&chains, &[3.0, 1.0], 0, 0, &known());
    // Near: the second chain's 1 Mpps; references of its first NF and of the own chain's second at 3 Mpps.
    let expected = [1.0, 0.1, 0.1 + 0.3, 0.1, 0.1];
    load.iter().zip(expected).for_each(|(found, wanted)| assert!((found - wanted).abs() < 1e-12, "{load:?}"));
}

#[test]
fn no_nf_brings_more_than_it_can() {
    let chains = [chain(&[(0, 0)], 99.0), chain(&[(1, 1)], 99.0)];
    let load = load_on(&chains, &[10.0, 99.0], 0, 0, &known());
    assert!((load[3] - 0.2).abs() < 1e-12, "2 Mpps on the remote node: {load:?}");
}

#[test]
fn a_chain_alone_has_no_load_and_goes_at_its_ideal() {
    let (chains, known) = ([chain(&[(0, 0)], 99.0)], known());
    assert_eq!(at_rest(&chains, &known), (vec![10.0], true));
    let room = host::room(&chains, &[10.0], 0, &known);
    assert_eq!((room[0].mpps, room[0].ideal), (10.0, 10.0));
}

#[test]
fn room_is_what_the_chain_could_carry_if_it_were_offered_more() {
    let (chains, known) = ([chain(&[(0, 0), (1, 1)], 0.5)], known());
    let (rates, settled) = at_rest(&chains, &known);
    assert_eq!((rates.as_slice(), settled), ([0.5].as_slice(), true));
    let more = at_rest(&[chain(&[(0, 0), (1, 1)], 99.0)], &known).0;
    let room = host::room(&chains, &rates, 0, &known);
    let found = room.iter().map(|one| one.mpps).fold(f64::INFINITY, f64::min);
    assert!((found / more[0] - 1.0).abs() < 1e-3, "{found} of {more:?}");
}

#[test]
fn what_is_out_of_range_is_refused_by_name() {
    let ideal = Ideal { local: 10.0, remote: 5.0 };
    let good = sample([0.0; 5], 0.1);
    let refused = |ideal, references, samples: &[Sample]| {
        NfType::new(STRAIGHT, ideal, references, &[], samples).unwrap_err().field
    };
    assert_eq!(refused(ideal, 0.0, &[]), "samples");
    assert_eq!(refused(ideal, -1.0, &[good]), "references");
    assert_eq!(refused(Ideal { local: f64::NAN, remote: 5.0 }, 0.0, &[good]), "ideal");
    assert_eq!(refused(ideal, 0.0, &[good, sample([-1.0; 5], 0.1)]), "samples.1.load");
    assert_eq!(refused(ideal, 0.0, &[sample([0.0; 5], f64::INFINITY)]), "samples.0.drop");
    assert_eq!(refused(ideal, 0.0, &[Sample { variance: 0.0, ..good }]), "samples.0.variance");
    assert_eq!(refused(ideal, 0.0, &[sample([1e200; 5], 0.1)]), "samples");
}

#[test]
fn the_factor_solves_what_it_factors() {
    let matrix = [[4.0, 2.0], [2.0, 3.0]];
    let factor = Factor::of(2, |row, column| matrix[row][column]).unwrap();
    let mut aim = [8.0, 8.0];
    factor.solve(&mut aim);
    assert!((aim[0] - 1.0).abs() < 1e-12 && (aim[1] - 2.0).abs() < 1e-12);
    assert!(Factor::of(2, |row, column| if row == column { 1.0 } else { 2.0 }).is_none());
}
