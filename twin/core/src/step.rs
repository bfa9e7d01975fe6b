//! A host in time (docs/twin-model.md, section 7): a clock that goes by ticks, and all that changes between them. What
//! happens depends on the times of orders and faults only, never on how often, or how far, the clock is moved.

use std::sync::Arc;

use crate::agenda::Agenda;
use crate::check::check_machine;
use crate::counters::NodeCounters;
use crate::dice::{Dice, stream};
use crate::error::{BadInput, WHOLE};
use crate::faults::{ActiveFault, Fault};
use crate::life::Life;
use crate::line::{Interval, Line};
use crate::machine::Machine;
use crate::order::Order;
use crate::settle::Settled;
use crate::traffic::to_ns;

/// Longest step, seconds: a day, which a busy host computes in seconds.
pub const LONGEST_STEP_S: f64 = 86_400.0;
/// Shortest and longest tick, seconds.
pub const TICKS_S: (f64, f64) = (0.01, 1.0);
const SECOND_NS: u64 = 1_000_000_000;

/// A host in time.
#[derive(Debug, Clone)]
pub struct Host {
    pub(crate) machine: Arc<Machine>,
    pub(crate) seed: u64,
    tick_ns: u64,
    /// How far the clock has been moved; what is known is known up to `at_ns`, less than a tick before.
    pub(crate) asked_ns: u64,
    pub(crate) at_ns: u64,
    /// Times it was switched on, less one.
    pub(crate) epoch: u32,
    /// It is off until then.
    pub(crate) off_until_ns: Option<u64>,
    /// The newest order, and what of it has effect.
    pub(crate) ordered: Order,
    pub(crate) present: Order,
    /// By instance and by chain of what is present.
    pub(crate) lives: Vec<Life>,
    pub(crate) lines: Vec<Line>,
    pub(crate) chains_begun: u64,
    pub(crate) agenda: Agenda,
    pub(crate) faults: Vec<ActiveFault>,
    pub(crate) faults_begun: u64,
    pub(crate) settled: Settled,
    pub(crate) nodes: NodeCounters,
    /// Whose draws hold.
    second: Option<u64>,
    /// By instance, in this interval.
    speeds: Vec<f64>,
}

impl Host {
    /// A host on which nothing runs. Caches and controllers are looked at once a tick, 10 ms to 1 s.
    pub fn new(machine: Arc<Machine>, seed: u64, tick_s: f64) -> Result<Self, BadInput> {
        check_machine(&machine)?;
        if !(TICKS_S.0..=TICKS_S.1).contains(&tick_s) {
            return Err(BadInput::new("tick_s", format!("{tick_s} s is not within {} and {} s", TICKS_S.0, TICKS_S.1)));
        }
        let nodes = NodeCounters::new(machine.nodes, machine.cores());
        Ok(Self {
            machine,
            seed,
            tick_ns: to_ns(tick_s),
            asked_ns: 0,
            at_ns: 0,
            epoch: 0,
            off_until_ns: None,
            ordered: Order::default(),
            present: Order::default(),
            lives: Vec::new(),
            lines: Vec::new(),
            chains_begun: 0,
            agenda: Agenda::default(),
            faults: Vec::new(),
            faults_begun: 0,
            settled: Settled::default(),
            nodes,
            second: None,
            speeds: Vec::new(),
        })
    }

    /// Seconds since it was made, as far as the clock has been moved.
    pub fn now_s(&self) -> f64 {
        self.asked_ns as f64 / SECOND_NS as f64
    }

    /// Move the clock by `dt_s`, at most `LONGEST_STEP_S`; to the nanosecond.
    pub fn step(&mut self, dt_s: f64) -> Result<(), BadInput> {
        if !(0.0..=LONGEST_STEP_S).contains(&dt_s) {
            return Err(BadInput::new("dt_s", format!("{dt_s} s is not within 0 and {LONGEST_STEP_S} s")));
        }
        self.asked_ns += to_ns(dt_s);
        self.run();
        Ok(())
    }

    /// Whole ticks and all events up to the clock.
    fn run(&mut self) {
        loop {
            let tick = (self.at_ns / self.tick_ns + 1) * self.tick_ns;
            let next = self.agenda.next().map_or(tick, |due| due.clamp(self.at_ns, tick));
            if next > self.asked_ns {
                return;
            }
            self.pass(next);
            while let Some(event) = self.agenda.take(next) {
                self.happen(event);
            }
        }
    }

