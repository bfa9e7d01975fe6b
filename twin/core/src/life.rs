//! A running NF in time: its state, its warmth, its counters.

use serde::Serialize;

use crate::counters::{Errors, NfCounters, Noise, stall_cycles};
use crate::dice::{Dice, stream};
use crate::machine::LINE_BYTES;
use crate::outcome::InstanceOutcome;

/// Of an NF's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It takes no packets yet.
    Starting,
    /// It takes packets, unless it is held still.
    Running,
    /// It ended; it starts again when it is ordered to.
    Crashed,
}

/// A running NF in time.
#[derive(Debug, Clone)]
pub struct Life {
    /// Of its process.
    pub state: State,
    /// Times its process was started.
    pub starts: u32,
    /// It stands still until then: its state is being copied.
    pub held_until_ns: u64,
    /// Bytes of its state in the LLC.
    pub occupancy_bytes: f64,
    /// Cumulative.
    pub counters: NfCounters,
    /// What its hardware counters are off by in this second.
    pub errors: Errors,
    /// Share of its packets that it hands on.
    pub pass: f64,
    /// Taken in this interval.
    pub taken: u64,
    /// The mean share of its steady occupancy that it has in this interval.
    pub warmth: f64,
    stream: u64,
    /// Of a packet: what has been passed on beyond whole ones.
    part: f64,
}

impl Life {
    /// One whose process is being started.
    pub fn starting(id: &str, pass: f64, seed: u64, ns: u64, noise: &Noise) -> Self {
        let stream = stream(id);
        Self {
            state: State::Starting,
            starts: 1,
            held_until_ns: 0,
            occupancy_bytes: 0.0,
            counters: NfCounters::default(),
            errors: Errors::draw(noise, &mut Dice::new(seed, stream, ns)),
            pass,
            taken: 0,
            warmth: 1.0,
            stream,
            part: 0.0,
        }
    }

    /// The draws of another second.
    pub fn begin_second(&mut self, seed: u64, ns: u64, noise: &Noise) {
        self.errors = Errors::draw(noise, &mut Dice::new(seed, self.stream, ns));
    }

    /// True while it takes packets.
    pub fn works(&self, ns: u64) -> bool {
        self.state == State::Running && self.held_until_ns <= ns
    }

    /// Its process ends; caches keep nothing of it.
    pub const fn crash(&mut self) {
        self.state = State::Crashed;
        self.occupancy_bytes = 0.0;
    }

    /// Its process is started again.
    pub const fn restart(&mut self) {
        self.state = State::Starting;
        self.starts += 1;
    }

    /// Take packets of its ring; how many it hands on.
    pub fn take(&mut self, packets: u64) -> u64 {
        let exact = self.pass.mul_add(packets as f64, self.part);
        let passed = (exact.floor() as u64).min(packets);
        self.part = if self.pass < 1.0 { (exact - passed as f64).clamp(0.0, 1.0) } else { 0.0 };
        self.taken += packets;
        self.counters.rx += packets;
        self.counters.tx += passed;
        self.counters.filtered += packets - passed;
        passed
    }

    /// Let the caches follow their steady occupancy through an interval, with the time constant of their refill: at a
    /// steady hit rate h = q / (q + m) of N lines asked for q times a second each and lost at rate m, the lines there
    /// grow by q (N - lines) - m lines, so with 1 / (q + m) = (h N) / (q N): steady lines over references a second.
    pub fn warm(&mut self, seconds: f64, at: &InstanceOutcome) {
        let (before, steady) = (self.occupancy_bytes, at.occupancy());
        let references_s = at.llc_references * at.taken_pps;
        if steady <= 0.0 || references_s <= 0.0 {
            // Nothing of it is to be cached, or nothing fills the cache.
            self.warmth = if steady > 0.0 { (before / steady).min(1.0) } else { 1.0 };
            return;
        }
        let steps = seconds * references_s / (steady / LINE_BYTES);
        let left = (-steps).exp();
        let mean_left = if steps > 1e-9 { -(-steps).exp_m1() / steps } else { 1.0 };
        self.occupancy_bytes = (before - steady).mul_add(left, steady);
        self.warmth = ((before - steady).mul_add(mean_left, steady) / steady).clamp(0.0, 1.0);
    }

