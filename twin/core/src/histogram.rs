//! How long packets took, by buckets as the testbed's (`dataplane/src/base/histogram.h`): below 1024 ns they are 32 ns wide,
//! above that each doubling is cut into 32, up to 2^32 ns; one more counts what is slower.

/// Upper bounds, without the last bucket's.
pub const BOUNDS: usize = OCTAVE * (MAX_BITS - MIN_BITS + 1) as usize;

const OCTAVE: usize = 32;
const SUB_BITS: u32 = 5;
const MIN_BITS: u32 = 10;
const MAX_BITS: u32 = 32;

/// Counts by bucket. Octaves that nothing fell into take no memory: chains use few.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    octaves: [Option<Box<[u64; OCTAVE]>>; BOUNDS / OCTAVE],
    slower: u64,
}

impl Histogram {
    /// Count `packets` that took `seconds`.
    pub fn add(&mut self, seconds: f64, packets: u64) {
        let bucket = bucket((seconds * 1e9) as u64);
        if bucket == BOUNDS {
            self.slower += packets;
        } else {
            self.octaves[bucket / OCTAVE].get_or_insert_default()[bucket % OCTAVE] += packets;
        }
    }

    /// All counts, one more than there are bounds.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = Vec::with_capacity(BOUNDS + 1);
        for octave in &self.octaves {
            counts.extend_from_slice(octave.as_deref().unwrap_or(&[0; OCTAVE]));
        }
        counts.push(self.slower);
        counts
    }

    /// Of all buckets.
    pub fn total(&self) -> u64 {
        self.octaves.iter().flatten().flat_map(|octave| octave.iter()).sum::<u64>() + self.slower
    }
}

/// The bucket that counts `ns`: the first whose upper bound is above it.
pub const fn bucket(ns: u64) -> usize {
    if ns >> MIN_BITS == 0 {
        return (ns >> (MIN_BITS - SUB_BITS)) as usize;
    }
    if ns >> MAX_BITS != 0 {
        return BOUNDS;
    }
    let octave = ns.ilog2();
    let within = (ns >> (octave - SUB_BITS)) as usize & (OCTAVE - 1);
    (octave - MIN_BITS + 1) as usize * OCTAVE + within
}

/// Upper bound in ns (exclusive) of a bucket below `BOUNDS`.
pub const fn bound(bucket: usize) -> u64 {
    let step = (bucket % OCTAVE + 1) as u64;
    match (bucket / OCTAVE) as u32 {
        0 => step << (MIN_BITS - SUB_BITS),
        octave => (1 << (octave + MIN_BITS - 1)) + (step << (octave + MIN_BITS - 1 - SUB_BITS)),
    }
}

#[cfg(test)]
mod tests {
    use super::{BOUNDS, Histogram, bound, bucket};

    /// 31 ns lie in the first bucket (0 to 32), 32 ns in the second; 1024 = 2^10 begins the second octave, whose buckets
    /// are 1024 / 32 = 32 ns wide too; 2^32 ns are slower than the last bound.
    #[test]
    fn buckets_are_the_testbeds() {
        assert_eq!((bound(0), bound(31), bound(32), bound(BOUNDS - 1)), (32, 1024, 1056, 1 << 32));
        assert_eq!((bucket(31), bucket(32), bucket(1 << 32), bucket(u64::MAX)), (0, 1, BOUNDS, BOUNDS));
        for index in 0..BOUNDS {
            assert_eq!((bucket(bound(index) - 1), bucket(bound(index))), (index, index + 1));
        }
    }

    /// 3 packets of 2 us and 2 of 5 s: 2000 ns lie in 1024 x (1 + 30/32) = 1984 to 2016, bucket 32 + 30.
    #[test]
    fn counts_are_kept() {
        let mut histogram = Histogram::default();
        histogram.add(2e-6, 3);
        histogram.add(5.0, 2);
        let counts = histogram.counts();
        assert_eq!((counts.len(), counts[62], counts[BOUNDS], histogram.total()), (BOUNDS + 1, 3, 2, 5));
    }
}
