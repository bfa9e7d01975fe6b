//! The way of a chain's packets: which lines every worker reads, and who wrote them last (sections 2 and 4).

use std::ops::Range;

use crate::cost::Dma;
use crate::handoff::{Route, Waiting};
use crate::machine::LINE_BYTES;
use crate::memory::{Pipes, User};
use crate::setting::{Backpressure, Chain};

/// Where a line of a packet is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// What the NIC wrote and nobody has read: the LLC of the pool's node, or its memory.
    Nic,
    /// What another core wrote last.
    Core(Route),
    /// What another core of the node has read before: the LLC.
    Node,
}

/// Lines that are read for a packet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Read {
    /// How many.
    pub lines: f64,
    /// How many are under way at once.
    pub mlp: f64,
    /// From where.
    pub source: Source,
    /// By place among its chain's (`Path::waiting`), in which queues they waited since another core wrote them.
    pub waiting: Option<usize>,
}

impl Read {
    /// Nobody has read these lines before.
    pub fn is_from_nic(&self) -> bool {
        self.source == Source::Nic
    }
}

/// A chain by indices.
#[derive(Debug, Clone)]
pub struct Path {
    /// Its place among the chains.
    pub chain: usize,
    /// From the NIC to the NIC.
    pub workers: Range<usize>,
    /// The NIC, by index.
    pub nic: usize,
    /// Its node.
    pub nic_node: usize,
    /// The node of packet buffers and rings.
    pub pool: usize,
    /// Lines of a frame.
    pub lines: f64,
    /// Bytes on the wire a frame, preamble and gap included.
    pub wire_bytes: f64,
    /// Packets a second that are offered.
    pub offered: f64,
    /// The stream of DMA in the LLC of `pool`; none: DMA goes to memory.
    pub dma: Option<usize>,
    /// By node away from the pool: the stream there of the packets' lines, and how many lines a packet.
    pub passing: Vec<(usize, usize, f64)>,
    /// What goes round in a pool that another core gives back to; none: buffers freed last are taken first.
    pub circuit: Option<Circuit>,
    /// By place among its workers, who reads first what the NIC wrote.
    pub first_reader: usize,
    /// Lines that wait between two of its workers.
    pub waiting: Vec<Waiting>,
    /// Room of rings, descriptors of both queues, packets taken at once.
    pub ring: f64,
    /// As of the setting.
    pub rx_descriptors: f64,
    /// As of the setting.
    pub tx_descriptors: f64,
    /// As of the setting.
    pub burst: f64,
    /// As of the setting.
    pub backpressure: Backpressure,
}

/// A chain's part in a pool that goes round as a whole.
#[derive(Debug, Clone, Copy)]
pub struct Circuit {
    /// Of the pool, among the host's.
    pub pool: usize,
    /// The stream of DMA into buffers that the core which took them gave back itself.
    pub again: Option<usize>,
    /// Of the first worker: which of its first part's accesses are to metadata.
    pub metadata: usize,
}

/// Preamble and gap between frames on Ethernet, bytes.
const BETWEEN_FRAMES: f64 = 20.0;

impl Path {
    /// Of a chain; `passing` as in the field.
    pub fn new(
        chain: &Chain,
        workers: Range<usize>,
        nic_node: usize,
        pool: usize,
        lines: f64,
        dma: Option<usize>,
        passing: Vec<(usize, usize, f64)>,
    ) -> Self {
        Self {
            chain: 0,
            workers,
            nic: chain.nic,
            nic_node,
            pool,
            lines,
            wire_bytes: chain.traffic.bytes() + BETWEEN_FRAMES,
            offered: chain.traffic.rate_pps,
            dma,
            passing,
            circuit: None,
            first_reader: 0,
            waiting: Vec::new(),
            ring: f64::from(chain.ring_packets),
            rx_descriptors: f64::from(chain.rx_descriptors),
            tx_descriptors: f64::from(chain.tx_descriptors),
            burst: f64::from(chain.burst),
            backpressure: chain.backpressure,
        }
    }

    /// Packet buffers that DMA goes round in where those freed last are taken first: all posted descriptors, and what is
    /// held further on: in rings, and sent where the last worker has no time to see that it was. `fullness`: of the queue
    /// before each worker, 0 to 1.
    pub fn buffers(&self, fullness: impl Iterator<Item = f64>) -> f64 {
        let (mut held, mut last) = (0.0, 0.0);
        for (place, full) in fullness.enumerate() {
            held += if place == 0 { 0.0 } else { self.ring * full };
            last = full;
        }
        self.rx_descriptors + held + self.tx_descriptors * last
    }

    /// Time between a frame's arrival and the first look at it: in the burst, and in all queues before. `queues`: of each
    /// worker, how full its queue is, and packets a second that it takes. A ring holds `ring` packets at most.
    pub fn unread_s(&self, queues: impl Iterator<Item = (f64, f64)>, ring: f64) -> f64 {
        let wait = |(place, (full, taken)): (usize, (f64, f64))| {
            let waiting =
                if place == 0 { self.burst + self.rx_descriptors * full } else { (self.ring * full).min(ring) };
            if taken > 0.0 { waiting / taken } else { 0.0 }
        };
        queues.take(self.first_reader + 1).enumerate().map(wait).sum()
    }

    /// Time that a packet waits in the ring before a worker that takes `taken` a second, and whose queue is so full.
    pub fn waited_s(&self, full: f64, taken: f64, ring: f64) -> f64 {
        if taken > 0.0 { (self.burst + (self.ring * full).min(ring)) / taken } else { 0.0 }
    }

