//! Ranges and references of machines and settings. Every quantity is bounded, so that no sum, product or quotient of the
//! model leaves the finite numbers.

use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;

use crate::error::BadInput;
use crate::machine::{Curve, Machine};
use crate::nf::{Nf, Popularity, Stream};
use crate::setting::{Chain, Instance, Neighbour, SMALLEST_FRAME, Setting, Traffic};

/// Most NUMA nodes.
pub const MAX_NODES: usize = 16;
/// Most cores of a node.
pub const MAX_CORES: usize = 256;
/// Most instances, chains, neighbours, NFs each.
pub const MAX_ITEMS: usize = 4096;
/// Longest id, in characters.
pub const MAX_ID: usize = 200;

const SHARE: RangeInclusive<f64> = 0.0..=1.0;
const POSITIVE_SHARE: RangeInclusive<f64> = 1e-6..=1.0;
const BYTES: RangeInclusive<f64> = 0.0..=1e12;
const CACHE_BYTES: RangeInclusive<f64> = 4096.0..=1e10;
const CYCLES: RangeInclusive<f64> = 0.0..=1e9;
const LATENCY_S: RangeInclusive<f64> = 1e-10..=1e-3;
const TIME_S: RangeInclusive<f64> = 0.0..=10.0;
const BYTES_S: RangeInclusive<f64> = 1e6..=1e13;
const RATE: RangeInclusive<f64> = 0.0..=1e12;
const CLOCK_HZ: RangeInclusive<f64> = 1e8..=1e10;
const MLP: RangeInclusive<f64> = 1.0..=1000.0;
const COUNT: RangeInclusive<f64> = 0.0..=1e6;
/// Shares that sum to 1 were written with few digits.
const SUM_SLACK: f64 = 1e-3;

/// A figure, its name and what it may be.
type Figure<'a> = (&'a str, f64, RangeInclusive<f64>);

fn check_all<const N: usize>(figures: [Figure; N]) -> Result<(), BadInput> {
    figures.into_iter().try_for_each(|(field, figure, range)| {
        if range.contains(&figure) {
            return Ok(());
        }
        let message = format!("{figure} is not a number of at least {} and at most {}", range.start(), range.end());
        Err(BadInput::new(field, message))
    })
}

fn check_whole(field: &str, number: usize, range: RangeInclusive<usize>) -> Result<(), BadInput> {
    if range.contains(&number) {
        return Ok(());
    }
    Err(BadInput::new(field, format!("{number} is not a whole number from {} to {}", range.start(), range.end())))
}

/// Refuses a machine that cannot be.
pub fn check_machine(machine: &Machine) -> Result<(), BadInput> {
    check_id("name", &machine.name)?;
    check_whole("nodes", machine.nodes, 1..=MAX_NODES)?;
    check_whole("cores_per_node", machine.cores_per_node, 1..=MAX_CORES)?;
    let (l2, llc, memory, link) = (&machine.l2, &machine.llc, &machine.memory, &machine.link);
    let (handoff, framework) = (&machine.handoff, &machine.framework);
    check_whole("llc.ways", llc.ways as usize, 1..=32)?;
    check_whole("llc.ddio_ways", llc.ddio_ways as usize, 0..=llc.ways as usize)?;
    check_all([
        ("clock_hz", machine.clock_hz, CLOCK_HZ),
        ("l2.bytes", l2.bytes, CACHE_BYTES),
        ("l2.latency_s", l2.latency_s, LATENCY_S),
        ("llc.bytes", llc.bytes, 4096.0 * f64::from(llc.ways)..=1e10),
        ("llc.latency_s", llc.latency_s, l2.latency_s..=1e-3),
        ("llc.spread", llc.spread, 0.0..=100.0),
        ("memory.bandwidth_bytes_s", memory.bandwidth_bytes_s, BYTES_S),
        ("memory.latency_s", memory.latency_s, llc.latency_s..=1e-3),
        ("link.bandwidth_bytes_s", link.bandwidth_bytes_s, BYTES_S),
        ("link.latency_s", link.latency_s, LATENCY_S),
        ("handoff.local_s", handoff.local_s, LATENCY_S),
        ("handoff.remote_s", handoff.remote_s, handoff.local_s..=1e-3),
        ("handoff.mlp", handoff.mlp, MLP),
        ("handoff.ring_lines", handoff.ring_lines, 0.0..=100.0),
        ("handoff.metadata_lines", handoff.metadata_lines, 0.0..=100.0),
        ("framework.rx_cycles", framework.rx_cycles, CYCLES),
        ("framework.tx_cycles", framework.tx_cycles, CYCLES),
        ("framework.ring_cycles", framework.ring_cycles, CYCLES),
        ("framework.slice_s", framework.slice_s, 1e-6..=10.0),
        ("framework.switch_s", framework.switch_s, TIME_S),
    ])?;
    if let Some(siblings) = &machine.siblings {
        check_all([("siblings.gain", siblings.gain, 1.0..=2.0)])?;
    }
    check_curve(&memory.curve).map_err(|bad| bad.within("memory.curve"))?;
    check_curve(&link.curve).map_err(|bad| bad.within("link.curve"))?;
    machine.delays.check().map_err(|bad| bad.within("delays"))?;
    machine.noise.check().map_err(|bad| bad.within("noise"))?;
    each("nics", &machine.nics, |nic| {
        check_whole("node", nic.node, 0..=machine.nodes - 1)?;
        check_all([("bandwidth_bytes_s", nic.bandwidth_bytes_s, BYTES_S), ("packets_s", nic.packets_s, 1.0..=1e12)])
    })
}

