//! Laws of a host in time, over random settings, orders, faults and steps.

use std::sync::Arc;

use proptest::prelude::*;
use sextant_twin_core::examples::{chain, instance, machine, nf};
use sextant_twin_core::faults::{Fault, FaultOrder, Resource};
use sextant_twin_core::host_report::Report;
use sextant_twin_core::order::Order;
use sextant_twin_core::setting::{Backpressure, Execution, Quota, Setting};
use sextant_twin_core::step::Host;
use sextant_twin_core::traffic::{Arrivals, Shape};

/// What is done with a host.
#[derive(Debug, Clone)]
enum Deed {
    Step(f64),
    Order(Box<Order>),
    Fault(FaultOrder),
    Start(String),
}

fn arrivals() -> impl Strategy<Value = Arrivals> {
    let shape = prop_oneof![
        Just(Shape::Constant),
        (0.001..0.5, 0.001..0.5).prop_map(|(on_s, off_s)| Shape::OnOff { on_s, off_s }),
        (1.0..100.0, 0.0..=1.0).prop_map(|(period_s, swing)| Shape::Diurnal { period_s, swing, peak_s: 0.0 }),
        (0.0..1e7f64, 0.1..2.0)
            .prop_map(|(rate, at)| Shape::Replay { points: vec![(0.0, rate), (at, 0.0)], every_s: None }),
    ];
    (shape, any::<bool>()).prop_map(|(shape, poisson)| Arrivals { shape, poisson })
}

/// A chain: cores, rate, quota, run to completion, with threads, backpressure.
type Drawn = (Vec<usize>, f64, Option<f64>, bool, bool, Backpressure, Arrivals);

fn drawn() -> impl Strategy<Value = Drawn> {
    (
        prop::collection::vec(0..24usize, 1..4),
        prop_oneof![Just(0.0), 1.0..1e4, 1e5..5e7],
        prop::option::of(0.01..=1.0),
        any::<bool>(),
        any::<bool>(),
        prop::sample::select(vec![Backpressure::None, Backpressure::Watermarks, Backpressure::Strict]),
        arrivals(),
    )
}

fn order() -> impl Strategy<Value = Order> {
    let nf_kind = (0.0..=1.0, 100.0..1e6, 0.0..20.0);
    (nf_kind, prop::collection::vec(drawn(), 0..4), prop::collection::vec(any::<bool>(), 4)).prop_map(
        |((pass, lines, accesses), chains, paused)| {
            let mut setting = Setting::default();
            let mut order = Order::default();
            let mut kind = nf(lines, accesses);
            kind.pass = pass;
            setting.nfs.insert("nf".to_owned(), kind);
            setting.nfs.insert("other".to_owned(), nf(1000.0, 1.0));
            for (number, (cores, rate, quota, together, threads, backpressure, arrivals)) in
                chains.into_iter().enumerate()
            {
                let id = format!("c{number}");
                let stages: Vec<String> = (0..cores.len()).map(|stage| format!("{id}.{stage}")).collect();
                for (stage, core) in stages.iter().zip(&cores) {
                    let mut one = instance(stage, if core % 2 == 0 { "nf" } else { "other" }, *core);
                    one.quota = quota.map(|share| Quota { share, period_s: 0.1 });
                    one.polling = core % 3 > 0;
                    setting.instances.push(one);
                }
                let names: Vec<&str> = stages.iter().map(String::as_str).collect();
                let mut made = chain(&id, &names, rate);
                made.execution = if together { Execution::RunToCompletion } else { Execution::Isolated };
                (made.rx_core, made.tx_core) = if threads { (Some(0), Some(1)) } else { (None, None) };
                made.backpressure = backpressure;
                setting.chains.push(made);
                if paused[number] {
                    order.paused.insert(id.clone());
                }
                order.arrivals.insert(id, arrivals);
            }
            Order { setting, ..order }
        },
    )
}

fn fault() -> impl Strategy<Value = FaultOrder> {
    let crash = (0..4, 0..3, prop::option::of(0.0..1.0)).prop_map(|(chain, stage, restart_after_s)| Fault::NfCrash {
        instance: format!("c{chain}.{stage}"),
        restart_after_s,
    });
    let kind = prop_oneof![
        3 => crash,
        1 => (0.01..1.0).prop_map(|for_s| Fault::NicFlap { nic: 0, for_s }),
        1 => (0.01..1.0).prop_map(|for_s| Fault::HostDown { for_s }),
        1 => (0..24usize, 0.01..1.0).prop_map(|(core, for_s)| Fault::NoisyNeighbour {
            resource: if core % 2 == 0 { Resource::Cache } else { Resource::Memory },
            cores: vec![core],
            for_s,
        }),
    ];
    (kind, prop_oneof![Just(0.0), 0.0..1.0]).prop_map(|(fault, after_s)| FaultOrder { after_s, fault })
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        6 => prop_oneof![Just(0.1), 0.0..2.0].prop_map(Deed::Step),
        2 => order().prop_map(|order| Deed::Order(Box::new(order))),
        2 => fault().prop_map(Deed::Fault),
        1 => (0..4, 0..3).prop_map(|(chain, stage)| Deed::Start(format!("c{chain}.{stage}"))),
    ]
}

