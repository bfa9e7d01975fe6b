//! The steady state of a host: rates, hits, latencies and costs that agree with each other (sections 1 to 6).
//!
//! One round: how much each worker takes with its present cost; how the caches stand with these rates; what memories and
//! links carry; what a packet costs then. Hits and latencies go towards their new values by `relax`, until no one moves.

use crate::circulation::DmaState;
use crate::core_share::{Claim, after_switching, share};
use crate::cost::{Cost, Dma, Relaxing, Surroundings};
use crate::flow::{Flow, flow};
use crate::layout::{Layout, Role, Worker};
use crate::machine::{LINE_BYTES, Machine};
use crate::memory::{Pipes, Reader};
use crate::outcome::Outcome;
use crate::relax::Relaxed;
use crate::report::report;
use crate::setting::Setting;
use crate::siblings::Sibling;

/// Relative change at which a value counts as settled.
pub const TOLERANCE: f64 = 1e-7;
/// Rounds at most.
pub const MOST_ROUNDS: u32 = 600;
/// How steeply queues before a worker fill near its capacity: full, as a share, at utilisation to this power.
const STEEPNESS: i32 = 24;

/// A host on its way to its steady state, or in it. What it knows from one it uses for the next.
#[derive(Debug, Clone)]
pub struct Solver {
    /// The host model.
    pub machine: Machine,
    /// The setting by indices.
    pub layout: Layout,
    /// Memories and links.
    pub pipes: Pipes,
    /// By worker.
    pub loads: Vec<Load>,
    /// By chain.
    pub dma: Vec<Dma>,
    /// By chain.
    pub flows: Vec<Flow>,
    /// Rounds of the last solution.
    pub rounds: u32,
    /// Its largest change in the last round.
    pub residual: f64,
    /// By core that has any: its workers.
    cores: Vec<Vec<usize>>,
    /// By node, then stream of its cache.
    hits: Vec<Vec<Relaxed>>,
    /// By chain.
    pub dma_state: Vec<DmaState>,
    /// By chain, packets that each of its rings has buffers for.
    pub rings: Vec<f64>,
    /// By chain, then as of its path: where lines are that waited between two workers.
    pub waiting: Vec<Vec<Relaxing>>,
    /// By worker, what the other thread of its physical core does to it; none: nobody is there.
    pub siblings: Vec<Option<Sibling>>,
}

/// How a worker stands.
#[derive(Debug, Clone)]
pub struct Load {
    /// Packets a second that come to it.
    pub arriving: f64,
    /// That it takes.
    pub taken: f64,
    /// That it could take.
    pub capacity: f64,
    /// The part of the core it gets if it wants it, switching taken off.
    pub share: f64,
    /// The same with it.
    pub slice_share: f64,
    /// By part.
    pub costs: Vec<Cost>,
    /// Seconds of the core a packet.
    pub service: f64,
    /// How full its queue is, as a share, when it has as much as it can take.
    pub level: f64,
    /// Least and most packets in its queue where watermarks keep it from being empty or full.
    pub held: Option<(f64, f64)>,
    /// The part of the core that it would use if it had it alone; who polls uses all.
    demand: Relaxed,
}

impl Load {
    /// How full the queue before it is, as a share.
    pub fn fullness(&self) -> f64 {
        self.level * (self.arriving / self.capacity).min(1.0).powi(STEEPNESS)
    }
}

/// The steady state of a checked setting.
pub fn steady(machine: &Machine, setting: &Setting) -> Outcome {
    let mut solver = Solver::new(machine, setting);
    solver.solve();
    report(&solver, setting)
}