fn check_curve(curve: &Curve) -> Result<(), BadInput> {
    check_all([
        ("a", curve.a, 0.0..=100.0),
        ("b_s", curve.b_s, 0.0..=1e-3),
        ("p", curve.p, 1.0..=100.0),
        ("eps", curve.eps, 1e-4..=10.0),
    ])
}

/// Refuses a setting that cannot run on `machine`.
pub fn check_setting(setting: &Setting, machine: &Machine) -> Result<(), BadInput> {
    check_whole("nfs", setting.nfs.len(), 0..=MAX_ITEMS)?;
    for (name, nf) in &setting.nfs {
        check_id("nfs", name)?;
        check_nf(nf).map_err(|bad| bad.within(&format!("nfs.{name}")))?;
    }
    each("instances", &setting.instances, |instance| check_instance(instance, setting, machine))?;
    each("neighbours", &setting.neighbours, |neighbour| check_neighbour(neighbour, machine))?;
    each("chains", &setting.chains, |chain| check_chain(chain, machine))?;
    check_names(setting)?;
    check_pools(setting, machine)
}

fn check_nf(nf: &Nf) -> Result<(), BadInput> {
    check_all([
        ("compute_cycles", nf.compute_cycles, CYCLES),
        ("cycles_per_byte", nf.cycles_per_byte, 0.0..=1e6),
        ("instructions", nf.instructions, CYCLES),
        ("instructions_per_byte", nf.instructions_per_byte, 0.0..=1e6),
        ("packet.header_lines", nf.packet.header_lines, 0.0..=144.0),
        ("packet.payload_read", nf.packet.payload_read, SHARE),
        ("packet.payload_written", nf.packet.payload_written, SHARE),
        ("packet.mlp", nf.packet.mlp, MLP),
        ("pass", nf.pass, SHARE),
    ])?;
    each("streams", &nf.streams, check_stream)
}

fn check_stream(stream: &Stream) -> Result<(), BadInput> {
    check_id("name", &stream.name)?;
    check_all([
        ("bytes", stream.bytes, BYTES),
        ("bytes_per_flow", stream.bytes_per_flow, 0.0..=1e6),
        ("accesses", stream.accesses, COUNT),
        ("accesses_per_byte", stream.accesses_per_byte, 0.0..=1000.0),
        ("write_share", stream.write_share, SHARE),
        ("mlp", stream.mlp, MLP),
    ])?;
    each("popularity", &stream.popularity, |class| {
        check_all([("lines_share", class.lines_share, POSITIVE_SHARE), ("access_share", class.access_share, SHARE)])
    })?;
    check_sum("popularity", &stream.popularity, |class: &Popularity| class.lines_share)?;
    check_sum("popularity", &stream.popularity, |class: &Popularity| class.access_share)
}

