//! Who has which lines of a packet by now, from worker to worker (section 4).

use crate::handoff::{Route, Waiting};
use crate::layout::{Part, Worker};
use crate::machine::{Handoff, Machine};
use crate::nf::PacketAccess;
use crate::packets::{Read, Source};

/// A worker on a packet's way.
#[derive(Debug, Clone, Copy)]
pub struct Station {
    /// By index.
    pub worker: usize,
    /// Its physical core, whose threads have one cache.
    pub core: usize,
    /// The node of that.
    pub node: usize,
    /// The ways of that node's LLC that it may fill.
    pub ways: u32,
}

/// Who has which lines of a packet by now.
#[derive(Debug)]
pub struct Way {
    pool: usize,
    lines: f64,
    /// The ways that DMA fills at the pool, where the LLC keeps what it has while cores have it too.
    dma_ways: Option<u32>,
    /// The worker before.
    before: Option<Station>,
    /// The last stage that read the headers.
    headers: Option<Station>,
    /// The last stage that wrote payload, and how much of it.
    written: Option<(Station, f64)>,
    /// By node, the share of the payload that its cores have read.
    read: Vec<f64>,
    /// By node, the lines a packet that came to it from elsewhere.
    fetched: Vec<f64>,
    /// Lines that wait between two workers, each once.
    pub waiting: Vec<Waiting>,
}

impl Way {
    /// Before the first worker: all lines are as the NIC wrote them into the pool.
    pub fn new(machine: &Machine, pool: usize, lines: f64, ddio: bool) -> Self {
        let (read, fetched) = (vec![0.0; machine.nodes], vec![0.0; machine.nodes]);
        let dma_ways = (ddio && machine.llc.inclusive).then(|| machine.ddio_mask());
        let (before, headers, written, waiting) = (None, None, None, Vec::new());
        Self { pool, lines, dma_ways, before, headers, written, read, fetched, waiting }
    }

    /// Lines a packet that came to a node from elsewhere.
    pub fn fetched(&self, node: usize) -> f64 {
        self.fetched[node]
    }

    /// Through a worker `at`; `after`: the one behind. Adds to its parts what they read.
    pub fn through(
        &mut self,
        worker: &mut Worker,
        at: Station,
        after: Option<Station>,
        handoff: &Handoff,
        packet_of: impl Fn(&Part) -> Option<PacketAccess>,
    ) {
        let change = handoff.ring_lines + handoff.metadata_lines;
        if let Some(before) = self.before {
            let waiting = self.waiting(at, before, before.ways);
            self.add_from_core(&mut worker.parts[0], at, before, (change, handoff.mlp), waiting);
        }
        for part in &mut worker.parts {
            if let Some(packet) = packet_of(part) {
                self.packet(part, at, &packet, handoff.mlp);
            }
        }
        // Who hands on must own the lines again that the next one last held; what it filters it hands to nobody.
        if let (Some(after), Some(last)) = (after, worker.parts.last_mut()) {
            let lines = change * last.pass;
            self.add_from_core(last, at, after, (lines, handoff.mlp), None);
        }
        self.before = Some(at);
    }

    fn packet(&mut self, part: &mut Part, at: Station, packet: &PacketAccess, handoff_mlp: f64) {
        let headers = packet.header_lines.min(self.lines);
        if headers > 0.0 {
            match self.headers {
                Some(writer) => {
                    let waiting = self.waiting(at, writer, self.ways_at(writer));
                    self.add_from_core(part, at, writer, (headers, handoff_mlp), waiting);
                }
                None => self.add_from_nic(part, at.node, headers, handoff_mlp),
            }
            self.headers = Some(at);
        }
        let payload = (self.lines - headers).max(0.0);
        let wanted = packet.payload_read.max(packet.payload_written);
        let own = self.written.map_or(0.0, |(writer, share)| {
            let share = share.min(wanted);
            if writer.core != at.core && writer.node != at.node {
                self.fetched[at.node] += share * payload;
            }
            let waiting = self.waiting(at, writer, self.ways_at(writer));
            self.add_from_core(part, at, writer, (share * payload, packet.mlp), waiting);
            share
        });
        let here = (self.read[at.node].min(wanted) - own).max(0.0);
        push(part, (here * payload, packet.mlp), Source::Node, None);
        self.add_from_nic(part, at.node, (wanted - own - here).max(0.0) * payload, packet.mlp);
        self.read[at.node] = self.read[at.node].max(wanted);
        if packet.payload_written > 0.0 {
            self.written = Some((at, packet.payload_written));
        }
    }

    /// The ways that a packet's own lines are in at a worker that has them: where DMA put them, or its own.
    fn ways_at(&self, writer: Station) -> u32 {
        self.dma_ways.filter(|_| writer.node == self.pool).unwrap_or(writer.ways)
    }

    /// Between two workers on cores of their own, its place among those that wait.
    fn waiting(&mut self, at: Station, writer: Station, ways: u32) -> Option<usize> {
        let one = Waiting { writer: writer.worker, reader: at.worker, ways };
        (writer.core != at.core).then(|| {
            self.waiting.iter().position(|known| *known == one).unwrap_or_else(|| {
                self.waiting.push(one);
                self.waiting.len() - 1
            })
        })
    }

    /// `lines`: how many, and how many of them are under way at once.
    fn add_from_core(&self, part: &mut Part, at: Station, writer: Station, lines: (f64, f64), waiting: Option<usize>) {
        if writer.core != at.core {
            // On the same core they are in its own cache.
            let route = Route { reader: at.node, writer: writer.node, home: self.pool };
            push(part, lines, Source::Core(route), waiting);
        }
    }

    fn add_from_nic(&mut self, part: &mut Part, node: usize, lines: f64, mlp: f64) {
        push(part, (lines, mlp), Source::Nic, None);
        self.fetched[node] += lines;
    }
}

fn push(part: &mut Part, (lines, mlp): (f64, f64), source: Source, waiting: Option<usize>) {
    if lines > 0.0 {
        part.reads.push(Read { lines, mlp, source, waiting });
    }
}