impl Solver {
    /// At the start: idle caches and memories.
    pub fn new(machine: &Machine, setting: &Setting) -> Self {
        let layout = Layout::new(machine, setting);
        let mut pipes = Pipes::new(machine, layout.workers.iter().map(|worker| worker.node));
        let mut cores = vec![Vec::new(); machine.cores()];
        layout.workers.iter().enumerate().for_each(|(index, worker)| cores[worker.core].push(index));
        cores.retain(|workers| !workers.is_empty());
        let hit_all = Dma { lines: 0.0, hit: 1.0, first_hit: 1.0 };
        let hits: Vec<Vec<Relaxed>> =
            layout.caches.iter().map(|cache| vec![Relaxed::new(1.0); cache.streams.len()]).collect();
        let waiting: Vec<Vec<Relaxing>> =
            layout.paths.iter().map(|path| vec![Relaxing::default(); path.waiting.len()]).collect();
        let most = waiting.iter().max_by_key(|of_chain| of_chain.len()).map_or(&[][..], Vec::as_slice);
        let around = Surroundings { machine, hits: &hits, pool: 0, dma: hit_all, waiting: most };
        let start = |(index, worker): (usize, &Worker)| {
            let by = Reader { worker: index, node: worker.node };
            let costs: Vec<Cost> = worker.parts.iter().map(|part| around.cost(by, part, 0.0, &mut pipes)).collect();
            let service = service(worker, &costs);
            let demand = Relaxed::new(if worker.polling { 1.0 } else { 0.0 });
            Load {
                arriving: 0.0,
                taken: 0.0,
                capacity: 0.0,
                share: 1.0,
                slice_share: 1.0,
                costs,
                service,
                level: 1.0,
                held: None,
                demand,
            }
        };
        let loads = layout.workers.iter().enumerate().map(start).collect();
        Self {
            machine: machine.clone(),
            pipes,
            loads,
            dma: vec![hit_all; layout.paths.len()],
            flows: vec![Flow::default(); layout.paths.len()],
            rounds: 0,
            residual: 0.0,
            cores,
            dma_state: layout.paths.iter().map(DmaState::new).collect(),
            rings: vec![f64::INFINITY; layout.paths.len()],
            waiting,
            hits,
            siblings: Sibling::of(machine, &layout),
            layout,
        }
    }

    /// Offers another rate to a chain, packets a second.
    pub fn offer(&mut self, chain: usize, rate_pps: f64) {
        self.layout.paths[chain].offered = rate_pps;
    }

    /// Goes to the steady state.
    pub fn solve(&mut self) {
        self.residual = f64::INFINITY;
        self.rounds = 0;
        while self.residual > TOLERANCE && self.rounds < MOST_ROUNDS {
            self.residual = self.round();
            self.rounds += 1;
        }
        self.share_cores();
        self.flow();
    }

    fn round(&mut self) -> f64 {
        self.share_cores();
        self.flow();
        let demands = self.settle_demands();
        let siblings = self.settle_siblings();
        let hits = self.fill_caches();
        self.visit();
        demands.max(siblings).max(hits).max(self.pipes.settle())
    }

    /// What those who sleep without packets want of their cores. Returns how far that was.
    fn settle_demands(&mut self) -> f64 {
        let workers = self.layout.workers.iter().zip(&mut self.loads).filter(|(worker, _)| !worker.polling);
        workers.map(|(_, load)| load.demand.toward((load.arriving * load.service).min(1.0))).fold(0.0, f64::max)
    }

    /// What each worker could take, with what the others of its core leave.
    fn share_cores(&mut self) {
        for workers in &self.cores {
            let claim = |&index: &usize| {
                let (worker, load) = (&self.layout.workers[index], &self.loads[index]);
                let quota = worker.quota.map_or(1.0, |quota| quota.share);
                Claim { weight: worker.weight, quota, demand: load.demand.value() }
            };
            let claims: Vec<Claim> = workers.iter().map(claim).collect();
            for (place, &index) in workers.iter().enumerate() {
                let slice_share = share(&claims, place).max(1e-9);
                let left = slice_share * self.after_switching(index, workers, &claims);
                let load = &mut self.loads[index];
                (load.slice_share, load.share) = (slice_share, left);
                load.capacity = left / load.service;
            }
        }
    }

    fn after_switching(&self, index: usize, workers: &[usize], claims: &[Claim]) -> f64 {
        let own = &self.layout.workers[index];
        let is_other = |other: usize| {
            other != index && (own.role, self.layout.workers[other].role) != (Role::Thread, Role::Thread)
        };
        let others = workers.iter().zip(claims).filter(|(other, _)| is_other(**other));
        let (mut used, mut evicted) = (0.0, 0.0);
        for (&other, claim) in others {
            used += claim.demand.min(claim.quota);
            evicted += self.layout.workers[other].footprint;
        }
        if used <= 0.0 {
            return 1.0;
        }
        let lines = own.footprint.min(evicted).min(self.machine.l2.bytes / LINE_BYTES);
        let framework = &self.machine.framework;
        after_switching(framework.slice_s, framework.switch_s, lines * self.line_s(index), used)
    }

    /// What a line of a worker's state takes from beyond the core's own cache, s.
    fn line_s(&self, index: usize) -> f64 {
        let worker = &self.layout.workers[index];
        let (mut waited, mut references) = (0.0, 0.0);
        for (part, cost) in worker.parts.iter().zip(&self.loads[index].costs) {
            waited += part.reach * cost.stalled_s;
            references += part.reach * cost.references;
        }
        if references > 0.0 { waited / references } else { self.machine.llc.latency_s }
    }

