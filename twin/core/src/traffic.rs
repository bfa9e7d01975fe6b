//! When packets come: the rate over time, and how many arrive in an interval. Pure: everything follows from the time
//! (nanoseconds since the host's start), the mean rate and the draw.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use crate::dice::Dice;
use crate::error::BadInput;

/// Nanoseconds of a second.
pub const NS: f64 = 1e9;
/// Shortest time between two changes of a rate: they bound the work of a step.
const SHORTEST_S: f64 = 1e-3;
const LONGEST_S: f64 = 1e7;
/// A burst cycle up to this long is faster than caches and controllers are looked at: they see its mean.
const FAST_NS: u64 = 1_000_000_000;
const MAX_POINTS: usize = 100_000;
const MAX_PPS: f64 = 1e12;

/// How the packets of a chain come.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// The rate over time.
    #[serde(default)]
    pub shape: Shape,
    /// True: counts are Poisson; false: packets come evenly.
    #[serde(default)]
    pub poisson: bool,
}

/// The rate over time; its mean is the traffic's rate, but for `Replay`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// Always the mean.
    #[default]
    Constant,
    /// Bursts at mean x (on + off) / on, then silence; the first burst begins at 0.
    OnOff {
        /// How long a burst is.
        on_s: f64,
        /// How long the silence is.
        off_s: f64,
    },
    /// mean x (1 + swing x cos(2 pi (t - peak) / period)).
    Diurnal {
        /// A day, or what stands for one.
        period_s: f64,
        /// 0 to 1.
        swing: f64,
        /// When most comes.
        peak_s: f64,
    },
    /// Each rate from its time on, instead of the traffic's; nothing before the first.
    Replay {
        /// (seconds, packets a second), by rising time.
        points: Vec<(f64, f64)>,
        /// Begins anew after so long; none: the last rate stays.
        #[serde(default)]
        every_s: Option<f64>,
    },
}

impl Arrivals {
    /// Refuses what has no finite rate at every time.
    pub fn check(&self) -> Result<(), BadInput> {
        match &self.shape {
            Shape::Constant => Ok(()),
            Shape::OnOff { on_s, off_s } => in_range("on_s", *on_s, SHORTEST_S, LONGEST_S)
                .and_then(|()| in_range("off_s", *off_s, SHORTEST_S, LONGEST_S)),
            Shape::Diurnal { period_s, swing, peak_s } => in_range("period_s", *period_s, 1.0, LONGEST_S)
                .and_then(|()| in_range("swing", *swing, 0.0, 1.0))
                .and_then(|()| in_range("peak_s", *peak_s, 0.0, LONGEST_S)),
            Shape::Replay { points, every_s } => check_points(points, *every_s),
        }
        .map_err(|bad| bad.within("shape"))
    }

    /// Packets a second at `ns`.
    pub fn rate(&self, mean_pps: f64, ns: u64) -> f64 {
        match &self.shape {
            Shape::Constant => mean_pps,
            Shape::OnOff { on_s, off_s } => {
                let (on, cycle) = on_off_ns(*on_s, *off_s);
                if ns % cycle < on { mean_pps * cycle as f64 / on as f64 } else { 0.0 }
            }
            Shape::Diurnal { period_s, swing, peak_s } => {
                let phase = TAU * (ns as f64 / NS - peak_s) / period_s;
                mean_pps * swing.mul_add(phase.cos(), 1.0)
            }
            Shape::Replay { points, every_s } => {
                let (_, within) = round_of(*every_s, ns);
                points[..passed(points, within)].last().map_or(0.0, |&(_, rate)| rate)
            }
        }
    }

    /// What caches and controllers see at `ns`: the rate, or the mean of bursts that are faster than they are looked at.
    pub fn settled_rate(&self, mean_pps: f64, ns: u64) -> f64 {
        match self.shape {
            Shape::OnOff { on_s, off_s } if on_off_ns(on_s, off_s).1 <= FAST_NS => mean_pps,
            _ => self.rate(mean_pps, ns),
        }
    }