/// What cannot be done is refused, and nothing has happened.
fn do_it(host: &mut Host, deed: Deed) {
    match deed {
        Deed::Step(dt_s) => host.step(dt_s).unwrap(),
        Deed::Order(order) => drop(host.order(*order)),
        Deed::Fault(fault) => drop(host.fault(fault)),
        Deed::Start(instance) => drop(host.start(&instance)),
    }
}

/// offered = lost at the NIC + lost by NFs + filtered + delivered + in rings; each delivered packet has one latency.
fn conserves(report: &Report) -> Result<(), TestCaseError> {
    for chain in &report.chains {
        let own = |id: &str| id.strip_prefix(&chain.id).is_some_and(|rest| rest.starts_with('.'));
        let members = report.instances.iter().filter(|nf| own(&nf.id));
        let within: u64 = members.map(|nf| nf.drops + nf.filtered).sum();
        prop_assert_eq!(chain.offered, chain.source_drops + within + chain.delivered + chain.waiting);
        prop_assert_eq!(chain.latency.iter().map(|(_, count)| count).sum::<u64>(), chain.delivered);
    }
    for nf in &report.instances {
        prop_assert_eq!(nf.rx, nf.tx + nf.filtered);
        prop_assert!(nf.ring_used <= nf.ring_size && nf.ring_peak <= nf.ring_size);
        prop_assert!(nf.llc_misses as f64 <= 1.2 * nf.llc_references as f64 + 1.0);
    }
    for load in report.nodes.iter().map(|node| node.memory_load).chain(report.links.iter().map(|link| link.load)) {
        prop_assert!((0.0..=1.0).contains(&load));
    }
    Ok(())
}

/// Counters of what lives on never fall.
fn rises(before: &Report, now: &Report) -> Result<(), TestCaseError> {
    prop_assert!(now.epoch >= before.epoch && now.taken_ns >= before.taken_ns);
    for chain in &now.chains {
        if let Some(was) = before.chains.iter().find(|was| was.id == chain.id && was.life == chain.life) {
            prop_assert!(chain.offered >= was.offered && chain.delivered >= was.delivered);
            prop_assert!(chain.source_drops >= was.source_drops && chain.sent >= was.sent);
            let own = |id: &str| id.strip_prefix(&chain.id).is_some_and(|rest| rest.starts_with('.'));
            for nf in now.instances.iter().filter(|nf| own(&nf.id)) {
                let Some(old) = before.instances.iter().find(|old| old.id == nf.id) else { continue };
                prop_assert!(nf.rx >= old.rx && nf.drops >= old.drops && nf.cpu_ns >= old.cpu_ns);
                prop_assert!(nf.cycles >= old.cycles && nf.llc_misses >= old.llc_misses && nf.starts >= old.starts);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn packets_are_conserved_and_counters_rise(deeds in prop::collection::vec(deed(), 1..12), first in order()) {
        let mut host = Host::new(Arc::new(machine()), 3, 0.1).unwrap();
        host.order(first).unwrap();
        host.step(1.5).unwrap();
        let mut before = host.report();
        for deed in deeds {
            do_it(&mut host, deed);
            let now = host.report();
            conserves(&now)?;
            rises(&before, &now)?;
            prop_assert!(!now.json().unwrap().contains("null,\"rx"), "a figure that is none");
            before = now;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn equal_seeds_give_equal_hosts(deeds in prop::collection::vec(deed(), 1..8), cut in 1..7u32) {
        let mut hosts = [(); 2].map(|()| Host::new(Arc::new(machine()), 3, 0.1).unwrap());
        for deed in deeds {
            match deed {
                // The same time in one step and in several whole nanoseconds.
                Deed::Step(dt_s) => {
                    let part = (dt_s / f64::from(cut) * 1e9).floor() / 1e9;
                    (0..cut).for_each(|_| hosts[1].step(part).unwrap());
                    hosts[0].step(f64::from(cut) * part).unwrap();
                }
                deed => hosts.iter_mut().for_each(|host| do_it(host, deed.clone())),
            }
        }
        prop_assert_eq!(hosts[0].report(), hosts[1].report());
    }
}
