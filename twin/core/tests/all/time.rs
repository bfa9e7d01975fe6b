//! A host in time: worked examples on the example machine (2 GHz, start 1 s, cpuset 10 ms, cgroup 5 ms, link 25 GB/s).

use std::sync::Arc;

use sextant_twin_core::examples::{alone, chain, instance, machine, memory_hog, nf};
use sextant_twin_core::faults::{Fault, FaultOrder, Resource};
use sextant_twin_core::host_report::{NfReport, Report};
use sextant_twin_core::life::State;
use sextant_twin_core::order::Order;
use sextant_twin_core::setting::{Backpressure, Quota, Setting};
use sextant_twin_core::step::Host;

fn host(setting: Setting) -> Host {
    let mut host = Host::new(Arc::new(machine()), 1, 0.1).unwrap();
    host.order(order(setting)).unwrap();
    host
}

fn order(setting: Setting) -> Order {
    Order { setting, ..Order::default() }
}

fn after(host: &mut Host, seconds: f64) -> Report {
    host.step(seconds).unwrap();
    host.report()
}

fn at_once(fault: Fault) -> FaultOrder {
    FaultOrder { after_s: 0.0, fault }
}

/// Two stages of a chain on cores 0 and 1; each about 300 cycles a packet, so some 6 Mpps.
fn pair(rate_pps: f64) -> Setting {
    let mut setting = alone(rate_pps);
    setting.instances.push(instance("b", "nf", 1));
    setting.chains = vec![chain("c", &["a", "b"], rate_pps)];
    setting
}

/// Its NF takes a second to start; then 1 Mpps come: 9,000,000 packets in the other nine seconds, all delivered but for
/// what is in the ring.
#[test]
fn packets_come_once_the_nfs_have_started() {
    let mut host = host(alone(1e6));
    let starting = after(&mut host, 0.95);
    assert_eq!(
        (starting.instances[0].state, starting.chains[0].open, starting.chains[0].offered),
        (State::Starting, false, 0)
    );
    let running = after(&mut host, 9.05);
    let chain = &running.chains[0];
    assert_eq!((chain.offered, chain.source_drops), (9_000_000, 0));
    assert_eq!(chain.delivered + chain.waiting, 9_000_000);
    assert_eq!(chain.delivered_bytes, chain.delivered * 64);
    assert_eq!(running.instances[0].rx, chain.delivered);
}

/// Of an NF in the last of some seconds: what it took, what of its core's time went into that, and CPU time, both in percent.
fn last_second(rate_pps: f64) -> (f64, f64, f64) {
    let mut host = host(alone(rate_pps));
    let before = after(&mut host, 4.0).instances.swap_remove(0);
    let now = after(&mut host, 1.0).instances.swap_remove(0);
    let percent = |from: u64, to: u64| (to - from) as f64 / 1e7;
    ((now.rx - before.rx) as f64, percent(before.busy_ns, now.busy_ns), percent(before.cpu_ns, now.cpu_ns))
}

/// Its CPU says 100 % whatever it carries, since it polls. Offered 10 to 100 % of what it carries, so much of its core's
/// time goes into packets; at low rates a little less a packet, as less waits in queues and caches.
#[test]
fn a_poller_is_as_busy_as_its_packets_keep_it() {
    let (carries, busy, _) = last_second(50e6);
    assert!((99.0..=100.0).contains(&busy), "{busy}");
    for percent in [10.0, 25.0, 50.0, 75.0, 90.0, 100.0] {
        let (_, busy, cpu) = last_second(carries * percent / 100.0);
        assert!((busy - percent).abs() <= 10.0, "{busy} at {percent} %");
        assert!((cpu - 100.0).abs() < 0.1, "{cpu}");
    }
}

/// The reported share of its core is what it could have: all, half of it under a quota, nothing once it has crashed.
#[test]
fn a_quota_bounds_what_an_nf_may_have_of_its_core() {
    let mut setting = alone(1e6);
    let told = |setting: &Setting| after(&mut host(setting.clone()), 3.0).instances[0].core_share;
    assert_eq!(told(&setting), 1.0);
    setting.instances[0].quota = Some(Quota { share: 0.5, period_s: 0.01 });
    assert!((told(&setting) - 0.5).abs() < 1e-9);
    let mut crashed = host(setting);
    after(&mut crashed, 3.0);
    crashed.fault(at_once(Fault::NfCrash { instance: "a".to_owned(), restart_after_s: None })).unwrap();
    assert_eq!(after(&mut crashed, 0.2).instances[0].core_share, 0.0);
}