    /// Packets through chains, at the present capacities.
    fn flow(&mut self) {
        let intake = self.intake();
        for ((path, into), dest) in self.layout.paths.iter().zip(intake).zip(&mut self.flows) {
            let workers = &self.layout.workers[path.workers.clone()];
            *dest = flow(path, workers, &mut self.loads[path.workers.clone()], into);
            let nic = &self.machine.nics[path.nic];
            let line = (nic.bandwidth_bytes_s / path.wire_bytes).min(nic.packets_s);
            dest.capacity = dest.capacity.min(if into < 1.0 { path.offered * into } else { line });
        }
        for (worker, load) in self.layout.workers.iter().zip(&mut self.loads) {
            if worker.role == Role::Neighbour {
                load.arriving = worker.own_rate;
                load.taken = worker.own_rate.min(load.capacity);
            }
        }
    }

    /// What of each chain's offer comes to its descriptors, as a share: as the line, the NIC and the memory take it.
    fn intake(&self) -> Vec<f64> {
        let mut used = vec![(0.0, 0.0); self.machine.nics.len()];
        for path in &self.layout.paths {
            used[path.nic].0 += path.offered * path.wire_bytes;
            used[path.nic].1 += path.offered;
        }
        let paths = self.layout.paths.iter();
        let share = paths.map(|path| {
            let (nic, (bytes, packets)) = (&self.machine.nics[path.nic], used[path.nic]);
            let line = (nic.bandwidth_bytes_s / bytes).min(nic.packets_s / packets).min(1.0);
            let memory = self.pipes.memory[path.pool].intake();
            let link = if path.pool == path.nic_node { 1.0 } else { self.link_intake(path.nic_node, path.pool) };
            line * memory.min(link)
        });
        share.map(|share| if share.is_finite() { share } else { 1.0 }).collect()
    }

    fn link_intake(&self, a: usize, b: usize) -> f64 {
        self.pipes.between(a, b).intake().min(self.pipes.between(b, a).intake())
    }

    /// The caches with the present rates. Returns how far hits, and the lines of DMA, were.
    fn fill_caches(&mut self) -> f64 {
        let mut farthest: f64 = 0.0;
        for (worker, load) in self.layout.workers.iter().zip(&self.loads) {
            let cache = &mut self.layout.caches[worker.node];
            for part in &worker.parts {
                for access in &part.accesses {
                    cache.streams[access.stream].rate = load.taken * part.reach * access.seen();
                }
            }
        }
        farthest = farthest.max(self.circulate());
        self.layout.caches.iter_mut().for_each(crate::cache::SharedCache::solve);
        for (cache, hits) in self.layout.caches.iter().zip(&mut self.hits) {
            let moved = hits.iter_mut().enumerate().map(|(stream, hit)| hit.toward(cache.hit(stream)));
            farthest = moved.fold(farthest, f64::max);
        }
        farthest.max(self.settle_dma()).max(self.settle_waiting())
    }

    /// What a packet costs each worker, and what all of them and DMA carry.
    fn visit(&mut self) {
        self.pipes.clear();
        let rest = Dma::default();
        let chains = self.layout.paths.iter().zip(&self.dma).zip(&self.waiting);
        let chains = chains.map(|((path, dma), waiting)| (path.workers.clone(), path.pool, *dma, waiting.as_slice()));
        let after = self.layout.paths.last().map_or(0, |path| path.workers.end);
        let others = (after..self.layout.workers.len(), 0, rest, &[][..]);
        for (workers, pool, dma, waiting) in chains.chain(std::iter::once(others)) {
            let around = Surroundings { machine: &self.machine, hits: &self.hits, pool, dma, waiting };
            for index in workers {
                let (worker, load) = (&self.layout.workers[index], &mut self.loads[index]);
                let by = Reader { worker: index, node: worker.node };
                for (part, cost) in worker.parts.iter().zip(&mut load.costs) {
                    *cost = around.cost(by, part, load.taken * part.reach, &mut self.pipes);
                    if let Some(sibling) = &self.siblings[index] {
                        sibling.slow(cost);
                    }
                }
                load.service = service(worker, &load.costs);
            }
        }
        for ((path, dma), flow) in self.layout.paths.iter().zip(&self.dma).zip(&self.flows) {
            let taken = self.loads[path.workers.start].taken;
            path.carry_dma(*dma, taken, flow.delivered, &mut self.pipes);
        }
    }
}

fn service(worker: &Worker, costs: &[Cost]) -> f64 {
    worker.parts.iter().zip(costs).map(|(part, cost)| part.reach * cost.seconds).sum::<f64>().max(1e-12)
}