    /// The next time after `ns` at which the rate jumps.
    pub fn next_edge(&self, ns: u64) -> Option<u64> {
        match &self.shape {
            Shape::Constant | Shape::Diurnal { .. } => None,
            Shape::OnOff { on_s, off_s } => {
                let (on, cycle) = on_off_ns(*on_s, *off_s);
                let begun = ns - ns % cycle;
                Some(if ns - begun < on { begun + on } else { begun + cycle })
            }
            Shape::Replay { points, every_s } => {
                let (begun, within) = round_of(*every_s, ns);
                let next = points.get(passed(points, within)).map(|&(at, _)| to_ns(at));
                next.or_else(|| every_s.map(to_ns)).map(|at| begun + at)
            }
        }
    }

    /// How many packets come from `from` up to `to`, between which the rate does not jump. Without `poisson` these are the
    /// whole packets of one even flow, so that intervals add up: n(a, c) = n(a, b) + n(b, c).
    pub fn count(&self, mean_pps: f64, from: u64, to: u64, dice: &mut Dice) -> u64 {
        if let Shape::Diurnal { .. } = self.shape {
            let expected = self.expected(mean_pps, to) - self.expected(mean_pps, from);
            return if self.poisson { dice.poisson(expected) } else { whole(self, mean_pps, from, to) };
        }
        let rate = self.rate(mean_pps, from);
        if self.poisson {
            return dice.poisson(rate * (to - from) as f64 / NS);
        }
        even(rate, to) - even(rate, from)
    }

    /// Packets of a diurnal flow from 0 to `ns`: the integral of its rate.
    fn expected(&self, mean_pps: f64, ns: u64) -> f64 {
        let seconds = ns as f64 / NS;
        let Shape::Diurnal { period_s, swing, peak_s } = self.shape else { return mean_pps * seconds };
        let swept = |t: f64| (TAU * (t - peak_s) / period_s).sin();
        mean_pps * (swing * period_s / TAU).mul_add(swept(seconds) - swept(0.0), seconds)
    }
}

/// Whole packets of an integral; never less than none, whatever rounding does to it.
fn whole(arrivals: &Arrivals, mean_pps: f64, from: u64, to: u64) -> u64 {
    let count = |ns| arrivals.expected(mean_pps, ns).max(0.0).floor() as u64;
    count(to).saturating_sub(count(from))
}

/// Packets of an even flow up to `ns`.
fn even(rate: f64, ns: u64) -> u64 {
    (rate * (ns as f64 / NS)).floor() as u64
}

fn on_off_ns(on_s: f64, off_s: f64) -> (u64, u64) {
    (to_ns(on_s), to_ns(on_s) + to_ns(off_s))
}

/// When the round of a replay began, and how far it is.
fn round_of(every_s: Option<f64>, ns: u64) -> (u64, u64) {
    let within = every_s.map_or(ns, |every| ns % to_ns(every));
    (ns - within, within)
}

/// How many points have begun.
fn passed(points: &[(f64, f64)], ns: u64) -> usize {
    points.partition_point(|&(at, _)| to_ns(at) <= ns)
}

/// Seconds as nanoseconds; 0 for what is negative or no number.
pub fn to_ns(seconds: f64) -> u64 {
    (seconds * NS).round() as u64
}

fn check_points(points: &[(f64, f64)], every_s: Option<f64>) -> Result<(), BadInput> {
    if points.is_empty() || points.len() > MAX_POINTS {
        return Err(BadInput::new("points", format!("has {} points, not 1 to {MAX_POINTS}", points.len())));
    }
    let mut least = 0.0;
    for (index, &(at, rate)) in points.iter().enumerate() {
        in_range(&format!("points.{index}.0"), at, least, LONGEST_S)?;
        in_range(&format!("points.{index}.1"), rate, 0.0, MAX_PPS)?;
        least = at + SHORTEST_S;
    }
    every_s.map_or(Ok(()), |every| in_range("every_s", every, least, LONGEST_S))
}

fn in_range(field: &str, figure: f64, least: f64, most: f64) -> Result<(), BadInput> {
    if (least..=most).contains(&figure) {
        return Ok(());
    }
    Err(BadInput::new(field, format!("{figure} is not a number of at least {least} and at most {most}")))
}