/// One call or many, the same: ticks and events lie on the host's own clock.
#[test]
fn how_often_the_clock_is_moved_changes_nothing() {
    let walk = |parts: &[f64]| {
        let mut order = order(pair(5e6));
        order.arrivals.entry("c".to_owned()).or_default().poisson = true;
        let mut host = Host::new(Arc::new(machine()), 7, 0.1).unwrap();
        host.order(order).unwrap();
        host.fault(FaultOrder { after_s: 1.234, fault: Fault::NicFlap { nic: 0, for_s: 0.1 } }).unwrap();
        for dt in parts {
            host.step(*dt).unwrap();
        }
        serde_json::to_string(&host.report()).unwrap()
    };
    let whole = walk(&[3.0]);
    assert_eq!(whole, walk(&[0.1; 30]));
    assert_eq!(whole, walk(&[0.25; 12]));
    assert_eq!(whole, walk(&[1.3, 0.033, 1.6, 0.067]));
}

/// 100,000,000 lines of 64 B are 6.4 GB: over the link at 25 GB/s they take 256 ms, beginning 10 ms after the order. In
/// these the NF takes nothing. On the same node a move costs no standstill.
#[test]
fn a_move_to_another_node_stands_still_for_its_copy() {
    let mut setting = alone(1e5);
    setting.nfs.insert("nf".to_owned(), nf(1e8, 4.0));
    let mut host = host(setting.clone());
    after(&mut host, 2.0);
    setting.instances[0].core = 1;
    host.order(order(setting.clone())).unwrap();
    let near = after(&mut host, 0.1);
    assert_eq!((near.instances[0].core, near.instances[0].moving, near.chains[0].source_drops), (1, false, 0));
    setting.instances[0].core = 12;
    host.order(order(setting)).unwrap();
    let copying = after(&mut host, 0.2);
    assert_eq!((copying.instances[0].core, copying.instances[0].moving), (12, true));
    let done = after(&mut host, 0.1);
    assert!(!done.instances[0].moving);
    // .256 s x 1e5 = 25,600 packets came meanwhile; 512 descriptors hold that many, the rest was lost.
    assert!(done.chains[0].source_drops.abs_diff(25_600 - 512) <= 1, "{}", done.chains[0].source_drops);
    assert!(done.links[0].bytes >= 6_400_000_000);
}

/// The second of two NFs crashes: its ring of 1024 fills, the rest of 0.5 s x 1 Mpps is lost before it. Ordered to
/// start again, it takes packets a second later.
#[test]
fn a_crashed_nf_fills_its_ring_until_it_is_started() {
    let mut host = host(pair(1e6));
    let before = after(&mut host, 2.0);
    host.fault(at_once(Fault::NfCrash { instance: "b".to_owned(), restart_after_s: None })).unwrap();
    let crashed = after(&mut host, 0.5);
    let b = &crashed.instances[1];
    assert_eq!((b.state, b.ring_used, crashed.faults.len()), (State::Crashed, 1024, 1));
    assert!(b.drops.abs_diff(500_000 - 1024) <= 1, "{}", b.drops);
    assert_eq!(b.rx, before.instances[1].rx);
    host.start("b").unwrap();
    let again = after(&mut host, 1.2);
    assert_eq!((again.instances[1].state, again.instances[1].starts, again.faults.len()), (State::Running, 2, 0));
    assert!(again.instances[1].rx > b.rx + 190_000);
}

