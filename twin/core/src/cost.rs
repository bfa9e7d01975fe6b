//! What a packet costs a part of a worker, and what it carries over memories and links (section 5, equation 5).

use crate::access::Reached;
use crate::handoff::{Route, Whereabouts};
use crate::layout::Part;
use crate::machine::{LINE_BYTES, Machine};
use crate::memory::{Pipes, Reader, User};
use crate::packets::{Read, Source};
use crate::relax::Relaxed;

/// Of DMA, for a chain.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Dma {
    /// Lines that it goes round in.
    pub lines: f64,
    /// Share of its writes that find their line in the LLC.
    pub hit: f64,
    /// Share of the lines that are in the LLC when a core reads them first.
    pub first_hit: f64,
}

/// What a packet costs one part of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// Of the core.
    pub seconds: f64,
    /// Of these, waiting beyond the core's own cache.
    pub stalled_s: f64,
    /// What all that is waited for takes, one after the other: over `stalled_s`, how much of it is under way at once.
    pub lines_s: f64,
    /// Lines asked of the LLC.
    pub references: f64,
    /// Of these, not there.
    pub misses: f64,
    /// To and from the memory of the own node.
    pub local_bytes: f64,
    /// And of others.
    pub remote_bytes: f64,
}

/// What costs depend on.
pub struct Surroundings<'a> {
    /// The host model.
    pub machine: &'a Machine,
    /// By node, then stream of its cache: the share of its accesses that hit.
    pub hits: &'a [Vec<Relaxed>],
    /// The node of the packets' buffers.
    pub pool: usize,
    /// How DMA fares there.
    pub dma: Dma,
    /// By place among the chain's: where lines are that waited between two of its workers.
    pub waiting: &'a [Relaxing],
}

impl Surroundings<'_> {
    /// Of a part of `by`, a packet; adds what `rate` of them carry to `pipes`.
    pub fn cost(&self, by: Reader, part: &Part, rate: f64, pipes: &mut Pipes) -> Cost {
        let mut cost = Cost { seconds: part.cycles / part.clock_hz, ..Cost::default() };
        self.state(by, part, rate, pipes, &mut cost);
        part.reads.iter().for_each(|read| self.read(by, read, part.throttle, rate, pipes, &mut cost));
        cost.seconds += cost.stalled_s;
        cost
    }

    fn state(&self, by: Reader, part: &Part, rate: f64, pipes: &mut Pipes, cost: &mut Cost) {
        for access in &part.accesses {
            let Reached { own, references, missed } = access.reached(self.hits[by.node][access.stream].value());
            let llc_s = self.machine.llc.latency_s;
            let waited = (references - missed) * llc_s + missed * pipes.read_s(by, access.home);
            cost.seconds += own * access.private_s;
            cost.stalled_s += waited * part.throttle / access.mlp;
            cost.lines_s += waited * part.throttle;
            cost.references += references;
            cost.misses += missed;
            let (read, written) = (missed * LINE_BYTES, missed * LINE_BYTES * access.write_share);
            cost.add_bytes(by.node == access.home, read + written);
            pipes.carry_memory(User::Core(by), access.home, rate * read, rate * written);
        }
    }

    fn read(&self, by: Reader, read: &Read, throttle: f64, rate: f64, pipes: &mut Pipes, cost: &mut Cost) {
        let bytes = read.lines * LINE_BYTES;
        let (waited, missed) = match read.source {
            Source::Node => (self.machine.llc.latency_s, 0.0),
            Source::Core(route) => {
                let place = read.waiting.map_or(Whereabouts::FRESH, |place| self.waiting[place].value());
                self.read_written(by, route, place, (bytes, rate), pipes, cost)
            }
            Source::Nic => {
                let missed = 1.0 - self.dma.first_hit;
                pipes.carry_memory(User::Core(by), self.pool, rate * bytes * missed, 0.0);
                let memory_s = pipes.read_s(by, self.pool);
                if by.node == self.pool {
                    cost.local_bytes += bytes * missed;
                    (self.dma.first_hit * self.machine.llc.latency_s + missed * memory_s, missed)
                } else {
                    pipes.carry_link(User::Core(by), self.pool, rate * bytes * self.dma.first_hit);
                    cost.remote_bytes += bytes;
                    let link_s = pipes.link_s(by, self.pool) - pipes.between(self.pool, by.node).idle();
                    let cache_s = self.machine.handoff.remote_s + link_s.max(0.0);
                    (self.dma.first_hit * cache_s + missed * memory_s, 1.0)
                }
            }
        };
        cost.stalled_s += read.lines * waited * throttle / read.mlp;
        cost.lines_s += read.lines * waited * throttle;
        cost.references += read.lines;
        cost.misses += read.lines * missed;
    }

    /// Lines that another core wrote, from wherever they are by then; `carried`: bytes a packet, packets a second.
    /// Returns what one takes, s, and which share of them this node's LLC did not have.
    fn read_written(
        &self,
        by: Reader,
        route: Route,
        place: Whereabouts,
        (bytes, rate): (f64, f64),
        pipes: &mut Pipes,
        cost: &mut Cost,
    ) -> (f64, f64) {
        let lost = (1.0 - place.own - place.llc).clamp(0.0, 1.0);
        let (kept, gone) = (bytes * (1.0 - lost), bytes * lost);
        let waited = place.own * route.latency(by, self.machine, pipes)
            + place.llc * route.from_llc(by, self.machine, pipes)
            + lost * pipes.read_s(by, route.home);
        pipes.carry_memory(User::Core(by), route.home, rate * gone, 0.0);
        cost.add_bytes(by.node == route.home, gone);
        pipes.carry_link(User::Core(by), route.writer, rate * kept);
        if route.reader == route.writer {
            return (waited, lost);
        }
        if route.home != route.writer {
            pipes.carry_directory(by, route.home, rate * kept);
        }
        cost.remote_bytes += kept;
        (waited, 1.0)
    }
}

