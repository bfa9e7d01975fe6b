//! The setting by indices: who works where, what a packet costs apart from contention, and which lines go through
//! which cache. Built once for a setting; `steady` solves on it.

use std::collections::HashMap;
use std::ops::Range;

use crate::access::Access;
use crate::cache::{CacheStream, SharedCache};
use crate::machine::{LINE_BYTES, Machine};
use crate::nf::StreamKind;
use crate::packets::{Circuit, Path, Read};
use crate::pool::Pool;
use crate::setting::{Chain, Execution, Instance, Neighbour, Quota, Setting, Traffic};
use crate::state::{Line, lines_of};
use crate::way::{Station, Way};

/// What the workers of a host are made of.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Who uses cores: those of the first chain, of the next ..., instances in no chain, neighbours.
    pub workers: Vec<Worker>,
    /// Chains in the setting's order.
    pub paths: Vec<Path>,
    /// Pools of buffers that go round.
    pub pools: Vec<Pool>,
    /// The last-level cache of each node.
    pub caches: Vec<SharedCache>,
}

/// What a worker is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Takes packets of a chain from the NIC and puts them into a ring, or takes them from a ring to the NIC.
    Thread,
    /// One stage, or several that run to completion.
    Stages,
    /// No NF.
    Neighbour,
}

/// A process on a core.
#[derive(Debug, Clone)]
pub struct Worker {
    /// What it is there for.
    pub role: Role,
    /// Its core.
    pub core: usize,
    /// The node of that.
    pub node: usize,
    /// Against others on the core.
    pub weight: f64,
    /// The most it may use of the core.
    pub quota: Option<Quota>,
    /// True: it keeps the core while it has nothing to do.
    pub polling: bool,
    /// What it does for a packet, one after the other; for a neighbour: for an access.
    pub parts: Vec<Part>,
    /// What comes to it whatever the chains do: accesses a second of a neighbour.
    pub own_rate: f64,
    /// Lines it has in the core's own cache.
    pub footprint: f64,
}

/// What is done for a packet in one place.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// The instance, by index; none: a thread's or a neighbour's.
    pub instance: Option<usize>,
    /// Share of the worker's packets that come so far.
    pub reach: f64,
    /// Share of those that it passes on.
    pub pass: f64,
    /// Cycles a packet at `clock_hz`.
    pub cycles: f64,
    /// Of the core.
    pub clock_hz: f64,
    /// How much longer MBA makes each request to the LLC; 1: it does not.
    pub throttle: f64,
    /// Instructions a packet.
    pub instructions: f64,
    /// To its state.
    pub accesses: Vec<Access>,
    /// Of lines of packets, rings and metadata.
    pub reads: Vec<Read>,
    /// State in the core's own cache: a stream for each of the first `accesses`, at a packet a second of the worker.
    pub private: Vec<CacheStream>,
}

impl Worker {
    /// Share of the packets it takes that it passes on.
    pub fn pass(&self) -> f64 {
        self.parts.iter().map(|part| part.pass).product()
    }
}

impl Layout {
    /// Of a checked setting.
    pub fn new(machine: &Machine, setting: &Setting) -> Self {
        let by_id = setting.instances.iter().enumerate().map(|(index, one)| (one.id.as_str(), index)).collect();
        let mut builder =
            Builder { machine, setting, by_id, workers: Vec::new(), streams: vec![Vec::new(); machine.nodes] };
        let (mut pools, mut named) = (Vec::new(), HashMap::new());
        let mut idle = vec![true; setting.instances.len()];
        let mut paths: Vec<Path> = Vec::new();
        for chain in &setting.chains {
            let workers = builder.chain(chain, &mut idle);
            let mut path = builder.path(chain, workers);
            path.chain = paths.len();
            if builder.circulates(chain, &path) {
                let pool = Pool::of(chain, &mut pools, &mut named);
                pools[pool].chains.push(paths.len());
                builder.circulate(pool, &mut path);
            }
            paths.push(path);
        }
        for (index, _) in idle.iter().enumerate().filter(|(_, idle)| **idle) {
            let worker = builder.stages(&[index], None);
            builder.workers.push(worker);
        }
        setting.neighbours.iter().for_each(|neighbour| builder.neighbour(neighbour));
        let (sets, spread) = (machine.llc_sets(), machine.llc.spread);
        let caches = builder.streams.into_iter().map(|streams| SharedCache::new(sets, spread, streams)).collect();
        Self { workers: builder.workers, paths, pools, caches }
    }
}

