//! When an algorithm ends early, and to whom it reports its progress. Every algorithm counts its evaluations here; once
//! `count` says stop it returns its best and its bound.

use std::time::{Duration, Instant};

/// How far a solve is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Best score found; -infinity before the first.
    pub best: f64,
    /// No placement scores more; infinity before one is known.
    pub bound: f64,
    /// Placements evaluated.
    pub evaluations: u64,
}

/// Called about ten times a second with the progress; true ends the solve.
pub type Watcher<'a> = dyn FnMut(Progress) -> bool + 'a;

/// When to end.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Wall time from now; None: without limit.
    pub time: Option<Duration>,
    /// Evaluated placements: the rule that gives equal results on any machine.
    pub evaluations: Option<u64>,
}

/// What ended a solve before its algorithm was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The limit of wall time.
    Time,
    /// The limit of evaluated placements.
    Evaluations,
    /// The watcher.
    Watcher,
}

const LOOK_EVERY: u64 = 256; // evaluations between two looks at the clock
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// The stopping rule of one solve, and its progress.
pub struct Control<'a> {
    deadline: Option<Instant>,
    most: u64,
    watcher: Option<&'a mut Watcher<'a>>,
    reported_at: Instant,
    next_look: u64,
    progress: Progress,
    ended: Option<Ended>,
}

impl Control<'static> {
    /// Run to the end, unwatched.
    pub fn unlimited() -> Self {
        Self::new(Limits::default(), None)
    }
}

impl<'a> Control<'a> {
    /// Limits from now on.
    pub fn new(limits: Limits, watcher: Option<&'a mut Watcher<'a>>) -> Self {
        let now = Instant::now();
        Self {
            deadline: limits.time.and_then(|time| now.checked_add(time)),
            most: limits.evaluations.unwrap_or(u64::MAX),
            watcher,
            reported_at: now,
            next_look: 0,
            progress: Progress { best: f64::NEG_INFINITY, bound: f64::INFINITY, evaluations: 0 },
            ended: None,
        }
    }

    /// Count evaluations; true: end now.
    #[inline]
    pub fn count(&mut self, evaluations: u64) -> bool {
        self.progress.evaluations += evaluations;
        if self.progress.evaluations >= self.next_look || self.progress.evaluations >= self.most {
            self.look();
        }
        self.stopped()
    }

    /// True where a limit is set: the solve ends by itself.
    pub fn limited(&self) -> bool {
        self.deadline.is_some() || self.most < u64::MAX
    }

    /// True once the solve shall end.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.ended.is_some()
    }

    /// What ended the solve; None: nothing did.
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// Look at the clock now, for algorithms whose steps are long.
    pub fn look(&mut self) -> bool {
        self.next_look = self.progress.evaluations + LOOK_EVERY;
        if self.progress.evaluations >= self.most {
            self.end(Ended::Evaluations);
        }
        if self.deadline.is_some() || self.watcher.is_some() {
            let now = Instant::now();
            if self.deadline.is_some_and(|deadline| now >= deadline) {
                self.end(Ended::Time);
            }
            if let Some(watcher) = self.watcher.as_mut().filter(|_| now - self.reported_at >= REPORT_EVERY) {
                self.reported_at = now;
                if watcher(self.progress) {
                    self.end(Ended::Watcher);
                }
            }
        }
        self.stopped()
    }

    fn end(&mut self, by: Ended) {
        self.ended.get_or_insert(by);
    }

    /// A new best score.
    pub fn found(&mut self, score: f64) {
        self.progress.best = score;
    }

    /// A new bound of the score.
    pub fn bounded(&mut self, bound: f64) {
        self.progress.bound = self.progress.bound.min(bound);
    }

    /// Time left; None without a limit.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Placements evaluated so far.
    pub fn evaluations(&self) -> u64 {
        self.progress.evaluations
    }
}