/// Where lines are, on the way to what it will be.
#[derive(Debug, Clone)]
pub struct Relaxing {
    own: Relaxed,
    llc: Relaxed,
}

impl Default for Relaxing {
    /// Just written.
    fn default() -> Self {
        Self { own: Relaxed::new(Whereabouts::FRESH.own), llc: Relaxed::new(Whereabouts::FRESH.llc) }
    }
}

impl Relaxing {
    /// By now.
    pub const fn value(&self) -> Whereabouts {
        Whereabouts { own: self.own.value(), llc: self.llc.value() }
    }

    /// Goes towards `target`; returns how far that was.
    pub fn toward(&mut self, target: Whereabouts) -> f64 {
        self.own.toward(target.own).max(self.llc.toward(target.llc))
    }
}

impl Cost {
    fn add_bytes(&mut self, local: bool, bytes: f64) {
        if local { self.local_bytes += bytes } else { self.remote_bytes += bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{alone, machine};
    use crate::layout::Layout;

    /// 200 cycles, and 40 + 40 to take from and give to the NIC, at 2 GHz: 140 ns. State: 4 random accesses to 10 000
    /// lines, of which L2 (4096 lines) has .4096: 2.3616 go on and 1.6384 x 6 ns / 2 = 4.9152 ns stay. With all of the
    /// LLC's hits these are 2.3616 x 20 / 2 = 23.616 ns. The header: 20 ns / 4 with a DMA hit. Sum 173.5312 ns.
    #[test]
    fn a_packet_by_hand() {
        let machine = machine();
        let layout = Layout::new(&machine, &alone(1e6));
        let mut pipes = Pipes::new(&machine, std::iter::once(0));
        let dma = Dma { lines: 512.0, hit: 1.0, first_hit: 1.0 };
        let around = Surroundings {
            machine: &machine,
            hits: &[vec![Relaxed::new(1.0)], Vec::new()],
            pool: 0,
            dma,
            waiting: &[],
        };
        let worker = &layout.workers[0];
        let cost = around.cost(Reader { worker: 0, node: 0 }, &worker.parts[0], 1e6, &mut pipes);
        assert!((cost.seconds - 173.5312e-9).abs() < 1e-15, "{}", cost.seconds);
        assert!((cost.stalled_s - 28.616e-9).abs() < 1e-15);
        assert!((cost.references - 3.3616).abs() < 1e-9);
        assert_eq!((cost.misses, pipes.memory[0].bytes_s), (0.0, 0.0));
    }

    /// The header evicted before it was read: one miss of 64 B, at 80 / 4 instead of 20 / 4 ns: 15 ns more.
    #[test]
    fn a_leaked_packet_is_read_from_memory() {
        let machine = machine();
        let layout = Layout::new(&machine, &alone(1e6));
        let mut pipes = Pipes::new(&machine, std::iter::once(0));
        let around = Surroundings {
            machine: &machine,
            hits: &[vec![Relaxed::new(1.0)], Vec::new()],
            pool: 0,
            dma: Dma::default(),
            waiting: &[],
        };
        let worker = &layout.workers[0];
        let cost = around.cost(Reader { worker: 0, node: 0 }, &worker.parts[0], 1e6, &mut pipes);
        assert!((cost.seconds - 188.5312e-9).abs() < 1e-15, "{}", cost.seconds);
        assert_eq!((cost.misses, cost.local_bytes, pipes.memory[0].bytes_s), (1.0, 64.0, 64e6));
    }
}
