//! More of a resource never harms the NF that is alone on the host; more load never beats capacity.

use proptest::collection::vec;
use proptest::prelude::*;
use sextant_twin_core::cache::{CacheStream, SharedCache};
use sextant_twin_core::examples::{alone, machine as example, memory_hog};
use sextant_twin_core::machine::Machine;
use sextant_twin_core::nf::StreamKind;
use sextant_twin_core::setting::Setting;
use sextant_twin_core::steady::{TOLERANCE, steady};

use crate::tests::common::{DRAWS, Dice, instance, machine, nf};

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

/// The share of hits of the first of `streams` in 1000 sets that lines fall on with unevenness `spread`.
fn hit(spread: f64, streams: &[CacheStream]) -> f64 {
    let mut cache = SharedCache::new(1000.0, spread, streams.to_vec());
    cache.solve();
    cache.hit(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Rings, or state, all alike, beside a scan in their ways: more lines never hit better, a higher rate never worse, more
    /// ways neither. (Of unequal ones the load of sets follows all together: more of one evens out the others.)
    #[test]
    fn hits_go_one_way(
        spread in 0.0..3.0, periodic: bool, ways in 1..16_u32, size in 1.0..5.0, rate in 3.0..9.0, scan in 0.0..9.0,
        alike in 1..5_usize, factor in 1.0..3.0,
    ) {
        let kind = if periodic { StreamKind::Periodic } else { StreamKind::Random };
        let scan = CacheStream { lines: 1.0, rate: 10_f64.powf(scan), ways: 1, kind: StreamKind::Passing };
        let hits = |factors: (f64, f64), count: u32| {
            let (lines, rate) = (10_f64.powf(size) * factors.0, 10_f64.powf(rate) * factors.1);
            let mut all = vec![CacheStream { lines, rate, ways: self::ways(count), kind }; alike];
            all.push(CacheStream { ways: self::ways(count), ..scan });
            hit(spread, &all)
        };
        let now = hits((1.0, 1.0), ways);
        prop_assert!(hits((factor, 1.0), ways) <= now + 1e-7);
        prop_assert!(hits((1.0, factor), ways) >= now - 1e-7);
        prop_assert!(hits((1.0, 1.0), ways + 1) >= now - 1e-7);
    }
}

/// A larger ring, and more packets, never let DMA hit better: rings of 32 to 8192 descriptors at .1 to 40 Mpps.
#[test]
fn dma_hits_fall_with_rings_and_rates() {
    let machine = example();
    let hit = |descriptors: u32, rate: f64| {
        let mut setting = alone(rate);
        setting.chains[0].traffic.frames[0].bytes = 1500.0;
        setting.chains[0].rx_descriptors = descriptors;
        steady(&machine, &setting).chains[0].ddio_hit
    };
    let rings: Vec<u32> = (5..14).map(|power| 1 << power).collect();
    for rate in [1e5, 1e6, 5e6, 2e7, 4e7] {
        let hits: Vec<f64> = rings.iter().map(|ring| hit(*ring, rate)).collect();
        assert!(hits.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6), "{rate}: {hits:?}");
        assert!(hits[8] < 0.9 * hits[0], "{rate}: {hits:?}");
    }
    for ring in rings {
        let hits: Vec<f64> = (0..30).map(|step| hit(ring, 1e5 * 1.25_f64.powi(step))).collect();
        assert!(hits.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6), "{ring}: {hits:?}");
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