/// A line of a part's state in the core's own cache.
const fn private(part: &Part, line: &Line) -> CacheStream {
    CacheStream { lines: line.lines, rate: part.reach * line.accesses, ways: 1, kind: line.kind }
}

struct Builder<'a> {
    machine: &'a Machine,
    setting: &'a Setting,
    by_id: HashMap<&'a str, usize>,
    workers: Vec<Worker>,
    /// By node.
    streams: Vec<Vec<CacheStream>>,
}

impl Builder<'_> {
    /// The workers of a chain, from the NIC to the NIC.
    fn chain(&mut self, chain: &Chain, idle: &mut [bool]) -> Range<usize> {
        let first = self.workers.len();
        let stages: Vec<usize> = chain.stages.iter().map(|id| self.by_id[id.as_str()]).collect();
        stages.iter().for_each(|&index| idle[index] = false);
        if let Some(core) = chain.rx_core {
            self.workers.push(self.thread(core, self.machine.framework.rx_cycles));
        }
        let together = |a: &usize, b: &usize| {
            let core = |index: usize| self.setting.instances[index].core;
            chain.execution == Execution::RunToCompletion && core(*a) == core(*b)
        };
        let groups: Vec<&[usize]> = stages.chunk_by(together).collect();
        for group in groups {
            let worker = self.stages(group, Some(&chain.traffic));
            self.workers.push(worker);
        }
        if let Some(core) = chain.tx_core {
            self.workers.push(self.thread(core, self.machine.framework.tx_cycles));
        }
        let workers = first..self.workers.len();
        self.add_framework(chain, workers.clone());
        workers
    }

    /// Rings between workers, and the NIC at both ends, cost cycles on either side.
    fn add_framework(&mut self, chain: &Chain, workers: Range<usize>) {
        let framework = &self.machine.framework;
        let last = workers.end - 1;
        for index in workers.clone() {
            let taking = match (index == workers.start, chain.rx_core) {
                (true, Some(_)) => 0.0, // the thread's own work
                (true, None) => framework.rx_cycles,
                (false, _) => framework.ring_cycles,
            };
            let giving = match (index == last, chain.tx_core) {
                (true, Some(_)) => 0.0,
                (true, None) => framework.tx_cycles,
                (false, _) => framework.ring_cycles,
            };
            let parts = &mut self.workers[index].parts;
            parts[0].cycles += taking;
            let end = parts.len() - 1;
            parts[end].cycles += giving * parts[end].pass;
        }
    }

    fn thread(&self, core: usize, cycles: f64) -> Worker {
        let part =
            Part { reach: 1.0, pass: 1.0, cycles, clock_hz: self.machine.clock_hz, throttle: 1.0, ..Part::default() };
        Worker {
            role: Role::Thread,
            core,
            node: self.machine.node_of(core),
            weight: 100.0,
            quota: None,
            polling: false, // threads of one core are one process, that gives each chain what it needs
            parts: vec![part],
            own_rate: 0.0,
            footprint: 0.0,
        }
    }

    /// A process of instances on one core; `traffic` none: it is in no chain.
    fn stages(&mut self, group: &[usize], traffic: Option<&Traffic>) -> Worker {
        let first = &self.setting.instances[group[0]];
        let node = self.machine.node_of(first.core);
        let mut parts: Vec<Part> = Vec::new();
        let mut state: Vec<(usize, Vec<Line>)> = Vec::new();
        let mut reach = 1.0;
        for &index in group {
            let instance = &self.setting.instances[index];
            let nf = &self.setting.nfs[&instance.nf];
            let bytes = traffic.map_or(0.0, Traffic::bytes);
            parts.push(Part {
                instance: Some(index),
                reach,
                pass: nf.pass,
                cycles: (nf.compute_cycles + nf.cycles_per_byte * bytes).max(1.0),
                clock_hz: instance.clock_hz.unwrap_or(self.machine.clock_hz),
                throttle: 1.0 / (1.0 - instance.mba),
                instructions: nf.instructions + nf.instructions_per_byte * bytes,
                ..Part::default()
            });
            state.push((index, traffic.map(|traffic| lines_of(nf, traffic)).unwrap_or_default()));
            reach *= nf.pass;
        }
        for (part, (_, lines)) in parts.iter_mut().zip(&state) {
            part.private = lines.iter().map(|line| private(part, line)).collect();
        }
        let through = self.through_private(&parts);
        let mut footprint = 0.0;
        for ((part, (index, lines)), through) in parts.iter_mut().zip(&state).zip(through) {
            let instance = &self.setting.instances[*index];
            footprint +=
                lines.iter().filter(|line| line.kind != StreamKind::Passing).map(|line| line.lines).sum::<f64>();
            let place = (node, instance.memory_node.unwrap_or(node), self.mask(instance));
            part.accesses = lines.iter().zip(through).map(|(line, share)| self.access(line, share, place)).collect();
        }
        let quota = group.iter().filter_map(|&index| self.setting.instances[index].quota);
        Worker {
            role: Role::Stages,
            core: first.core,
            node,
            weight: first.weight,
            quota: quota.min_by(|a, b| a.share.total_cmp(&b.share)),
            polling: first.polling,
            parts,
            own_rate: 0.0,
            footprint,
        }
    }

    fn neighbour(&mut self, neighbour: &Neighbour) {
        let node = self.machine.node_of(neighbour.core);
        let mut part = Part {
            reach: 1.0,
            pass: 1.0,
            cycles: 1.0,
            clock_hz: self.machine.clock_hz,
            throttle: 1.0 / (1.0 - neighbour.mba),
            ..Part::default()
        };
        let line = Line {
            lines: (neighbour.bytes / LINE_BYTES).max(1.0),
            kind: neighbour.kind,
            accesses: 1.0,
            mlp: neighbour.mlp,
            write_share: neighbour.write_share,
        };
        part.private = vec![private(&part, &line)];
        let through = self.through_private(std::slice::from_ref(&part));
        let mask = neighbour.ways.unwrap_or_else(|| self.machine.all_ways());
        let place = (node, neighbour.memory_node.unwrap_or(node), mask);
        part.accesses = vec![self.access(&line, through[0][0], place)];
        self.workers.push(Worker {
            role: Role::Neighbour,
            core: neighbour.core,
            node,
            weight: neighbour.weight,
            quota: None,
            polling: neighbour.accesses_s.is_none(),
            parts: vec![part],
            own_rate: neighbour.accesses_s.unwrap_or(MOST_ACCESSES),
            footprint: line.lines,
        });
    }

    /// By part, the share of the accesses to each of its lines that the core's own cache does not have. Only ratios of
    /// rates count there, so that it holds at any rate.
    fn through_private(&self, parts: &[Part]) -> Vec<Vec<f64>> {
        let together = parts.iter().flat_map(|part| part.private.iter().copied()).collect();
        let mut private = SharedCache::new(self.machine.l2.bytes / LINE_BYTES, 0.0, together);
        private.solve();
        let mut next = 0..;
        let mut missed = || 1.0 - private.hit(next.next().unwrap_or_default());
        parts.iter().map(|part| part.private.iter().map(|_| missed()).collect()).collect()
    }

    /// Adds the stream of `line` to the LLC of a node; `place`: that node, the node of its memory, its ways.
    fn access(&mut self, line: &Line, through: f64, place: (usize, usize, u32)) -> Access {
        let (node, home, ways) = place;
        let stream = self.add(node, line.lines, ways, line.kind);
        Access {
            stream,
            accesses: line.accesses,
            references: line.accesses * through,
            private_s: self.machine.l2.latency_s / line.mlp,
            inclusive: self.machine.llc.inclusive && line.kind == StreamKind::Random && line.accesses > 0.0,
            mlp: line.mlp,
            write_share: line.write_share,
            home,
        }
    }

    fn add(&mut self, node: usize, lines: f64, ways: u32, kind: StreamKind) -> usize {
        self.streams[node].push(CacheStream { lines, rate: 0.0, ways, kind });
        self.streams[node].len() - 1
    }

    fn mask(&self, instance: &Instance) -> u32 {
        instance.ways.unwrap_or_else(|| self.machine.all_ways())
    }

    /// The way of a chain's packets through its workers, and what is read on it.
    fn path(&mut self, chain: &Chain, workers: Range<usize>) -> Path {
        let nic = self.machine.nics[chain.nic].node;
        let pool = chain.pool_node.unwrap_or(nic);
        let lines = chain.traffic.lines();
        let ddio = pool == nic && self.machine.llc.ddio_ways > 0;
        let mask = self.machine.ddio_mask();
        let dma = ddio.then(|| self.add(pool, f64::from(chain.rx_descriptors) * lines, mask, StreamKind::Periodic));
        let mut way = Way::new(self.machine, pool, lines, ddio);
        let setting = self.setting;
        let stations: Vec<Station> = workers.clone().map(|index| self.station(index)).collect();
        for (place, &at) in stations.iter().enumerate() {
            let worker = &mut self.workers[at.worker];
            way.through(worker, at, stations.get(place + 1).copied(), &self.machine.handoff, |part| {
                part.instance.map(|index| setting.nfs[&setting.instances[index].nf].packet)
            });
        }
        let fetched = (0..self.machine.nodes).filter(|&node| node != pool && way.fetched(node) > 0.0);
        let passing: Vec<(usize, f64)> = fetched.map(|node| (node, way.fetched(node))).collect();
        let all = self.machine.all_ways();
        let passing =
            passing.into_iter().map(|(node, fetched)| (node, self.add(node, 1.0, all, StreamKind::Passing), fetched));
        let passing = passing.collect();
        let waiting = std::mem::take(&mut way.waiting);
        let mut path = Path::new(chain, workers, nic, pool, lines, dma, passing);
        path.waiting = waiting;
        let reads_first = |worker: &Worker| worker.parts.iter().flat_map(|part| &part.reads).any(Read::is_from_nic);
        path.first_reader = self.workers[path.workers.clone()].iter().position(reads_first).unwrap_or_default();
        path
    }

    /// A worker as packets come to it.
    fn station(&self, index: usize) -> Station {
        let worker = &self.workers[index];
        let ways = worker.parts[0].instance.map(|index| self.mask(&self.setting.instances[index]));
        let ways = ways.unwrap_or_else(|| self.machine.all_ways());
        Station { worker: index, core: self.machine.physical_of(worker.core), node: worker.node, ways }
    }

    /// Where another core gives buffers back than takes them, the ring of free ones goes round in the whole pool.
    fn circulates(&self, chain: &Chain, path: &Path) -> bool {
        let (first, last) = (path.workers.start, path.workers.end - 1);
        chain.pool_packets > 0 && self.workers[first].core != self.workers[last].core
    }

    /// Streams of a pool that goes round: who takes a buffer finds its metadata as it was left a whole round ago. How many
    /// lines they have follows from who holds the pool's buffers.
    fn circulate(&mut self, pool: usize, path: &mut Path) {
        let first = path.workers.start;
        let again = path.dma.map(|_| self.add(path.pool, 1.0, self.machine.ddio_mask(), StreamKind::Periodic));
        let Station { node, ways, .. } = self.station(first);
        let stream = self.add(node, 1.0, ways, StreamKind::Periodic);
        path.circuit = Some(Circuit { pool, again, metadata: self.workers[first].parts[0].accesses.len() });
        self.workers[first].parts[0].accesses.push(Access {
            stream,
            accesses: METADATA_LINES,
            references: METADATA_LINES,
            private_s: 0.0,
            inclusive: false,
            mlp: self.machine.handoff.mlp,
            write_share: 1.0,
            home: path.pool,
        });
    }
}

/// Lines of a buffer's metadata (DPDK's `rte_mbuf`: 128 B) that are written whenever it is taken from its pool.
pub const METADATA_LINES: f64 = 2.0;
/// As many accesses as a neighbour can make.
const MOST_ACCESSES: f64 = 1e15;