#[cfg(test)]
mod tests {
    use super::{Arrivals, Shape};
    use crate::dice::Dice;

    const MS: u64 = 1_000_000;
    const SECOND: u64 = 1000 * MS;

    fn even(shape: Shape) -> Arrivals {
        Arrivals { shape, poisson: false }
    }

    fn count(arrivals: &Arrivals, mean: f64, from: u64, to: u64) -> u64 {
        arrivals.count(mean, from, to, &mut Dice::new(1, 2, from))
    }

    /// 1 Mpps in the mean, 1 ms on and 3 ms off: bursts at 4 Mpps; edges at 1, 4, 5 ms. Caches see 1 Mpps.
    #[test]
    fn bursts_keep_the_mean() {
        let bursts = even(Shape::OnOff { on_s: 0.001, off_s: 0.003 });
        assert_eq!((bursts.rate(1e6, 0), bursts.rate(1e6, MS)), (4e6, 0.0));
        assert_eq!(bursts.next_edge(0), Some(MS));
        assert_eq!(bursts.next_edge(MS), Some(4 * MS));
        assert_eq!(bursts.next_edge(4 * MS), Some(5 * MS));
        assert_eq!((count(&bursts, 1e6, 0, MS), count(&bursts, 1e6, MS, 4 * MS)), (4000, 0));
        assert_eq!(bursts.settled_rate(1e6, 2 * MS), 1e6);
    }

    /// Half a swing about 1000 a second, most at 6 s of 24: 1500 then, 500 at 18 s, 24,000 in a day.
    #[test]
    fn a_day_swings_about_its_mean() {
        let day = even(Shape::Diurnal { period_s: 24.0, swing: 0.5, peak_s: 6.0 });
        assert!((day.rate(1000.0, 6 * SECOND) - 1500.0).abs() < 1e-6);
        assert!((day.rate(1000.0, 18 * SECOND) - 500.0).abs() < 1e-6);
        let whole: u64 = (0..24).map(|hour| count(&day, 1000.0, hour * SECOND, (hour + 1) * SECOND)).sum();
        assert!((23_999..=24_000).contains(&whole), "{whole}");
    }

    /// 5 pps from 1 s on, 7 from 3 s on, anew every 4 s: 0, 5, 5, 7, 0, ...
    #[test]
    fn points_are_replayed() {
        let trace = even(Shape::Replay { points: vec![(1.0, 5.0), (3.0, 7.0)], every_s: Some(4.0) });
        trace.check().unwrap();
        let rates: Vec<f64> = (0..6).map(|second| trace.rate(99.0, second * SECOND)).collect();
        assert_eq!(rates, [0.0, 5.0, 5.0, 7.0, 0.0, 5.0]);
        let edges: Vec<Option<u64>> = [0, 1, 3, 4].map(|second| trace.next_edge(second * SECOND)).into();
        assert_eq!(edges, [1, 3, 4, 5].map(|second| Some(second * SECOND)));
    }

    /// 0.3 packets a second: the first whole one is there after 3.33 s; however 10 s are cut, there are 3.
    #[test]
    fn intervals_add_up() {
        let constant = Arrivals::default();
        assert_eq!(count(&constant, 0.3, 0, 10 * SECOND), 3);
        let cut: u64 = (0..100).map(|tenth| count(&constant, 0.3, tenth * 100 * MS, (tenth + 1) * 100 * MS)).sum();
        assert_eq!(cut, 3);
    }

    #[test]
    fn what_has_no_rate_is_refused_by_field() {
        let refused = |shape: Shape| even(shape).check().unwrap_err().field;
        assert_eq!(refused(Shape::OnOff { on_s: f64::NAN, off_s: 1.0 }), "shape.on_s");
        assert_eq!(refused(Shape::Diurnal { period_s: 9.0, swing: 1.5, peak_s: 0.0 }), "shape.swing");
        assert_eq!(refused(Shape::Replay { points: vec![], every_s: None }), "shape.points");
        let falling = vec![(1.0, 5.0), (1.0, 6.0)];
        assert_eq!(refused(Shape::Replay { points: falling, every_s: None }), "shape.points.1.0");
    }
}
