//! The rings of a chain whose packets are held back by watermarks (sections 6 and 7). Packets are a fluid, whose rates change
//! only when a ring is empty, or comes to a watermark: these times follow from the rates, so that nothing depends on how long
//! an interval is against the microseconds in which a ring fills. At constant rates the same soon happens over and over: such
//! a cycle is computed once, and counted as often as it fits.

use crate::watermarks::Marks;

/// Steps after which an interval goes on as in its last cycle, though that has not quite come back to where it began.
const MOST_STEPS: u32 = 10_000;
/// The same for means.
const STEADY_STEPS: u32 = 2000;
/// Packets: a ring that differs by less is as it was.
const SAME: f64 = 1e-7;

/// A ring, and the server behind it that takes packets out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ring {
    /// Packets that it has room for.
    room: f64,
    /// None: the ring at the entry. What that has no room for nobody has worked on.
    marks: Option<Marks>,
    /// Packets a second that the server can take.
    rate: f64,
    /// Share of them that it hands on.
    pass: f64,
    /// Packets in it.
    pub waiting: f64,
    /// Its watermarks hold the chain's packets back.
    pub on: bool,
    /// Packets taken since the begin.
    pub taken: f64,
    /// Packets that it had no room for since.
    pub dropped: f64,
    /// The most that waited since.
    pub peak: f64,
    /// The least and most since packets were last let in.
    span: (f64, f64),
    /// The least and most in the cycle that may be a long one.
    long_span: (f64, f64),
    /// Packets a second that are taken now, and by which it grows.
    out: f64,
    net: f64,
    /// Packets in it at which rates change next.
    goal: Option<f64>,
}

impl Ring {
    /// At `place` among its chain's; `rate` and `pass` are its server's.
    pub fn new(place: usize, room: u32, (rate, pass): (f64, f64), waiting: f64, on: bool) -> Self {
        Self {
            room: f64::from(room),
            marks: (place > 0).then(|| Marks::of(room)),
            rate,
            pass,
            waiting,
            on,
            taken: 0.0,
            dropped: 0.0,
            peak: waiting,
            span: (waiting, waiting),
            long_span: (waiting, waiting),
            out: 0.0,
            net: 0.0,
            goal: None,
        }
    }

    /// With so many packets a second coming; seconds until it is at its goal.
    fn flow(&mut self, coming: f64) -> Option<f64> {
        self.out = if self.waiting > 0.0 { self.rate } else { self.rate.min(coming) };
        self.net = coming - self.out;
        self.goal = match self.marks {
            Some(marks) if self.net > 0.0 && !self.on => Some(marks.high),
            Some(marks) if self.net < 0.0 && self.on => Some(marks.low),
            _ => (self.net < 0.0).then_some(0.0),
        };
        self.goal.map(|goal| (goal - self.waiting) / self.net)
    }

    /// Let `seconds` pass; to its goal exactly where they suffice.
    fn pass(&mut self, seconds: f64) {
        self.taken += self.out * seconds;
        let filled = self.net.mul_add(seconds, self.waiting);
        let filled = self.goal.filter(|goal| (goal - filled).abs() <= 1e-9 * self.room).unwrap_or(filled);
        self.dropped += (filled - self.room).max(0.0);
        self.waiting = filled.clamp(0.0, self.room);
        self.note();
    }

    fn note(&mut self) {
        let wider = |(least, most): (f64, f64)| (self.waiting.min(least), self.waiting.max(most));
        (self.span, self.long_span) = (wider(self.span), wider(self.long_span));
        self.peak = self.peak.max(self.waiting);
    }

    /// How often it can be fuller by `drift` after a cycle, until it is at its high mark, full or empty within one.
    fn cycles(&self, drift: f64) -> f64 {
        let (least, most) = self.span;
        let highest = self.marks.map_or(self.room, |marks| marks.high);
        if drift.abs() < SAME {
            return f64::INFINITY;
        }
        if most >= highest { 0.0 } else { (if drift > 0.0 { highest - most } else { least }) / drift.abs() }
    }

    fn is_as(&self, other: &Self) -> bool {
        self.on == other.on && (self.waiting - other.waiting).abs() < SAME
    }
}

/// All rings of a chain, from the one where packets enter.
#[derive(Debug, Clone, PartialEq)]
pub struct Rings {
    /// In the order of its packets.
    pub rings: Vec<Ring>,
    /// Packets dropped before the first since the begin.
    pub held_back: f64,
    /// Packets a second that come.
    come: f64,
    /// Seconds since the begin.
    at: f64,
}

/// What rings do in the long run, a second; lists are by ring.
#[derive(Debug, Clone, PartialEq)]
pub struct Means {
    /// Packets that are not dropped before the first.
    pub admitted: f64,
    /// Packets taken.
    pub taken: Vec<f64>,
    /// Least and most packets that wait, where that is never none.
    pub held: Vec<Option<(f64, f64)>>,
}

impl Rings {
    /// `come` packets a second.
    pub const fn new(rings: Vec<Ring>, come: f64) -> Self {
        Self { rings, held_back: 0.0, come, at: 0.0 }
    }

    /// Let time pass up to `until`, seconds since the begin.
    pub fn run(&mut self, until: f64) {
        while let Some(begun) = self.advance(until, MOST_STEPS) {
            self.repeat(&begun, ((until - self.at) / (self.at - begun.at)).floor());
        }
    }

