//! A chain in time: rings that fill and drain between the processes of its stages (docs/twin-model.md, sections 6 and 7).
//! Within an interval packets come evenly and every process takes at its capacity, so counts are exact: a ring that fills
//! from q by (in - out) a second drops nothing before it is full and the difference afterwards.

use crate::held_rings::{Ring, Rings};
use crate::histogram::Histogram;
use crate::latency::Spread;
use crate::life::Life;
use crate::setting::Backpressure;
use crate::traffic::Arrivals;

/// Of a packet: what sums of many parts are off by.
const ROUNDING: f64 = 1e-6;

/// A process, or a thread between NIC and chain, with the ring before it.
#[derive(Debug, Clone, Default)]
pub struct Server {
    /// Places in the setting of the instances that share the process, in order; none: the RX or TX thread.
    pub members: Vec<usize>,
    /// Places in its ring.
    pub room: u64,
    /// Packets in it.
    pub waiting: u64,
    /// What it can take, packets a second, with warm caches.
    pub capacity_pps: f64,
    /// A quota that holds it still: it works for this share of each period, from its begin.
    pub quota: Option<(f64, u64)>,
    /// Packets in its ring in steady state where it has more than it can take; else 0.
    pub steady_waiting: f64,
    /// Mean packets in its ring in steady state, as they come at random.
    pub mean_waiting: f64,
    /// Watermarks of its ring hold the chain's packets back.
    pub on: bool,
    /// The most that waited in this second, and in the last.
    pub peaks: (u64, u64),
    /// What it takes in this interval, packets a second.
    rate_pps: f64,
    /// Of a packet: what it has begun.
    begun: f64,
}

/// Cumulative counters of a chain since it was added. offered = sent + source drops; sent = delivered + the NFs' drops and
/// filtered packets + what is in rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChainCounters {
    /// Packets that came to the NIC.
    pub offered: u64,
    /// Lost at the NIC or its descriptors.
    pub source_drops: u64,
    /// Packets that left by the NIC.
    pub delivered: u64,
    /// Their bytes.
    pub delivered_bytes: u64,
}

/// A chain in time.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// In the order of its packets.
    pub servers: Vec<Server>,
    /// When packets come.
    pub arrivals: Arrivals,
    /// Cumulative.
    pub counters: ChainCounters,
    /// Time from NIC to NIC of what was delivered.
    pub latency: Histogram,
    /// Of the steady state.
    pub spread: Spread,
    /// What a packet does not overtake: the time of all its stages.
    pub least_s: f64,
    /// True once all its NFs have started: packets come.
    pub open: bool,
    /// Share of its packets that the NIC's line has room for.
    pub admitted: f64,
    /// Other than that of any other life of a chain on this host.
    pub life: u64,
    /// Of its draws.
    pub stream: u64,
    /// Of a packet: what the NIC has lost beyond whole ones.
    lost: f64,
}

/// What an interval is to a chain.
#[derive(Debug, Clone, Copy)]
pub struct Interval {
    /// Its begin.
    pub ns: u64,
    /// Its length.
    pub seconds: f64,
    /// The NIC has its link.
    pub link: bool,
    /// Its NFs are not frozen.
    pub awake: bool,
    /// Where packets are dropped that a later stage has no room for.
    pub backpressure: Backpressure,
    /// Mean bytes of a frame.
    pub bytes: f64,
    /// 0 to 1, drawn: where rounding of few packets begins.
    pub phase: f64,
}

impl Line {
    /// A chain that is not open yet; `stream` is of its draws.
    pub fn new(life: u64, stream: u64) -> Self {
        Self { life, stream, admitted: 1.0, ..Self::default() }
    }

    /// Let `arrived` packets come, evenly, and all stages work. `speeds`: of each instance, against warm caches.
    pub fn advance(&mut self, arrived: u64, interval: &Interval, lives: &mut [Life], speeds: &[f64]) {
        for server in &mut self.servers {
            server.rate_pps = if interval.awake { server.rate(interval.ns, lives, speeds) } else { 0.0 };
        }
        let wait_before = self.wait_s();
        let mut coming = self.admit(arrived, interval.link);
        let held =
            (interval.backpressure == Backpressure::Watermarks).then(|| self.held(coming, interval.seconds, lives));
        if let Some(rings) = &held {
            let held_back = (rings.held_back.round() as u64).min(coming);
            self.counters.source_drops += held_back;
            coming -= held_back;
        }
        for index in 0..self.servers.len() {
            let strict = interval.backpressure == Backpressure::Strict;
            let most = if strict { self.most(index, interval.seconds, lives) } else { f64::INFINITY };
            let server = &mut self.servers[index];
            let (taken, dropped) = match &held {
                Some(rings) => server.follow(coming, &rings.rings[index]),
                None => server.serve(coming, interval.seconds, most),
            };
            coming = server.members.iter().fold(taken, |packets, &member| lives[member].take(packets));
            self.count_drops(index, dropped, lives);
        }
        if interval.link {
            self.deliver(coming, interval, (wait_before, self.wait_s()));
        } else {
            self.count_drops(self.servers.len(), coming, lives);
        }
    }

