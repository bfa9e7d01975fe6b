//! The state of an NF as lines that are accessed alike.

use crate::machine::LINE_BYTES;
use crate::nf::{Nf, StreamKind};
use crate::setting::{SMALLEST_FRAME, Traffic};

/// Lines that are accessed alike.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// How many.
    pub lines: f64,
    /// In which order.
    pub kind: StreamKind,
    /// Accesses to them a packet.
    pub accesses: f64,
    /// How many of these are under way at once.
    pub mlp: f64,
    /// Share of these that write.
    pub write_share: f64,
}

/// The state of an NF under `traffic`, a class of popularity each.
pub fn lines_of(nf: &Nf, traffic: &Traffic) -> Vec<Line> {
    let mut lines = Vec::new();
    for stream in &nf.streams {
        let all = (stream.bytes + stream.bytes_per_flow * traffic.flows) / LINE_BYTES;
        let accesses = stream.accesses + stream.accesses_per_byte * (traffic.bytes() - SMALLEST_FRAME).max(0.0);
        let mut add = |lines_share: f64, access_share: f64| {
            lines.push(Line {
                lines: (all * lines_share).max(1.0),
                kind: stream.kind,
                accesses: accesses * access_share,
                mlp: stream.mlp,
                write_share: stream.write_share,
            });
        };
        if stream.popularity.is_empty() {
            add(1.0, 1.0);
        }
        stream.popularity.iter().for_each(|class| add(class.lines_share, class.access_share));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::lines_of;
    use crate::examples::{alone, nf};

    /// 4 lines a packet of 64 B and one for each 64 B beyond: 4 + (1518 - 64) / 64 = 26.72 at 1518 B.
    #[test]
    fn bytes_count_beyond_the_smallest_frame() {
        let (mut nf, mut traffic) = (nf(1000.0, 4.0), alone(1.0).chains.remove(0).traffic);
        nf.streams[0].accesses_per_byte = 1.0 / 64.0;
        assert!((lines_of(&nf, &traffic)[0].accesses - 4.0).abs() < 1e-12);
        traffic.frames[0].bytes = 1518.0;
        assert!((lines_of(&nf, &traffic)[0].accesses - 26.718_75).abs() < 1e-12);
    }
}
