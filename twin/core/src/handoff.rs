//! What a line costs that another core wrote last, and where it is by then (section 4).

use crate::cache::SharedCache;
use crate::machine::Machine;
use crate::memory::{Pipes, Reader};

/// Two nodes, and the one whose memory the line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// Of who reads.
    pub reader: usize,
    /// Of who wrote it last.
    pub writer: usize,
    /// Of the line's memory.
    pub home: usize,
}

impl Route {
    /// What one such read takes, s; `by` is on the node `reader`.
    pub fn latency(&self, by: Reader, machine: &Machine, pipes: &Pipes) -> f64 {
        let Self { reader, writer, home } = *self;
        if reader == writer {
            return machine.handoff.local_s;
        }
        let link_s = pipes.link_s(by, writer) - pipes.between(writer, reader).idle();
        let remote = machine.handoff.remote_s + link_s.max(0.0);
        // The home's directory says who has the line. It is in memory, and must be read before the other node is asked,
        // unless the home is asked anyway because it is the writer's (Molka et al., ICPP'15).
        if home == writer { remote } else { remote + pipes.memory_s(by, home) }
    }
}

impl Route {
    /// What one such read takes if the line is in the LLC of the writer's node alone, s: nearer by what lies between that
    /// and a core's cache (as Molka et al., ICPP'15, measure it).
    pub fn from_llc(&self, by: Reader, machine: &Machine, pipes: &Pipes) -> f64 {
        let nearer = (machine.handoff.local_s - machine.llc.latency_s).max(0.0);
        if self.reader == self.writer {
            return machine.handoff.local_s - nearer;
        }
        (self.latency(by, machine, pipes) - nearer).max(machine.llc.latency_s)
    }
}

/// Lines that wait in queues from one worker to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Who wrote them.
    pub writer: usize,
    /// Who reads them.
    pub reader: usize,
    /// The ways of the writer's LLC that they are in, or come to once they leave its own cache.
    pub ways: u32,
}

/// Where lines are that another core wrote, as shares; the rest is in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Whereabouts {
    /// Still in the cache of that core.
    pub own: f64,
    /// Only in the LLC of its node.
    pub llc: f64,
}

impl Whereabouts {
    /// Just written.
    pub const FRESH: Self = Self { own: 1.0, llc: 0.0 };

    /// `wait_s` after they were written by a core that loses `leaves` of a line a second from its own cache.
    ///
    /// An LLC that takes what cores evict (Skylake-SP) has a line from then on; one that has all that they have (to
    /// Broadwell) evicts it from both (Jaleel et al., MICRO'10: inclusion victims).
    pub fn after(wait_s: f64, leaves: f64, llc: &SharedCache, ways: u32, inclusive: bool) -> Self {
        let own = (-leaves * wait_s).exp();
        let there = |m: f64| (-m * wait_s).exp();
        if inclusive {
            let there = llc.over_ways(ways, there);
            return Self { own: own * there, llc: (1.0 - own) * there };
        }
        // Left the one at rate l and the other at m: l / (l - m) (e^-mt - e^-lt).
        let left = |m: f64| {
            if (leaves - m).abs() <= 1e-6 * leaves {
                leaves * wait_s * own
            } else {
                leaves / (leaves - m) * (there(m) - own)
            }
        };
        Self { own, llc: if leaves > 0.0 { llc.over_ways(ways, left) } else { 0.0 } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::CacheStream;
    use crate::examples::machine;
    use crate::nf::StreamKind;

    /// A cache of 1000 lines in 2 ways that a scan of 1e6 lines a second goes through: m = 1e6 / 1000 = 1000 a second.
    fn scanned() -> SharedCache {
        let scan = CacheStream { lines: 1.0, rate: 1e6, ways: 0b11, kind: StreamKind::Passing };
        let mut cache = SharedCache::new(500.0, 0.0, vec![scan]);
        cache.solve();
        cache
    }

    /// After 1 ms, of a core that loses 2000 of a line a second, e^-2 = .1353 are still there. Of the others the LLC has
    /// 2000 / (2000 - 1000) (e^-1 - e^-2) = .4651; an inclusive one has e^-1 = .3679 of all, .0498 of them in both.
    #[test]
    fn where_lines_are_that_waited() {
        let found = |inclusive| Whereabouts::after(1e-3, 2000.0, &scanned(), 0b11, inclusive);
        let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-4, "{found} is not {wanted}");
        near(found(false).own, 0.1353);
        near(found(false).llc, 0.4651);
        near(found(true).own, 0.0498);
        near(found(true).llc, 0.3181);
    }

    /// Ways that nobody fills lose nothing: what left the core's own cache is there, 1 - e^-2.
    #[test]
    fn lines_stay_in_ways_that_nobody_fills() {
        let found = Whereabouts::after(1e-3, 2000.0, &scanned(), 0b1100, false);
        assert!((found.own + found.llc - 1.0).abs() < 1e-12);
    }

    /// Both rates 1000: l t e^-lt = e^-1, the limit of the same.
    #[test]
    fn equal_rates_are_no_division_by_nothing() {
        let found = Whereabouts::after(1e-3, 1000.0, &scanned(), 0b11, false);
        assert!((found.llc - (-1.0_f64).exp()).abs() < 1e-6, "{}", found.llc);
    }

    /// From the core 50 ns and from its LLC 20; from the other node 100, and 100 - (50 - 20) = 70.
    #[test]
    fn a_line_in_the_llc_is_nearer_than_one_in_a_core() {
        let machine = machine();
        let pipes = Pipes::new(&machine, 0..2);
        let took = |reader, writer, home| {
            let by = Reader { worker: reader, node: reader };
            Route { reader, writer, home }.from_llc(by, &machine, &pipes) * 1e9
        };
        assert!((took(0, 0, 0) - 20.0).abs() < 1e-9);
        assert!((took(1, 0, 0) - 70.0).abs() < 1e-9);
        assert!((took(1, 0, 1) - 150.0).abs() < 1e-9);
    }

    /// 50 ns in the node; 100 ns from the other; 100 + 80 where the reader's own memory must be asked first.
    #[test]
    fn where_the_lines_home_is_decides() {
        let machine = machine();
        let pipes = Pipes::new(&machine, 0..2);
        let took = |reader, writer, home| {
            let by = Reader { worker: reader, node: reader };
            Route { reader, writer, home }.latency(by, &machine, &pipes) * 1e9
        };
        assert!((took(0, 0, 1) - 50.0).abs() < 1e-9);
        assert!((took(1, 0, 0) - 100.0).abs() < 1e-9);
        assert!((took(1, 0, 1) - 180.0).abs() < 1e-9);
    }
}
