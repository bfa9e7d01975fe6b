//! A value on its way to a fixed point.

/// Largest and smallest part of the way that one round goes.
const STEPS: (f64, f64) = (0.8, 0.02);

/// A positive value that goes a part of the way (of its logarithm) to each target: a shorter one when it turns round, a
/// longer one when it does not.
#[derive(Debug, Clone, Copy)]
pub struct Relaxed {
    value: f64,
    step: f64,
    change: f64,
}

impl Relaxed {
    /// Starts at `value`, above 0.
    pub const fn new(value: f64) -> Self {
        Self { value, step: 0.5, change: 0.0 }
    }

    /// Where it is.
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// Goes towards `target`, above 0; returns how far that was, relative.
    pub fn toward(&mut self, target: f64) -> f64 {
        let change = (target / self.value).ln();
        self.step = if change * self.change < 0.0 { self.step * 0.5 } else { self.step * 1.3 }.clamp(STEPS.1, STEPS.0);
        self.change = change;
        self.value *= (self.step * change).exp();
        change.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::Relaxed;

    /// x = 100 / x^5 turns ever further away by plain rounds (slope -5 in logarithms); relaxed it ends at 100^(1/6).
    #[test]
    fn what_overshoots_by_plain_rounds_settles() {
        let mut x = Relaxed::new(1.0);
        (0..200).for_each(|_| {
            x.toward(100.0 / x.value().powi(5));
        });
        assert!((x.value() - 100.0_f64.powf(1.0 / 6.0)).abs() < 1e-6, "{}", x.value());
    }
}
