//! A value on its way to a fixed point.

/// Smallest and largest part of the way that one round goes.
const STEPS: (f64, f64) = (0.001, 0.8);
/// The largest where each target is but a little of the way.
const LONGEST: f64 = 3.0;
const GROWTH: f64 = 1.1;

/// A value that goes a part of the way to each target: a shorter one when it turns round, a longer one when it does not.
#[derive(Debug, Clone, Copy)]
pub struct Relaxed {
    value: f64,
    step: f64,
    longest: f64,
    change: f64,
}

impl Relaxed {
    /// Starts at `value`.
    pub const fn new(value: f64) -> Self {
        Self { value, step: 0.5, longest: STEPS.1, change: 0.0 }
    }

    /// The same, where targets say little more than in which direction to go.
    pub const fn creeping(value: f64) -> Self {
        Self { value, step: 0.5, longest: LONGEST, change: 0.0 }
    }

    /// Where it is.
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// Goes towards `target`; returns how far that was.
    pub fn toward(&mut self, target: f64) -> f64 {
        let change = target - self.value;
        self.step =
            if change * self.change < 0.0 { self.step * 0.5 } else { self.step * GROWTH }.clamp(STEPS.0, self.longest);
        self.change = change;
        self.value += self.step * change;
        change.abs()
    }
}

/// The same for a quantity above 0 of any magnitude: its logarithm is relaxed, and changes are relative.
#[derive(Debug, Clone, Copy)]
pub struct RelaxedScale(Relaxed, f64);

impl RelaxedScale {
    /// Starts at `value`.
    pub fn new(value: f64) -> Self {
        Self(Relaxed::new(value.ln()), value)
    }

    /// Where it is.
    pub const fn value(&self) -> f64 {
        self.1
    }

    /// Goes towards `target`; returns how far that was, relative.
    pub fn toward(&mut self, target: f64) -> f64 {
        let change = self.0.toward(target.ln());
        self.1 = self.0.value().exp();
        change
    }
}

#[cfg(test)]
mod tests {
    use super::RelaxedScale;

    /// x = 100 / x^5 turns ever further away by plain rounds (slope -5 in logarithms); relaxed it ends at 100^(1/6).
    #[test]
    fn what_overshoots_by_plain_rounds_settles() {
        let mut x = RelaxedScale::new(1.0);
        (0..200).for_each(|_| {
            x.toward(100.0 / x.value().powi(5));
        });
        assert!((x.value() - 100.0_f64.powf(1.0 / 6.0)).abs() < 1e-6, "{}", x.value());
    }
}