/// Between threads on cores 2 and 3 the second of two NFs takes a tenth of 5 Mpps or less. By watermarks the first does nothing
/// for the rest: the thread before it, whose own time is enough for all, is let have what the second takes, now and then. Of
/// ten seconds at ticks of 100 ms, in each of which its ring fills and drains many times, as much comes as in steady state.
#[test]
fn watermarks_hold_back_what_the_slowest_does_not_take() {
    let mut setting = pair(5e6);
    let mut slow = nf(10_000.0, 4.0);
    slow.compute_cycles = 4000.0;
    setting.nfs.insert("slow".to_owned(), slow);
    "slow".clone_into(&mut setting.instances[1].nf);
    let chain = &mut setting.chains[0];
    (chain.rx_core, chain.tx_core, chain.backpressure) = (Some(2), Some(3), Backpressure::Watermarks);
    let steady = sextant_twin_core::steady::steady(&machine(), &setting).chains.remove(0);
    let mut host = host(setting);
    let before = after(&mut host, 2.0);
    let now = after(&mut host, 10.0);
    let delivered = (now.chains[0].delivered - before.chains[0].delivered) as f64 / 10.0;
    assert!(steady.delivered_pps < 0.1 * 5e6 && (delivered / steady.delivered_pps - 1.0).abs() < 1e-3, "{delivered}");
    let [first, second] = &now.instances[..] else { panic!("two NFs") };
    assert_eq!((first.drops, second.drops), (0, 0));
    assert!((613..=821).contains(&second.ring_used) && second.ring_peak <= 821, "{second:?}");
    assert!(now.chains[0].source_drops > 40_000_000);
}

/// A NIC without its link for 0.3 s loses 300,000 of 1 Mpps.
#[test]
fn a_flapping_nic_loses_what_comes() {
    let mut host = host(alone(1e6));
    after(&mut host, 2.0);
    host.fault(FaultOrder { after_s: 0.2, fault: Fault::NicFlap { nic: 0, for_s: 0.3 } }).unwrap();
    assert_eq!(after(&mut host, 1.0).chains[0].source_drops, 300_000);
}

/// A host that was off has nothing, reports that, and takes orders again.
#[test]
fn a_host_comes_back_empty() {
    let mut host = host(alone(1e6));
    after(&mut host, 2.0);
    host.fault(at_once(Fault::HostDown { for_s: 5.0 })).unwrap();
    let off = after(&mut host, 4.9);
    assert_eq!((off.up, off.epoch, off.instances.len()), (false, 0, 0));
    assert!(host.order(order(alone(1e6))).unwrap_err().message.contains("off"));
    let back = after(&mut host, 0.1);
    assert_eq!((back.up, back.epoch, back.chains.len(), back.faults.len()), (true, 1, 0, 0));
    host.order(order(alone(1e6))).unwrap();
    assert!(after(&mut host, 2.0).chains[0].delivered > 900_000);
}

/// A hog on another core of the node, 10 s to 20 s: the NF's misses cost more while it is there, and no longer after it.
#[test]
fn a_noisy_neighbour_costs_cycles_while_it_is_there() {
    let mut setting = alone(20e6);
    setting.nfs.insert("nf".to_owned(), nf(200_000.0, 10.0));
    let mut host = host(setting);
    after(&mut host, 5.0);
    let fault = Fault::NoisyNeighbour { resource: Resource::Cache, cores: (1..12).collect(), for_s: 10.0 };
    host.fault(FaultOrder { after_s: 5.0, fault }).unwrap();
    let mut cycles = || {
        let before = host.report().instances[0].clone();
        let now = after(&mut host, 5.0).instances[0].clone();
        (now.cycles - before.cycles) as f64 / (now.rx - before.rx) as f64
    };
    let (quiet, noisy) = (cycles(), cycles());
    cycles();
    let again = cycles();
    assert!(noisy > 1.1 * quiet, "{quiet} {noisy}");
    assert!((again / quiet - 1.0).abs() < 0.02, "{quiet} {again}");
}

/// Two hogs, 5 s to 15 s, on cores 2 and 3 that run nothing else: each keeps its core busy for those 10 s, no other core,
/// and nobody who reads the counter later sees it fall.
#[test]
fn a_noisy_neighbour_uses_the_time_of_its_cores() {
    let mut host = host(alone(1e6));
    let fault = Fault::NoisyNeighbour { resource: Resource::Memory, cores: vec![2, 3], for_s: 10.0 };
    host.fault(FaultOrder { after_s: 5.0, fault }).unwrap();
    let seconds = |report: &Report| report.other_cpu_ns.iter().map(|&ns| ns as f64 / 1e9).collect::<Vec<f64>>();
    assert!(seconds(&after(&mut host, 5.0)).iter().all(|&used| used == 0.0));
    for (dt, used) in [(5.0, 5.0), (10.0, 10.0)] {
        for (core, found) in seconds(&after(&mut host, dt)).into_iter().enumerate() {
            let expected = if core == 2 || core == 3 { used } else { 0.0 };
            assert!((found - expected).abs() < 0.02 * used, "core {core}: {found} s, not {expected} s");
        }
    }
}

