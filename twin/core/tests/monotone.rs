//! More of a resource never harms the NF that is alone on the host; more load never beats capacity.

mod common;

use proptest::collection::vec;
use proptest::prelude::*;
use sextant_twin_core::examples::{alone, machine as example, memory_hog};
use sextant_twin_core::machine::Machine;
use sextant_twin_core::setting::Setting;
use sextant_twin_core::steady::{TOLERANCE, steady};

use crate::common::{DRAWS, Dice, instance, machine, nf};

/// An NF alone on core 0, offered all that the NIC takes, in the lower half of the ways (DMA fills the highest ones).
fn lone(draws: &[f64]) -> (Machine, Setting) {
    let mut dice = Dice::new(draws);
    let mut machine = machine(&mut dice);
    machine.llc.ways = machine.llc.ways.max(4);
    machine.llc.ddio_ways = machine.llc.ddio_ways.clamp(1, machine.llc.ways / 4);
    // A memory that its NIC alone can fill serves DMA first, and what is left to cores is no matter of theirs.
    let fastest = machine.nics.iter().map(|nic| nic.bandwidth_bytes_s).fold(0.0, f64::max);
    machine.memory.bandwidth_bytes_s = machine.memory.bandwidth_bytes_s.max(4.0 * fastest);
    let mut setting = alone(1e9);
    let stage = instance(&mut dice, &machine, 0, 1);
    let tuned = &mut setting.instances[0];
    (tuned.mba, tuned.quota, tuned.clock_hz) = (stage.mba, stage.quota, stage.clock_hz);
    tuned.ways = Some(ways(machine.llc.ways / 2));
    setting.nfs.insert("nf".to_owned(), nf(&mut dice));
    (machine, setting)
}

const fn ways(count: u32) -> u32 {
    u32::MAX >> (32 - count)
}

/// Packets a second that the NF takes; none where the host has not settled, which `laws` bounds.
fn taken(machine: &Machine, setting: &Setting) -> Option<f64> {
    let outcome = steady(machine, setting);
    (outcome.residual <= TOLERANCE).then(|| outcome.instances[0].taken_pps)
}

/// Rates of two settled hosts are known as far as their fixed points were sought.
fn assert_no_worse(less: Option<f64>, more: Option<f64>) {
    if let (Some(less), Some(more)) = (less, more) {
        assert!(more >= less * (1.0 - 1e3 * TOLERANCE), "{less} with less, {more} with more");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn more_ways_never_harm(draws in vec(0.0..1.0, DRAWS), further in 1..8_u32) {
        let (machine, mut setting) = lone(&draws);
        let less = taken(&machine, &setting);
        let most = machine.llc.ways - machine.llc.ddio_ways;
        setting.instances[0].ways = Some(ways((machine.llc.ways / 2 + further).min(most)));
        assert_no_worse(less, taken(&machine, &setting));
    }

    #[test]
    fn more_bandwidth_never_harms(draws in vec(0.0..1.0, DRAWS), factor in 1.0..10.0) {
        let (mut machine, setting) = lone(&draws);
        let less = taken(&machine, &setting);
        machine.memory.bandwidth_bytes_s *= factor;
        assert_no_worse(less, taken(&machine, &setting));
    }

    #[test]
    fn a_faster_clock_never_harms(draws in vec(0.0..1.0, DRAWS), factor in 1.0..2.0) {
        let (machine, mut setting) = lone(&draws);
        let less = taken(&machine, &setting);
        let clock = setting.instances[0].clock_hz.unwrap_or(machine.clock_hz);
        setting.instances[0].clock_hz = Some(clock * factor);
        assert_no_worse(less, taken(&machine, &setting));
    }

    /// Whatever is offered, no more goes through than the host says it can, than was offered, than the wire carries, and
    /// than the core has cycles for with every line at hand. (Overload may cost capacity: full queues hold buffers, and
    /// DMA that goes round in more of them leaks.)
    #[test]
    fn more_load_never_beats_capacity(draws in vec(0.0..1.0, DRAWS), load in 3.0..12.0) {
        let (machine, mut setting) = lone(&draws);
        let offered = 10_f64.powf(load);
        setting.chains[0].traffic.rate_pps = offered;
        let outcome = steady(&machine, &setting);
        let delivered = outcome.chains[0].delivered_pps * (1.0 - 1e-9);
        let (nf, stage, nic) = (&setting.nfs["nf"], &setting.instances[0], &machine.nics[0]);
        let framework = machine.framework.rx_cycles + nf.pass * machine.framework.tx_cycles;
        let cycles = (nf.compute_cycles + 64.0 * nf.cycles_per_byte).max(1.0) + framework;
        let share = stage.quota.map_or(1.0, |quota| quota.share);
        prop_assert!(delivered <= outcome.chains[0].capacity_pps);
        prop_assert!(delivered <= offered);
        prop_assert!(delivered <= nic.bandwidth_bytes_s / 84.0);
        prop_assert!(delivered <= share * stage.clock_hz.unwrap_or(machine.clock_hz) / cycles);
    }
}

/// Eleven cores that go over memory cost an NF whose state does not fit a part of its rate; MBA gives some of it back.
#[test]
fn hogs_hurt_and_throttling_them_helps() {
    let machine = example();
    let mut setting = alone(1e8);
    setting.nfs.insert("nf".to_owned(), sextant_twin_core::examples::nf(2e6, 8.0));
    let solo = taken(&machine, &setting).expect("settled");
    setting.neighbours = (1..12).map(|core| memory_hog(&format!("hog{core}"), core)).collect();
    let pressed = taken(&machine, &setting).expect("settled");
    setting.neighbours.iter_mut().for_each(|hog| hog.mba = 0.9);
    let relieved = taken(&machine, &setting).expect("settled");
    assert!(pressed < 0.8 * solo && pressed < 0.99 * relieved && relieved < solo, "{solo} {pressed} {relieved}");
}
