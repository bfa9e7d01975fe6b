//! What a line costs that another core wrote last (section 4).

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::machine;

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
