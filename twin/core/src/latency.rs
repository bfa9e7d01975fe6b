//! From the percentiles of a steady state to counts in a histogram.

use crate::histogram::Histogram;
use crate::outcome::Latency;

/// Shares of the packets that are counted with one latency each, from the quickest; finer where the tail is.
const SHARES: [(usize, f64); 5] = [(20, 0.045), (5, 0.016), (5, 0.003), (4, 0.001), (2, 0.0005)];

/// How latencies are spread: (share of the packets up to here, seconds), rising.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spread {
    points: Vec<(f64, f64)>,
}

impl Spread {
    /// Linear between the least, the median, the 95th and 99th percentile, and an exponential tail that continues the last
    /// two: it falls by ln 5 between 5 % and 1 %.
    pub fn new(least_s: f64, latency: &Latency) -> Self {
        let p50 = latency.p50_s.max(least_s);
        let p95 = latency.p95_s.max(p50);
        let p99 = latency.p99_s.max(p95);
        let knots = [(0.0, least_s), (0.5, p50), (0.95, p95), (0.99, p99)];
        let quantile = |u: f64| match knots.windows(2).find(|pair| u <= pair[1].0) {
            Some(pair) => pair[0].1 + (pair[1].1 - pair[0].1) * (u - pair[0].0) / (pair[1].0 - pair[0].0),
            None => p99 + (p99 - p95) * (0.01 / (1.0 - u)).ln() / 5f64.ln(),
        };
        let mut points = Vec::with_capacity(SHARES.iter().map(|(times, _)| times).sum());
        let mut reached = 0.0;
        for (times, share) in SHARES {
            for _ in 0..times {
                points.push((reached + share, quantile(reached + share / 2.0)));
                reached += share;
            }
        }
        Self { points }
    }

    /// Count packets that wait `waits` longer than steady, from the first's to the last's; none takes less than `least_s`.
    /// `phase`, 0 to 1, is where rounding begins: the sum is always `packets`.
    pub fn count(&self, packets: u64, waits: (f64, f64), least_s: f64, phase: f64, histogram: &mut Histogram) {
        if packets == 0 {
            return;
        }
        let last = self.points.len().saturating_sub(1);
        let mut counted = 0;
        for (index, &(reached, seconds)) in self.points.iter().enumerate() {
            let upto =
                if index == last { packets } else { ((packets as f64).mul_add(reached, phase) as u64).min(packets) };
            if upto > counted {
                // Early and late packets of the interval are quick and slow alike: steps of the golden ratio mix them.
                let when = (index as f64 * 0.618_033_988_75 + phase).fract();
                let wait = (waits.1 - waits.0).mul_add(when, waits.0);
                histogram.add((seconds + wait).max(least_s), upto - counted);
                counted = upto;
            }
        }
        if self.points.is_empty() {
            histogram.add(least_s, packets);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;
    use crate::histogram::{BOUNDS, Histogram, bucket};
    use crate::outcome::Latency;

    const LATENCY: Latency = Latency { mean_s: 12e-6, p50_s: 10e-6, p95_s: 20e-6, p99_s: 30e-6 };

    fn quantile(counts: &[u64], q: f64) -> usize {
        let total: u64 = counts.iter().sum();
        let mut reached = 0;
        counts
            .iter()
            .position(|count| {
                reached += count;
                reached as f64 >= q * total as f64
            })
            .unwrap_or(BOUNDS)
    }

    /// The histogram gives the percentiles back, to two of its buckets (of 1/32 each).
    #[test]
    fn percentiles_come_back() {
        let mut histogram = Histogram::default();
        Spread::new(5e-6, &LATENCY).count(1_000_000, (0.0, 0.0), 5e-6, 0.5, &mut histogram);
        let counts = histogram.counts();
        for (q, ns) in [(0.5, 10_000), (0.95, 20_000), (0.99, 30_000)] {
            assert!(quantile(&counts, q).abs_diff(bucket(ns)) <= 2, "{q}");
        }
    }

    /// Whatever the number and the phase, every packet is counted once, and 1 ms of waiting is added to each.
    #[test]
    fn every_packet_is_counted_once() {
        for packets in [1, 2, 7, 1000] {
            for phase in [0.0, 0.3, 0.999] {
                let mut histogram = Histogram::default();
                Spread::new(5e-6, &LATENCY).count(packets, (1e-3, 1e-3), 5e-6, phase, &mut histogram);
                assert_eq!(histogram.total(), packets);
                assert_eq!(histogram.counts()[..bucket(1_000_000)].iter().sum::<u64>(), 0);
            }
        }
    }
}