    /// The next time after `ns` at which a rate of this chain jumps.
    pub fn next_edge(&self, ns: u64) -> u64 {
        let quotas = self.servers.iter().filter_map(|server| server.next_edge(ns));
        quotas.chain(self.arrivals.next_edge(ns)).min().unwrap_or(u64::MAX)
    }

    /// Packets in rings.
    pub fn waiting(&self) -> u64 {
        self.servers.iter().map(|server| server.waiting).sum()
    }

    /// What is left after the NIC.
    fn admit(&mut self, arrived: u64, link: bool) -> u64 {
        self.counters.offered += arrived;
        let exact = if link { (1.0 - self.admitted).mul_add(arrived as f64, self.lost) } else { arrived as f64 };
        let lost = (exact.floor() as u64).min(arrived);
        self.lost = (exact - lost as f64).clamp(0.0, 1.0);
        self.counters.source_drops += lost;
        arrived - lost
    }

    /// What its rings do in `seconds` in which `arrived` packets come, held back by watermarks.
    fn held(&self, arrived: u64, seconds: f64, lives: &[Life]) -> Rings {
        let rings = self.servers.iter().enumerate().map(|(place, server)| server.ring(place, lives));
        let mut rings = Rings::new(rings.collect(), arrived as f64 / seconds);
        rings.run(seconds);
        rings
    }

    /// The most that a server may take so that all rings behind it have room for what it hands on.
    fn most(&self, index: usize, seconds: f64, lives: &[Life]) -> f64 {
        let mut most = f64::INFINITY;
        for (before, server) in self.servers[index..].iter().zip(&self.servers[index + 1..]).rev() {
            let takes = server.rate_pps.mul_add(seconds, server.begun).min(most);
            most = ((server.room - server.waiting) as f64 + takes) / before.pass(lives).max(1e-9);
        }
        most
    }

    /// Before the first server it is the NIC that drops; before and behind the others the NF that hands on.
    fn count_drops(&mut self, index: usize, dropped: u64, lives: &mut [Life]) {
        let own = self.servers.get(index).and_then(|server| server.members.first());
        let before = || self.servers[..index].iter().rev().find_map(|server| server.members.last());
        match own.filter(|_| index > 0).or_else(before) {
            Some(&nf) => lives[nf].counters.drops += dropped,
            None => self.counters.source_drops += dropped,
        }
    }

    fn deliver(&mut self, packets: u64, interval: &Interval, waits: (f64, f64)) {
        self.counters.delivered += packets;
        self.counters.delivered_bytes += (packets as f64 * interval.bytes).round() as u64;
        self.spread.count(packets, waits, self.least_s, interval.phase, &mut self.latency);
    }

    /// How much longer than in steady state a packet waits that comes now; negative where rings have yet to fill.
    fn wait_s(&self) -> f64 {
        let wait = |server: &Server| {
            let rate = if server.rate_pps > 0.0 { server.rate_pps } else { server.capacity_pps };
            if rate > 0.0 { (server.waiting as f64 - server.steady_waiting) / rate } else { 0.0 }
        };
        self.servers.iter().map(wait).sum()
    }
}

impl Server {
    /// Of these instances, none for a thread, with an empty ring of `room` packets.
    pub fn new(members: Vec<usize>, room: u64) -> Self {
        Self { members, room, ..Self::default() }
    }

    /// Packets a second with caches as warm as they are; none while one of its NFs does not work.
    fn rate(&self, ns: u64, lives: &[Life], speeds: &[f64]) -> f64 {
        if self.members.iter().any(|&member| !lives[member].works(ns)) {
            return 0.0;
        }
        let slowest = self.members.iter().map(|&member| speeds[member]).fold(1.0, f64::min);
        self.capacity_pps
            * slowest
            * self.quota.map_or(1.0, |quota| if still_at(quota, ns) { 0.0 } else { 1.0 / quota.0 })
    }

    /// The next time after `ns` at which its quota holds it still or lets it go.
    fn next_edge(&self, ns: u64) -> Option<u64> {
        self.quota.map(|(share, period)| {
            let begun = ns - ns % period;
            let still = begun + (share * period as f64) as u64;
            if ns < still { still } else { begun + period }
        })
    }