    /// What DMA carries: `taken` packets a second come in, `delivered` go out. A line written that was not in the LLC
    /// pushes another one out to memory; one that has been evicted is read from there to be sent.
    pub fn carry_dma(&self, dma: Dma, taken: f64, delivered: f64, pipes: &mut Pipes) {
        let bytes = self.lines * LINE_BYTES;
        let (written, read) = (bytes * taken * (1.0 - dma.hit), bytes * delivered * (1.0 - dma.first_hit));
        pipes.carry_memory(User::Dma(self.nic_node), self.pool, read, written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{chain, instance, machine, nf};
    use crate::layout::Layout;
    use crate::setting::{Instance, Setting};
    use crate::steady::Solver;

    /// Of a chain of NFs on the given cores (12 and more: node 1), what each reads.
    fn reads(cores: &[usize]) -> Vec<Vec<(f64, Source)>> {
        let ids: Vec<String> = (0..cores.len()).map(|index| format!("i{index}")).collect();
        let names: Vec<&str> = ids.iter().map(String::as_str).collect();
        let setting = Setting {
            nfs: [("nf".to_owned(), nf(100.0, 1.0))].into(),
            instances: ids.iter().zip(cores).map(|(id, core)| instance(id, "nf", *core)).collect(),
            chains: vec![chain("c", &names, 1e6)],
            neighbours: Vec::new(),
        };
        let layout = Layout::new(&machine(), &setting);
        let of = |read: &Read| (read.lines, read.source);
        layout.workers.iter().map(|worker| worker.parts[0].reads.iter().map(of).collect()).collect()
    }

    const fn from(reader: usize, writer: usize) -> Source {
        Source::Core(Route { reader, writer, home: 0 })
    }

    /// The first reads the header that the NIC wrote, and takes ring (.25) and metadata (1) back from the second; the
    /// second reads these and the header from the first.
    #[test]
    fn two_on_one_node() {
        let (nic, change, header) = ((1.0, Source::Nic), (1.25, from(0, 0)), (1.0, from(0, 0)));
        assert_eq!(reads(&[0, 1]), [vec![nic, change], vec![change, header]]);
    }

    /// Near, far, far: the second pays for the change of node, the third does not.
    #[test]
    fn the_first_after_a_change_of_node_pays() {
        let far = reads(&[0, 12, 13]);
        assert_eq!(far[1], [(1.25, from(1, 0)), (1.0, from(1, 0)), (1.25, from(1, 1))]);
        assert_eq!(far[2], [(1.25, from(1, 1)), (1.0, from(1, 1))]);
    }

    /// One core takes and another gives back: DMA goes round in all 5000 buffers, and the first reads 2 lines of metadata
    /// that it last saw 5000 packets ago. On one core the 512 posted ones do.
    #[test]
    fn a_pool_between_two_threads_goes_round_as_a_whole() {
        for (tx_core, buffers, lines) in [(1, 5000.0, Some(10_000.0)), (0, 512.0, None)] {
            let mut setting = crate::examples::alone(1e6);
            let chain = &mut setting.chains[0];
            (chain.pool_packets, chain.tx_core) = (5000, Some(tx_core));
            let mut solver = Solver::new(&machine(), &setting);
            solver.solve();
            assert!((solver.dma[0].lines / buffers - 1.0).abs() < 1e-6, "{}", solver.dma[0].lines);
            let metadata = solver.layout.workers[0].parts[0].accesses.get(1);
            let found = metadata.map(|access| solver.layout.caches[0].streams[access.stream].lines.round());
            assert_eq!(found, lines);
        }
    }

    /// With an RX thread before it, the NF looks first: behind the 32 of the burst and 512 descriptors at 8 Mpps, 68 us,
    /// and 1024 of its ring at the 4 Mpps that it takes, 256 us. Buffers for 400 of them: 100 us.
    #[test]
    fn the_first_look_waits_for_all_queues_before_it() {
        let mut setting = crate::examples::alone(1e6);
        setting.chains[0].rx_core = Some(1);
        let path = &Layout::new(&machine(), &setting).paths[0];
        let waits = |ring| 1e6 * path.unread_s([(1.0, 8e6), (1.0, 4e6)].into_iter(), ring);
        assert!((waits(f64::INFINITY) - (68.0 + 256.0)).abs() < 1e-9);
        assert!((waits(400.0) - (68.0 + 100.0)).abs() < 1e-9);
    }

    /// Two chains of one manager, alike: each has half of its 8000 buffers. With a manager each, all of 8000 twice.
    #[test]
    fn chains_of_a_manager_share_its_pool() {
        for (pool, lines) in [(Some("manager"), 4000.0), (None, 8000.0)] {
            let mut setting = crate::examples::alone(1e6);
            let again = Instance { id: "j".to_owned(), core: 2, ..setting.instances[0].clone() };
            setting.chains.push(Chain {
                id: "d".to_owned(),
                stages: vec!["j".to_owned()],
                ..setting.chains[0].clone()
            });
            setting.instances.push(again);
            for (chain, tx) in setting.chains.iter_mut().zip([1, 3]) {
                (chain.pool_packets, chain.tx_core, chain.pool) = (8000, Some(tx), pool.map(str::to_owned));
            }
            let mut solver = Solver::new(&machine(), &setting);
            solver.solve();
            solver.dma.iter().for_each(|dma| assert!((dma.lines / lines - 1.0).abs() < 1e-6, "{}", dma.lines));
        }
    }

    #[test]
    fn nothing_changes_hands_on_one_core() {
        assert_eq!(reads(&[0, 0]), [vec![(1.0, Source::Nic)], vec![]]);
    }
}