    /// In the long run: of the cycle that it comes to. Where three rings and more hold packets back by turns that may never
    /// come back to where it began: then of the last half of `STEADY_STEPS` or more.
    pub fn means(mut self) -> Means {
        match self.advance(f64::INFINITY, STEADY_STEPS) {
            Some(begun) => self.means_since(&begun),
            None => self.even(),
        }
    }

    fn means_since(&self, begun: &Self) -> Means {
        let period = self.at - begun.at;
        let taken = self.rings.iter().zip(&begun.rings).map(|(now, then)| (now.taken - then.taken) / period);
        Means {
            admitted: self.come - (self.held_back - begun.held_back) / period,
            taken: taken.collect(),
            held: self.rings.iter().map(|ring| Some(ring.long_span).filter(|span| span.0 > 0.0)).collect(),
        }
    }

    /// With all that comes let in: there is no cycle, since no ring is ever on.
    fn even(&self) -> Means {
        let mut coming = self.come;
        let take = |ring: &Ring| {
            let taken = coming.min(ring.rate);
            coming = taken * ring.pass;
            taken
        };
        let taken = self.rings.iter().map(take).collect();
        Means { admitted: self.come, taken, held: vec![None; self.rings.len()] }
    }

    /// Up to the time `until`, or to where the same begins again: then as it was when it began the last time. A cycle begins
    /// where packets are let in again; its begin is looked for ever longer ago (Brent 1980), so that a cycle of several
    /// of these is found.
    fn advance(&mut self, until: f64, most_steps: u32) -> Option<Self> {
        let mut begun: Option<Self> = None;
        let (mut last, mut drift): (Option<Self>, Vec<f64>) = (None, Vec::new());
        let (mut openings, mut steps) = (0_u32, 0);
        let mut closed = self.look();
        while self.at < until && self.step(closed, until) {
            steps += 1;
            let closes = self.look();
            if closed && !closes {
                if begun.as_ref().is_some_and(|begun| self.is_as(begun) || steps > most_steps) {
                    return begun;
                }
                if let Some(last) = &last {
                    self.drift(last, &mut drift, until);
                }
                openings += 1;
                if openings.is_power_of_two() {
                    self.rings.iter_mut().for_each(|ring| ring.long_span = (ring.waiting, ring.waiting));
                    begun = Some(self.clone());
                }
                self.rings.iter_mut().for_each(|ring| ring.span = (ring.waiting, ring.waiting));
                last = Some(self.clone());
            }
            closed = closes;
        }
        None
    }

    /// Where rings differ from `last` by as much as after the cycle before, they do so again and again: each cycle fills some
    /// by so much more, until one of them is empty, full or at a mark within it.
    fn drift(&mut self, last: &Self, drift: &mut Vec<f64>, until: f64) {
        let now: Vec<f64> = self.rings.iter().zip(&last.rings).map(|(now, then)| now.waiting - then.waiting).collect();
        let same = |(now, before): (&f64, &f64)| (now - before).abs() < SAME;
        if drift.len() == now.len() && now.iter().zip(drift.iter()).all(same) {
            let cycles = (until - self.at) / (self.at - last.at);
            let fits = self.rings.iter().zip(&now).map(|(ring, &drift)| ring.cycles(drift));
            let times = fits.fold(cycles, f64::min).floor();
            if times.is_finite() {
                self.repeat(last, times);
                for (ring, drift) in self.rings.iter_mut().zip(&now) {
                    ring.waiting += drift * times;
                    ring.note();
                }
            }
        }
        *drift = now;
    }

    /// Whether any ring is above its watermarks: then nothing is let in.
    fn look(&mut self) -> bool {
        for ring in &mut self.rings {
            ring.on = ring.marks.is_some_and(|marks| marks.is_on(ring.on, ring.waiting));
        }
        self.rings.iter().any(|ring| ring.on)
    }

    /// As long as rates are the same, at most to `until`; false where they will always be.
    fn step(&mut self, closed: bool, until: f64) -> bool {
        let mut coming = if closed { 0.0 } else { self.come };
        let longest = until - self.at;
        let mut seconds = longest;
        for ring in &mut self.rings {
            seconds = ring.flow(coming).map_or(seconds, |needed| seconds.min(needed));
            coming = ring.out * ring.pass;
        }
        if seconds.is_infinite() {
            return false;
        }
        self.rings.iter_mut().for_each(|ring| ring.pass(seconds));
        self.held_back += if closed { self.come * seconds } else { 0.0 };
        self.at = if seconds < longest { self.at + seconds } else { until };
        true
    }

    fn is_as(&self, other: &Self) -> bool {
        self.rings.iter().zip(&other.rings).all(|(now, then)| now.is_as(then))
    }

    /// What has passed since `begun`, so many times more.
    fn repeat(&mut self, begun: &Self, times: f64) {
        let again = |now: f64, then: f64| (now - then).mul_add(times, now);
        for (ring, then) in self.rings.iter_mut().zip(&begun.rings) {
            (ring.taken, ring.dropped) = (again(ring.taken, then.taken), again(ring.dropped, then.dropped));
        }
        (self.held_back, self.at) = (again(self.held_back, begun.held_back), again(self.at, begun.at));
    }
}