    /// Share of the packets it takes that it hands on.
    fn pass(&self, lives: &[Life]) -> f64 {
        self.members.iter().map(|&member| lives[member].pass).product()
    }

    /// Its ring as a fluid, at `place` of its chain.
    fn ring(&self, place: usize, lives: &[Life]) -> Ring {
        Ring::new(place, self.room as u32, (self.rate_pps, self.pass(lives)), self.waiting as f64, self.on)
    }

    /// Take and keep what the fluid has, in whole packets; (taken, dropped).
    fn follow(&mut self, coming: u64, ring: &Ring) -> (u64, u64) {
        let there = self.waiting + coming;
        let exact = ring.taken + self.begun;
        let idle = ring.waiting == 0.0 && ring.dropped == 0.0;
        let taken = if idle { there } else { there.min((exact + ROUNDING).floor() as u64) };
        let left = there - taken;
        self.waiting = left.min(if ring.dropped > 0.0 { ring.waiting.round() as u64 } else { self.room });
        self.begun = if self.waiting > 0 { (exact - taken as f64).clamp(0.0, 1.0) } else { 0.0 };
        self.on = ring.on;
        self.peaks.0 = self.peaks.0.max(self.waiting).max(ring.peak as u64);
        (taken, left - self.waiting)
    }

    /// Take what waits and comes, at most `most`; (taken, dropped).
    fn serve(&mut self, coming: u64, seconds: f64, most: f64) -> (u64, u64) {
        let there = self.waiting + coming;
        let could = self.rate_pps.mul_add(seconds, self.begun).min(most.max(0.0));
        let taken = there.min(could.floor() as u64);
        let left = there - taken;
        self.begun = if left > 0 { (could - taken as f64).clamp(0.0, 1.0) } else { 0.0 };
        let dropped = left.saturating_sub(self.room);
        self.waiting = left - dropped;
        self.peaks.0 = self.peaks.0.max(self.waiting);
        (taken, dropped)
    }

    /// Another second begins. A ring whose mean is L holds at least k packets with probability (L / (1 + L))^k, as a queue
    /// with memoryless arrivals and service does; the most of n packets' looks is ln n (+ a Gumbel draw) / ln((1 + L) / L).
    pub fn begin_second(&mut self, taken: f64, uniform: f64) {
        let ratio = ((1.0 + self.mean_waiting) / self.mean_waiting.max(1e-9)).ln();
        let burst = (taken.max(1.0).ln() - (-uniform.ln()).max(1e-12).ln()) / ratio;
        let burst = if taken > 0.0 && self.mean_waiting > 0.0 { burst.max(0.0) as u64 } else { 0 };
        self.peaks = (self.waiting, self.peaks.0.max(burst).min(self.room));
    }
}

/// Whether a quota holds its user still at `ns`.
fn still_at((share, period): (f64, u64), ns: u64) -> bool {
    (ns % period) as f64 >= (share * period as f64).floor()
}

#[cfg(test)]
mod tests {
    use super::{Interval, Line, Server};
    use crate::counters::Noise;
    use crate::life::{Life, State};
    use crate::setting::Backpressure;

    const SECOND: Interval = Interval {
        ns: 0,
        seconds: 1.0,
        link: true,
        awake: true,
        backpressure: Backpressure::None,
        bytes: 64.0,
        phase: 0.5,
    };

    fn line(capacities: &[f64], room: u64) -> (Line, Vec<Life>) {
        let server =
            |(member, &capacity_pps)| Server { members: vec![member], room, capacity_pps, ..Default::default() };
        let servers = capacities.iter().enumerate().map(server).collect();
        let mut life = Life::starting("a", 1.0, 1, 0, &Noise::default());
        life.state = State::Running;
        (Line { servers, admitted: 1.0, ..Line::default() }, vec![life; capacities.len()])
    }

    /// A ring of 512 before a stage that is 1 Mpps too slow (10 come, 9 go) fills in 512 / 1e6 s = 512 us: after 500 us
    /// 500 packets wait and none is lost; after 1 ms 512 wait and 1000 - 512 = 488 are lost.
    #[test]
    fn a_ring_fills_before_it_drops() {
        let (mut line, mut lives) = line(&[20e6, 9e6], 512);
        for (waiting, drops) in [(500, 0), (512, 488)] {
            line.advance(5000, &Interval { seconds: 500e-6, ..SECOND }, &mut lives, &[1.0, 1.0]);
            assert_eq!((line.servers[1].waiting, lives[1].counters.drops), (waiting, drops));
        }
        assert_eq!((line.counters.offered, line.counters.delivered), (10_000, 9000));
    }