fn check_instance(instance: &Instance, setting: &Setting, machine: &Machine) -> Result<(), BadInput> {
    check_id("id", &instance.id)?;
    if !setting.nfs.contains_key(&instance.nf) {
        return Err(BadInput::new("nf", format!("'{}' is none of the setting's nfs", shown(&instance.nf))));
    }
    check_whole("core", instance.core, 0..=machine.cores() - 1)?;
    check_node("memory_node", instance.memory_node, machine)?;
    check_resources(instance.ways, instance.mba, machine)?;
    check_all([("weight", instance.weight, 1.0..=10_000.0)])?;
    if let Some(quota) = instance.quota {
        check_all([("quota.share", quota.share, 1e-3..=1.0), ("quota.period_s", quota.period_s, 1e-4..=10.0)])?;
    }
    instance.clock_hz.map_or(Ok(()), |clock| check_all([("clock_hz", clock, CLOCK_HZ)]))
}

fn check_neighbour(neighbour: &Neighbour, machine: &Machine) -> Result<(), BadInput> {
    check_id("id", &neighbour.id)?;
    check_whole("core", neighbour.core, 0..=machine.cores() - 1)?;
    check_node("memory_node", neighbour.memory_node, machine)?;
    check_resources(neighbour.ways, neighbour.mba, machine)?;
    check_all([
        ("bytes", neighbour.bytes, BYTES),
        ("mlp", neighbour.mlp, MLP),
        ("write_share", neighbour.write_share, SHARE),
        ("accesses_s", neighbour.accesses_s.unwrap_or_default(), RATE),
        ("weight", neighbour.weight, 1.0..=10_000.0),
    ])
}

fn check_chain(chain: &Chain, machine: &Machine) -> Result<(), BadInput> {
    check_id("id", &chain.id)?;
    check_whole("stages", chain.stages.len(), 1..=MAX_ITEMS)?;
    check_traffic(&chain.traffic).map_err(|bad| bad.within("traffic"))?;
    if chain.nic >= machine.nics.len() {
        return Err(BadInput::new("nic", format!("the machine has {} NICs, counted from 0", machine.nics.len())));
    }
    check_node("pool_node", chain.pool_node, machine)?;
    check_whole("rx_core", chain.rx_core.unwrap_or_default(), 0..=machine.cores() - 1)?;
    check_whole("tx_core", chain.tx_core.unwrap_or_default(), 0..=machine.cores() - 1)?;
    check_whole("ring_packets", chain.ring_packets as usize, 1..=1 << 20)?;
    check_whole("pool_packets", chain.pool_packets as usize, 0..=1 << 24)?;
    if let Some(pool) = &chain.pool {
        check_id("pool", pool)?;
        check_whole("pool_packets", chain.pool_packets as usize, 1..=1 << 24)?;
    }
    check_whole("rx_descriptors", chain.rx_descriptors as usize, 1..=1 << 16)?;
    check_whole("tx_descriptors", chain.tx_descriptors as usize, 1..=1 << 16)?;
    check_whole("burst", chain.burst as usize, 1..=4096)
}

fn check_traffic(traffic: &Traffic) -> Result<(), BadInput> {
    check_all([("rate_pps", traffic.rate_pps, RATE), ("flows", traffic.flows, 0.0..=1e9)])?;
    check_whole("frames", traffic.frames.len(), 1..=64)?;
    each("frames", &traffic.frames, |frame| {
        check_all([("bytes", frame.bytes, SMALLEST_FRAME..=9216.0), ("share", frame.share, POSITIVE_SHARE)])
    })?;
    check_sum("frames", &traffic.frames, |frame| frame.share)
}

/// Names are unique, and every stage is an instance of its own.
fn check_names(setting: &Setting) -> Result<(), BadInput> {
    let mut names = HashSet::new();
    let mut places = BTreeMap::new();
    for (index, instance) in setting.instances.iter().enumerate() {
        places.insert(instance.id.as_str(), None::<&str>);
        unique(&mut names, &instance.id, || format!("instances.{index}.id"))?;
    }
    for (index, neighbour) in setting.neighbours.iter().enumerate() {
        unique(&mut names, &neighbour.id, || format!("neighbours.{index}.id"))?;
    }
    let mut chains = HashSet::new();
    for (index, chain) in setting.chains.iter().enumerate() {
        unique(&mut chains, &chain.id, || format!("chains.{index}.id"))?;
        for (position, stage) in chain.stages.iter().enumerate() {
            let field = || format!("chains.{index}.stages.{position}");
            let Some(place) = places.get_mut(stage.as_str()) else {
                return Err(BadInput::new(field(), format!("'{}' is none of the instances", shown(stage))));
            };
            if let Some(chain) = place.replace(&chain.id) {
                return Err(BadInput::new(field(), format!("'{}' is already in chain '{chain}'", shown(stage))));
            }
        }
    }
    Ok(())
}