    /// Bytes of its state by LLC way, of `ways`: as in the steady state `at`, so far as they are there.
    pub fn occupancy_by_way(&self, at: Option<&InstanceOutcome>, ways: u32) -> Vec<f64> {
        let (held, all) = at.map_or((&[][..], 0.0), |at| (&at.occupancy_bytes[..], at.occupancy()));
        let share = if all > 0.0 { self.occupancy_bytes / all } else { 0.0 };
        (0..ways as usize).map(|way| held.get(way).map_or(0.0, |bytes| bytes * share)).collect()
    }

    /// Its cycles a packet when warm over those now: at most 1.
    pub fn speed(&self, at: &InstanceOutcome) -> f64 {
        let extra = stall_cycles(at, self.warmth) - at.stalled_cycles;
        if extra > 0.0 && at.cycles > 0.0 { at.cycles / (at.cycles + extra) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{Life, State};
    use crate::counters::Noise;
    use crate::outcome::InstanceOutcome;

    fn life(pass: f64) -> Life {
        let mut life = Life::starting("a", pass, 1, 0, &Noise::default());
        life.state = State::Running;
        life
    }

    /// 6.4 MB are 100,000 lines; 5 references of 1 Mpps fill them with the time constant 100,000 / 5e6 = 20 ms. After 20 ms
    /// from cold 1 - 1/e = .632 of them are there; over these 20 ms 1 - (1 - 1/e) = 1/e = .368 in the mean.
    #[test]
    fn a_cold_cache_fills_with_its_time_constant() {
        let at = InstanceOutcome {
            occupancy_bytes: vec![6.4e6],
            llc_references: 5.0,
            taken_pps: 1e6,
            ..InstanceOutcome::default()
        };
        let mut life = life(1.0);
        life.warm(0.020, &at);
        assert!((life.occupancy_bytes / 6.4e6 - 0.632).abs() < 1e-3);
        assert!((life.warmth - 0.368).abs() < 1e-3);
    }

    /// 1 MB there of steady 4 MB, 3 of which in way 1 and 1 in way 3: .75 and .25 MB.
    #[test]
    fn what_is_there_lies_as_it_will() {
        let mut life = life(1.0);
        life.occupancy_bytes = 1e6;
        let at = InstanceOutcome { occupancy_bytes: vec![0.0, 3e6, 0.0, 1e6], ..InstanceOutcome::default() };
        assert_eq!(life.occupancy_by_way(Some(&at), 5), [0.0, 0.75e6, 0.0, 0.25e6, 0.0]);
        assert_eq!(life.occupancy_by_way(None, 2), [0.0, 0.0]);
    }

    /// 1000 cycles a packet, 400 of them stalled: 10 references, no misses when warm. Cold, each stalls 4 times as long:
    /// 400 x 4 = 1600, so 2200 cycles: 1000 / 2200 of the speed.
    #[test]
    fn a_cold_cache_costs_speed() {
        let at = InstanceOutcome { cycles: 1000.0, stalled_cycles: 400.0, llc_references: 10.0, ..Default::default() };
        let mut life = life(1.0);
        assert_eq!(life.speed(&at), 1.0);
        life.warmth = 0.0;
        assert!((life.speed(&at) - 1000.0 / 2200.0).abs() < 1e-12);
    }

    /// Of 3 + 3 + 6 packets a quarter is passed on: .75, 1.5, 3 are owed in all, so 0, 1, 2 go.
    #[test]
    fn parts_of_packets_are_owed() {
        let mut life = life(0.25);
        assert_eq!([life.take(3), life.take(3), life.take(6)], [0, 1, 2]);
        assert_eq!((life.counters.rx, life.counters.tx, life.counters.filtered), (12, 3, 9));
    }
}