    /// With strict backpressure the same loss is before the first stage, which takes no more than the second does.
    #[test]
    fn strict_backpressure_drops_at_the_source() {
        let (mut line, mut lives) = line(&[20e6, 9e6], 512);
        let strict = Interval { seconds: 10e-3, backpressure: Backpressure::Strict, ..SECOND };
        line.advance(100_000, &strict, &mut lives, &[1.0, 1.0]);
        // 90,000 taken by the second, 512 in each ring: 100,000 - 91,024 = 8976 lost.
        assert_eq!((line.counters.source_drops, lives[1].counters.drops), (8976, 0));
        assert_eq!((line.counters.delivered, line.waiting()), (90_000, 1024));
    }

    /// Watermarks of 512 are 410 and 307. Of 10 packets a microsecond the second takes 9: its ring is at 410 after 410 us. Then
    /// nothing is let in for 103 / 9 us, and all for 103 us. Of the 9590 us that are left 83 such cycles take 9498 8/9; in the
    /// last 91 1/9 it drains for 11 4/9 and fills for 79 2/3, to 386 2/3. Nothing was let in 84 x 11 4/9 = 961 1/3 us, which
    /// were 9613 packets. In one interval or in 1000 (which round half a packet whenever it begins or ends), the second loses none,
    /// and has always something to do.
    #[test]
    fn watermarks_drop_at_the_source_what_the_slowest_does_not_take() {
        for intervals in [1_u32, 1000] {
            let (mut line, mut lives) = line(&[20e6, 9e6], 512);
            let seconds = 10e-3 / f64::from(intervals);
            let interval = Interval { seconds, backpressure: Backpressure::Watermarks, ..SECOND };
            let arrived = 100_000 / u64::from(intervals);
            (0..intervals).for_each(|_| line.advance(arrived, &interval, &mut lives, &[1.0, 1.0]));
            let found = (line.counters.source_drops, line.counters.delivered, line.waiting());
            let slack = if intervals == 1 { 1 } else { 168 / 2 };
            assert!(found.0.abs_diff(9613) <= slack && found.2.abs_diff(387) <= slack, "{found:?}");
            assert_eq!((found.1, lives[1].counters.drops, line.counters.offered), (90_000, 0, 100_000));
            assert_eq!(line.servers[1].peaks.0, 410);
        }
    }

    /// Without its link a NIC loses what comes, and what still leaves the chain is lost by its last NF.
    #[test]
    fn without_a_link_nothing_comes_or_goes() {
        let (mut line, mut lives) = line(&[1e6], 512);
        line.servers[0].waiting = 100;
        line.advance(1000, &Interval { link: false, ..SECOND }, &mut lives, &[1.0]);
        assert_eq!((line.counters.source_drops, lives[0].counters.drops, line.counters.delivered), (1000, 100, 0));
    }

    /// A quota of 25 % of 100 ms lets it work from 0 to 25 ms, at four times its mean capacity of 1 Mpps.
    #[test]
    fn a_quota_holds_still() {
        let (mut line, lives) = line(&[1e6], 512);
        line.servers[0].quota = Some((0.25, 100_000_000));
        assert_eq!((line.next_edge(0), line.next_edge(25_000_000)), (25_000_000, 100_000_000));
        assert_eq!(line.servers[0].rate(24_999_999, &lives, &[1.0]), 4e6);
        assert_eq!(line.servers[0].rate(25_000_000, &lives, &[1.0]), 0.0);
    }

    /// A ring with one packet in the mean holds k with probability 2^-k: of a million looks the most is about
    /// log2(1e6) = 19.9, where the draw (e^-1: Gumbel 0) adds nothing; never more than there is room for.
    #[test]
    fn the_most_of_a_second_grows_with_its_packets() {
        let (mut line, _) = line(&[1e6], 512);
        let server = &mut line.servers[0];
        server.mean_waiting = 1.0;
        server.begin_second(1e6, (-1.0f64).exp());
        assert_eq!(server.peaks, (0, 19));
        server.room = 16;
        server.begin_second(1e6, (-1.0f64).exp());
        assert_eq!(server.peaks, (0, 16));
    }

    /// A frozen chain keeps what waits; what comes meanwhile finds the ring full.
    #[test]
    fn frozen_processes_keep_their_rings() {
        let (mut line, mut lives) = line(&[1e6], 512);
        line.advance(1000, &Interval { awake: false, ..SECOND }, &mut lives, &[1.0]);
        assert_eq!((line.waiting(), line.counters.source_drops, line.counters.delivered), (512, 488, 0));
    }
}