/// Chains of one pool agree on its size and its node.
fn check_pools(setting: &Setting, machine: &Machine) -> Result<(), BadInput> {
    let mut pools = BTreeMap::new();
    for (index, chain) in setting.chains.iter().enumerate() {
        let Some(name) = &chain.pool else { continue };
        let own = (chain.pool_packets, chain.pool_node.unwrap_or(machine.nics[chain.nic].node));
        let (packets, node) = *pools.entry(name).or_insert(own);
        let (field, other) = match own {
            (own, _) if own != packets => ("pool_packets", format!("has {packets} buffers")),
            (_, own) if own != node => ("pool_node", format!("is on node {node}")),
            _ => continue,
        };
        let message = format!("pool '{}' {other} for another chain: it is one pool", shown(name));
        return Err(BadInput::new(format!("chains.{index}.{field}"), message));
    }
    Ok(())
}

fn unique<'a>(names: &mut HashSet<&'a str>, id: &'a str, field: impl Fn() -> String) -> Result<(), BadInput> {
    if names.insert(id) { Ok(()) } else { Err(BadInput::new(field(), format!("'{id}' is there twice"))) }
}

/// Ways and MBA of one instance.
pub(crate) fn check_resources(ways: Option<u32>, mba: f64, machine: &Machine) -> Result<(), BadInput> {
    check_ways(ways, machine)?;
    check_mba(mba, machine)
}

fn check_ways(ways: Option<u32>, machine: &Machine) -> Result<(), BadInput> {
    let Some(mask) = ways else { return Ok(()) };
    let refuse = |message: String| Err(BadInput::new("ways", message));
    if !machine.llc.cat {
        return refuse(format!("{} has no cache allocation (CAT); leave it out", machine.name));
    }
    if mask == 0 || mask & !machine.all_ways() != 0 {
        return refuse(format!("{mask:#x} is not a mask of at least one of {} ways", machine.llc.ways));
    }
    let from_first = mask >> mask.trailing_zeros();
    if from_first & from_first.wrapping_add(1) != 0 {
        return refuse(format!("{mask:#x} has gaps; CAT wants contiguous ways"));
    }
    Ok(())
}

fn check_mba(throttle: f64, machine: &Machine) -> Result<(), BadInput> {
    check_all([("mba", throttle, 0.0..=0.9)])?;
    if throttle > 0.0 && !machine.mba {
        let message = format!("{} has no memory bandwidth allocation (MBA); leave it out", machine.name);
        return Err(BadInput::new("mba", message));
    }
    Ok(())
}

fn check_node(field: &str, node: Option<usize>, machine: &Machine) -> Result<(), BadInput> {
    check_whole(field, node.unwrap_or_default(), 0..=machine.nodes - 1)
}

fn check_id(field: &str, text: &str) -> Result<(), BadInput> {
    if text.is_empty() || text.chars().nth(MAX_ID).is_some() {
        return Err(BadInput::new(field, format!("is not a name of 1 to {MAX_ID} characters")));
    }
    Ok(())
}

fn check_sum<T>(field: &str, items: &[T], share: impl Fn(&T) -> f64) -> Result<(), BadInput> {
    let sum: f64 = items.iter().map(share).sum();
    if items.is_empty() || (sum - 1.0).abs() <= SUM_SLACK {
        return Ok(());
    }
    Err(BadInput::new(field, format!("their shares sum to {sum}, not to 1")))
}

fn each<T>(field: &str, items: &[T], check: impl Fn(&T) -> Result<(), BadInput>) -> Result<(), BadInput> {
    check_whole(field, items.len(), 0..=MAX_ITEMS)?;
    items
        .iter()
        .enumerate()
        .try_for_each(|(index, item)| check(item).map_err(|bad| bad.within(&format!("{field}.{index}"))))
}

/// A name of the input in a message: never longer than the longest id.
fn shown(name: &str) -> &str {
    name.char_indices().nth(MAX_ID).map_or(name, |(end, _)| &name[..end])
}
