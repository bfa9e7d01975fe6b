//! What is reported of a steady state: its outcome.

use crate::access::Access;
use crate::cache::SharedCache;
use crate::layout::{Role, Worker};
use crate::machine::LINE_BYTES;
use crate::memory::Pipe;
use crate::outcome::{ChainOutcome, InstanceOutcome, Latency, LinkOutcome, NeighbourOutcome, NodeOutcome, Outcome};
use crate::packets::Path;
use crate::queue::{Fill, Pause, Queue};
use crate::setting::Setting;
use crate::steady::{Load, Solver};

/// All of it, in the setting's order.
pub fn report(solver: &Solver, setting: &Setting) -> Outcome {
    let chains = setting.chains.iter().enumerate().map(|(index, chain)| chain_outcome(solver, index, &chain.id));
    let neighbours = setting.neighbours.iter().zip(of_role(solver, Role::Neighbour));
    Outcome {
        chains: chains.collect(),
        instances: instances(solver, setting),
        neighbours: neighbours.map(|(neighbour, index)| neighbour_outcome(solver, index, &neighbour.id)).collect(),
        nodes: solver.pipes.memory.iter().map(node_outcome).collect(),
        links: links(solver),
        rounds: solver.rounds,
        residual: solver.residual,
    }
}

fn of_role(solver: &Solver, role: Role) -> impl Iterator<Item = usize> {
    let workers = solver.layout.workers.iter().enumerate();
    workers.filter(move |(_, worker)| worker.role == role).map(|(index, _)| index)
}

fn chain_outcome(solver: &Solver, index: usize, id: &str) -> ChainOutcome {
    let (path, flow, dma) = (&solver.layout.paths[index], solver.flows[index], solver.dma[index]);
    let thread_s = |worker: usize| match solver.layout.workers[worker].role {
        Role::Thread => solver.loads[worker].service,
        _ => 0.0,
    };
    ChainOutcome {
        id: id.to_owned(),
        offered_pps: path.offered,
        delivered_pps: flow.delivered,
        arriving_pps: flow.arriving,
        dropped_pps: flow.dropped_at_nic + flow.dropped_at_rings,
        filtered_pps: flow.filtered,
        dropped_at_nic_pps: flow.dropped_at_nic,
        capacity_pps: flow.capacity,
        dma_lines: dma.lines,
        ddio_hit: dma.hit,
        first_read_hit: dma.first_hit,
        latency: latency(solver, path),
        rx_service_s: thread_s(path.workers.start),
        tx_service_s: thread_s(path.workers.end - 1),
        ends_pps: (solver.loads[path.workers.start].capacity, solver.loads[path.workers.end - 1].capacity),
    }
}

/// Means add; of a percentile, what is above the mean adds as the square root of the sum of squares, as it does where
/// waits are independent.
fn latency(solver: &Solver, path: &Path) -> Latency {
    let mut sum = Latency::default();
    let mut above = [0.0; 3];
    for index in path.workers.clone() {
        let waits = waits(solver, path, index);
        sum.mean_s += waits.mean_s;
        let beyond = [waits.p50_s, waits.p95_s, waits.p99_s].map(|at| at - waits.mean_s);
        above.iter_mut().zip(beyond).for_each(|(sum, beyond)| *sum += beyond * beyond.abs());
    }
    let [p50, p95, p99] = above.map(|square: f64| square.abs().sqrt().copysign(square));
    sum.p50_s = (sum.mean_s + p50).max(0.0);
    sum.p95_s = (sum.mean_s + p95).max(sum.p50_s);
    sum.p99_s = (sum.mean_s + p99).max(sum.p95_s);
    sum
}

/// The time at one worker: in the queue before it, behind others of the same burst, standing still, being served.
fn waits(solver: &Solver, path: &Path, index: usize) -> Latency {
    let (worker, load) = (&solver.layout.workers[index], &solver.loads[index]);
    let (ring, batch) = ring(solver, path, index);
    let packet_s = 1.0 / load.capacity;
    let pauses = pauses(solver, worker, load);
    let served = packet_s * (1.0 + (batch - 1.0) / 2.0);
    let at = |p: f64| {
        let still = pauses.iter().map(|pause| pause.quantile(p)).fold(0.0, f64::max);
        ring.quantile(p) * packet_s + still + served
    };
    let mean_s = ring.mean() * packet_s + pauses.iter().map(Pause::mean).sum::<f64>() + served;
    Latency { mean_s, p50_s: at(0.5), p95_s: at(0.95), p99_s: at(0.99) }
}

/// What waits before a worker, and in batches of how many: the busier it is, the more of a burst comes at once.
fn ring(solver: &Solver, path: &Path, index: usize) -> (Fill, f64) {
    let load = &solver.loads[index];
    let room = if index == path.workers.start { path.rx_descriptors } else { path.ring.min(solver.rings[path.chain]) };
    let rho = load.arriving / load.capacity;
    let batch = (1.0 + (path.burst - 1.0) * rho.min(1.0)).min(room);
    let queue = Fill::Queue { queue: Queue::new(rho, room / batch), batch };
    (load.held.map_or(queue, |(least, most)| Fill::Held { least, most }), batch)
}