    /// Compute up to the clock even within a tick: something is about to change.
    pub(crate) fn catch_up(&mut self) -> Result<(), BadInput> {
        self.run();
        self.pass(self.asked_ns);
        self.is_on()
    }

    /// Refused while it is off.
    pub(crate) fn is_on(&self) -> Result<(), BadInput> {
        match self.off_until_ns {
            Some(_) => Err(BadInput::new(WHOLE, "the host is off; wait until it is back")),
            None => Ok(()),
        }
    }

    /// Let time pass in which nothing happens, within a tick.
    fn pass(&mut self, to: u64) {
        let from = self.at_ns;
        if to <= from {
            return;
        }
        if self.second != Some(from / SECOND_NS) {
            self.second = Some(from / SECOND_NS);
            self.begin_second(from - from % SECOND_NS);
        }
        if self.off_until_ns.is_none() && !self.settled.is_idle() {
            self.settle(from.is_multiple_of(self.tick_ns));
            self.work(from, to);
        }
        self.at_ns = to;
    }

    fn begin_second(&mut self, ns: u64) {
        for life in &mut self.lives {
            life.begin_second(self.seed, ns, &self.machine.noise);
        }
        for (index, line) in self.lines.iter_mut().enumerate() {
            let taken = self.settled.outcome.chains.get(index).map_or(0.0, |chain| chain.offered_pps);
            let mut dice = Dice::new(self.seed ^ 1, line.stream, ns);
            line.servers.iter_mut().for_each(|server| server.begin_second(taken, dice.uniform()));
        }
        self.nodes.begin_second(&self.machine.noise, &mut Dice::new(self.seed, stream("nodes"), ns));
    }

    /// Packets, counters and caches of an interval.
    fn work(&mut self, from: u64, to: u64) {
        let seconds = seconds(from, to);
        self.speeds.clear();
        for (life, at) in self.lives.iter_mut().zip(&self.settled.outcome.instances) {
            life.taken = 0;
            if life.works(from) {
                life.warm(seconds, at);
            }
            self.speeds.push(life.speed(at));
        }
        for index in 0..self.lines.len() {
            self.work_chain(index, from, to);
        }
        let outcome = &self.settled.outcome;
        let settled = outcome.instances.iter().zip(&self.speeds);
        for ((life, (at, &speed)), instance) in self.lives.iter_mut().zip(settled).zip(&self.present.setting.instances)
        {
            if life.works(from) {
                let (taken, warmth, errors) = (life.taken, life.warmth, life.errors);
                life.counters.count(taken, at, warmth, &errors);
                life.counters.count_busy(seconds, taken, at, speed);
                life.counters.count_cpu(seconds, taken, at, instance);
            }
        }
        self.nodes.count(seconds, outcome);
    }

    /// One chain's part of it, cut where its rates jump.
    fn work_chain(&mut self, index: usize, from: u64, to: u64) {
        let chain = &self.present.setting.chains[index];
        let line = &mut self.lines[index];
        let flap = |fault: &ActiveFault| matches!(fault.fault, Fault::NicFlap { nic, .. } if nic == chain.nic);
        let frozen = self.present.paused.contains(&chain.id);
        let mut begin = from;
        while begin < to {
            let end = line.next_edge(begin).min(to);
            let mut dice = Dice::new(self.seed, line.stream, begin);
            let phase = dice.uniform();
            let comes = line.open && !frozen;
            let arrived = if comes { line.arrivals.count(chain.traffic.rate_pps, begin, end, &mut dice) } else { 0 };
            let interval = Interval {
                ns: begin,
                seconds: seconds(begin, end),
                link: !self.faults.iter().any(flap),
                awake: !frozen,
                backpressure: chain.backpressure,
                bytes: chain.traffic.bytes(),
                phase,
            };
            line.advance(arrived, &interval, &mut self.lives, &self.speeds);
            begin = end;
        }
    }
}

fn seconds(from: u64, to: u64) -> f64 {
    (to - from) as f64 / SECOND_NS as f64
}
