//! When a fleet's solve ends early, and to whom it reports its progress.

use std::time::{Duration, Instant};

use crate::control::Limits;

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Chains choose their hosts.
    Choosing,
    /// Chains are exchanged between hosts.
    Exchanging,
    /// Hosts are solved.
    Solving,
}

impl Stage {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Choosing => "choosing",
            Self::Exchanging => "exchanging",
            Self::Solving => "solving",
        }
    }
}

/// How far a fleet is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FleetProgress {
    /// What is being done.
    pub stage: Stage,
    /// Chains or hosts done in this stage.
    pub done: usize,
    /// Of so many.
    pub total: usize,
    /// Best score found, untouched hosts included.
    pub best: f64,
    /// No placement of the chosen chains on their hosts scores more; infinity before one is known.
    pub bound: f64,
    /// Placements evaluated.
    pub evaluations: u64,
}

/// Called about ten times a second with the progress; true ends the solve.
pub type FleetWatcher<'a> = dyn FnMut(FleetProgress) -> bool + 'a;

const REPORT_EVERY: Duration = Duration::from_millis(100);

/// The stopping rule of one fleet's solve, and its progress.
pub struct Watch<'a> {
    deadline: Option<Instant>,
    most: u64,
    watcher: Option<&'a mut FleetWatcher<'a>>,
    reported_at: Instant,
    cancelled: bool,
    /// How far it is.
    pub progress: FleetProgress,
}

impl<'a> Watch<'a> {
    /// Limits from now on.
    pub fn new(limits: Limits, watcher: Option<&'a mut FleetWatcher<'a>>) -> Self {
        let now = Instant::now();
        let (best, bound) = (f64::NEG_INFINITY, f64::INFINITY);
        Self {
            deadline: limits.time.and_then(|time| now.checked_add(time)),
            most: limits.evaluations.unwrap_or(u64::MAX),
            watcher,
            reported_at: now,
            cancelled: false,
            progress: FleetProgress { stage: Stage::Choosing, done: 0, total: 0, best, bound, evaluations: 0 },
        }
    }

    /// A stage begins.
    pub fn enter(&mut self, stage: Stage, total: usize) {
        self.progress = FleetProgress { stage, done: 0, total, ..self.progress };
        self.reported_at = self.reported_at.checked_sub(REPORT_EVERY).unwrap_or(self.reported_at);
        self.look();
    }

    /// Report to the watcher if it is time; true once it has ended the solve.
    pub fn look(&mut self) -> bool {
        if let Some(watcher) = self.watcher.as_mut() {
            let now = Instant::now();
            if now - self.reported_at >= REPORT_EVERY {
                self.reported_at = now;
                self.cancelled |= watcher(self.progress);
            }
        }
        self.cancelled
    }

    /// True once the watcher has ended the solve.
    pub fn cancelled(&self) -> bool {
        self.cancelled
    }

    /// Limits of what is left, or a part of it.
    pub fn left(&self, share: f64) -> Limits {
        let time = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()).mul_f64(share));
        let evaluations = self.most.saturating_sub(self.progress.evaluations) as f64 * share;
        Limits { time, evaluations: (self.most < u64::MAX).then_some(evaluations as u64) }
    }

    /// A point on the way at which a stage shall end, when so much of what is left is used up.
    pub fn point(&self, share: f64) -> Point {
        let left = self.left(share);
        Point {
            deadline: left.time.map(|time| Instant::now() + time),
            most: left.evaluations.map_or(u64::MAX, |left| self.progress.evaluations + left),
        }
    }

    /// True once the point is passed or the watcher has ended the solve; reports to the watcher if it is time.
    pub fn passed(&mut self, point: Point) -> bool {
        self.look()
            || self.progress.evaluations >= point.most
            || point.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Where a stage ends.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    deadline: Option<Instant>,
    most: u64,
}