/// Where the worker's quota is used up, or others have its core.
fn pauses(solver: &Solver, worker: &Worker, load: &Load) -> Vec<Pause> {
    let mut pauses = Vec::new();
    let used = if worker.polling { 1.0 } else { (load.arriving / load.capacity).min(1.0) };
    if let Some(quota) = worker.quota.filter(|quota| quota.share <= load.slice_share * used * 1.000_001) {
        pauses.push(Pause { held_s: (1.0 - quota.share) * quota.period_s, period_s: quota.period_s });
    } else if load.slice_share < 1.0 && worker.role != Role::Thread {
        let slice_s = solver.machine.framework.slice_s;
        let period_s = slice_s / load.slice_share;
        pauses.push(Pause { held_s: period_s - slice_s, period_s });
    }
    pauses
}

fn instances(solver: &Solver, setting: &Setting) -> Vec<InstanceOutcome> {
    let named =
        setting.instances.iter().map(|one| InstanceOutcome { id: one.id.clone(), ..InstanceOutcome::default() });
    let mut outcomes: Vec<InstanceOutcome> = named.collect();
    for (index, worker) in solver.layout.workers.iter().enumerate().filter(|(_, worker)| worker.role == Role::Stages) {
        let path = solver.layout.paths.iter().find(|path| path.workers.contains(&index));
        for (place, part) in worker.parts.iter().enumerate() {
            if let Some(instance) = part.instance {
                fill_instance(solver, &mut outcomes[instance], (index, place), path);
            }
        }
    }
    outcomes
}

fn fill_instance(solver: &Solver, outcome: &mut InstanceOutcome, (index, place): (usize, usize), path: Option<&Path>) {
    let (worker, load) = (&solver.layout.workers[index], &solver.loads[index]);
    let (part, cost) = (&worker.parts[place], &load.costs[place]);
    let taken = load.taken * part.reach;
    outcome.taken_pps = taken;
    outcome.arriving_pps = if place == 0 { load.arriving } else { taken };
    outcome.dropped_pps = outcome.arriving_pps - taken;
    outcome.filtered_pps = taken * (1.0 - part.pass);
    outcome.capacity_pps = load.capacity * part.reach;
    outcome.core_share = load.share;
    if let Some(path) = path.filter(|_| place == 0) {
        outcome.ring_packets = if load.arriving > 0.0 { ring(solver, path, index).0.mean() } else { 0.0 };
    }
    outcome.service_s = cost.seconds;
    outcome.cycles = cost.seconds * part.clock_hz;
    outcome.stalled_cycles = cost.stalled_s * part.clock_hz;
    outcome.instructions = part.instructions;
    outcome.llc_references = cost.references;
    outcome.llc_misses = cost.misses;
    outcome.local_bytes_s = taken * cost.local_bytes;
    outcome.remote_bytes_s = taken * cost.remote_bytes;
    let cache = &solver.layout.caches[worker.node];
    outcome.occupancy_bytes = occupancy(cache, &part.accesses);
}

/// Bytes by way of what is accessed.
fn occupancy(cache: &SharedCache, accesses: &[Access]) -> Vec<f64> {
    let mut bytes = Vec::new();
    for access in accesses {
        let held = cache.occupancy(access.stream);
        bytes.resize(bytes.len().max(held.len()), 0.0);
        bytes.iter_mut().zip(held).for_each(|(bytes, lines)| *bytes += lines * LINE_BYTES);
    }
    bytes
}

fn neighbour_outcome(solver: &Solver, index: usize, id: &str) -> NeighbourOutcome {
    let (worker, load) = (&solver.layout.workers[index], &solver.loads[index]);
    let (access, cost) = (&worker.parts[0].accesses[0], &load.costs[0]);
    let cache = &solver.layout.caches[worker.node];
    NeighbourOutcome {
        id: id.to_owned(),
        accesses_s: load.taken,
        llc_hit: cache.hit(access.stream),
        occupancy_bytes: occupancy(cache, std::slice::from_ref(access)).iter().sum(),
        bytes_s: load.taken * (cost.local_bytes + cost.remote_bytes),
        core: worker.core,
        core_used: if worker.polling { load.share } else { load.share.min(load.taken * load.service) },
    }
}

fn node_outcome(pipe: &Pipe) -> NodeOutcome {
    NodeOutcome {
        memory_bytes_s: pipe.bytes_s,
        dma_bytes_s: pipe.dma_bytes_s,
        memory_load: pipe.load(),
        memory_latency_s: pipe.latency(),
    }
}

fn links(solver: &Solver) -> Vec<LinkOutcome> {
    let nodes = 0..solver.machine.nodes;
    let pairs = nodes.clone().flat_map(|from| nodes.clone().map(move |to| (from, to))).filter(|(from, to)| from != to);
    let outcome = |(from, to)| {
        let pipe = solver.pipes.between(from, to);
        LinkOutcome { from, to, bytes_s: pipe.bytes_s, load: pipe.load(), latency_s: pipe.latency() }
    };
    pairs.map(outcome).collect()
}
