//! How shares and prices walk against their slopes: each along the mean of its past slopes, divided by their size.
//!
//! Kinds that the best sets seldom use have small slopes; with one step for all, they are still on their way when the
//! others have long arrived. Dividing by the root of the mean square gives each its own step (Kingma and Ba, "Adam",
//! 2015, Algorithm 1; without the correction of the first steps, which here only split boxes).

use super::class::Slopes;
use super::duals::Multipliers;

const MEMORY: f64 = 0.97; // of the mean slope
const LONG_MEMORY: f64 = 0.999; // of the mean square
const LEAST: f64 = 0.1; // size of a slope, in uses of an option or Mpps: a smaller one is not enlarged to a full step

/// The means of past slopes and of their squares.
#[derive(Debug, Clone)]
pub(super) struct Walk {
    mean: Slopes,
    square: Slopes,
}

impl Walk {
    /// Nothing is behind.
    pub(super) fn new(multipliers: &Multipliers) -> Self {
        Self { mean: multipliers.zeros(), square: multipliers.zeros() }
    }

    /// One step; its longest for a price (Mpps x value) and for a share.
    pub(super) fn step(&mut self, multipliers: &mut Multipliers, slopes: &Slopes, of_price: f64, of_share: f64) {
        let Self { mean, square } = self;
        walk(&mut multipliers.price, &slopes.price, &mut mean.price, &mut square.price, of_price);
        walk(&mut multipliers.share, &slopes.share, &mut mean.share, &mut square.share, of_share);
        let before = multipliers.rated.clone();
        walk(&mut multipliers.rated, &slopes.rated, &mut mean.rated, &mut square.rated, of_share);
        // A rate's share stays above zero, for zero means that there is no rate.
        let has_rate = multipliers.rated.iter_mut().zip(before).filter(|(_, before)| *before > 0.0);
        has_rate.for_each(|(rated, _)| *rated = rated.max(f64::MIN_POSITIVE));
    }
}

fn walk(multipliers: &mut [f64], slopes: &[f64], mean: &mut [f64], square: &mut [f64], length: f64) {
    for (((at, slope), mean), square) in multipliers.iter_mut().zip(slopes).zip(mean).zip(square) {
        *mean = MEMORY * *mean + (1.0 - MEMORY) * slope;
        *square = LONG_MEMORY * *square + (1.0 - LONG_MEMORY) * slope * slope;
        *at -= length * *mean / (square.sqrt() + LEAST);
    }
}