/// Paused, a chain is offered nothing 5 ms later, and keeps what waits and its NFs.
#[test]
fn a_paused_chain_keeps_its_state() {
    let mut host = host(pair(1e6));
    after(&mut host, 2.0);
    let mut paused = order(pair(1e6));
    paused.paused.insert("c".to_owned());
    host.order(paused).unwrap();
    let report = after(&mut host, 1.0);
    assert_eq!((report.chains[0].offered, report.chains[0].paused), (1_005_000, true));
    host.order(order(pair(1e6))).unwrap();
    let report = after(&mut host, 1.0);
    assert_eq!((report.chains[0].offered, report.instances[1].starts, report.chains[0].life), (2_000_000, 1, 1));
}

/// A quota of half of every 100 ms: for 50 ms nothing is taken, so of 1 Mpps 50,000 come, 512 wait, 49,488 are lost, in
/// each of ten periods a second. It takes the other 50,000 and those 512.
#[test]
fn a_quota_loses_what_comes_while_it_holds_still() {
    let mut setting = alone(1e6);
    setting.instances[0].quota = Some(Quota { share: 0.5, period_s: 0.1 });
    let mut host = host(setting);
    let before = after(&mut host, 2.0);
    let now = after(&mut host, 1.0);
    let lost = now.chains[0].source_drops - before.chains[0].source_drops;
    assert!(lost.abs_diff(10 * 49_488) <= 10, "{lost}");
    let throttled = now.instances[0].throttled_ns - before.instances[0].throttled_ns;
    assert!(throttled.abs_diff(500_000_000) < 1_000_000, "{throttled}");
}

/// Counters are those of the steady state, to their error of 1 to 1.5 % a second, over 20 s.
#[test]
fn hardware_counters_tell_the_steady_state_with_noise() {
    let setting = alone(1e6);
    let steady = sextant_twin_core::steady::steady(&machine(), &setting).instances.remove(0);
    let mut host = host(setting);
    let per_packet = |nf: &NfReport, count: u64| count as f64 / nf.rx as f64;
    let nf = after(&mut host, 21.0).instances.remove(0);
    for (told, known) in
        [(nf.cycles, steady.cycles), (nf.instructions, steady.instructions), (nf.llc_references, steady.llc_references)]
    {
        let off = per_packet(&nf, told) / known - 1.0;
        assert!(off.abs() < 0.015, "{told} {known}");
        assert!(off != 0.0);
    }
}

/// What cannot be is refused by its field, and changes nothing.
#[test]
fn bad_orders_and_faults_are_refused() {
    let mut host = host(alone(1e6));
    let mut bad = order(alone(1e6));
    bad.paused.insert("nobody".to_owned());
    assert_eq!(host.order(bad).unwrap_err().field, "paused.nobody");
    assert_eq!(host.step(f64::NAN).unwrap_err().field, "dt_s");
    let refused = |host: &mut Host, fault| host.fault(at_once(fault)).unwrap_err().field;
    assert_eq!(refused(&mut host, Fault::NicFlap { nic: 1, for_s: 1.0 }), "fault.nic");
    assert_eq!(
        refused(&mut host, Fault::NfCrash { instance: "x".to_owned(), restart_after_s: None }),
        "fault.instance"
    );
    let cores = vec![0, 24];
    let noisy = Fault::NoisyNeighbour { resource: Resource::Memory, cores, for_s: 1.0 };
    assert_eq!(refused(&mut host, noisy), "fault.cores.1");
    let mut hog = order(alone(1e6));
    hog.setting.neighbours.push(memory_hog("a", 1));
    assert_eq!(host.order(hog).unwrap_err().field, "setting.neighbours.0.id");
}
