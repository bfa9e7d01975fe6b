//! How lines lie over the sets of a cache (section 1). The lines of a set are of a gamma law with mean mu and variance d mu,
//! so that a line's own set is of one with shape mu / d + 1 and scale d: sets with many lines hold more of them. What happens
//! is computed at quantiles of that law. Each of them grows with mu, and so more lines never hit better.

/// Gauss-Legendre on 0 to 1: at these quantiles, as points of a standard normal variable, and with these weights.
pub const POINTS: [(f64, f64); 9] = [
    (-2.146_416_544_925_206, 0.040_637_194_180_787_2),
    (-1.391_846_476_258_765, 0.090_324_080_347_428),
    (-0.865_747_642_192_301, 0.130_305_348_201_467_7),
    (-0.418_274_301_415_881, 0.156_173_538_520_001_46),
    (0.0, 0.165_119_677_500_629_9),
    (0.418_274_301_415_881, 0.156_173_538_520_001_46),
    (0.865_747_642_192_301, 0.130_305_348_201_467_7),
    (1.391_846_476_258_765, 0.090_324_080_347_428),
    (2.146_416_544_925_206, 0.040_637_194_180_787_2),
];
/// Lines of a set over `mean`, the mean set's, at the quantile `x` of a standard normal: gamma of shape mean / d + 1 and
/// scale d, by Wilson and Hilferty (1931).
pub fn quantile(x: f64, d: f64, mean: f64) -> f64 {
    if d <= 0.0 || mean <= 0.0 {
        return 1.0;
    }
    let shape = mean / d + 1.0;
    let root = 1.0 - 1.0 / (9.0 * shape) + x / (3.0 * shape.sqrt());
    shape * root.max(0.0).powi(3) * d / mean
}

#[cfg(test)]
mod tests {
    use super::{POINTS, quantile};

    /// Shape 3 + 1, scale .5 of a mean of 1.5: the median of a gamma law of shape 4 is 3.672, so that of a line's own set
    /// 3.672 x .5 = 1.836, 1.224 times the mean set; the mean is (4 x .5) / 1.5 = 1 + .5 / 1.5. Points' share of sets, the sum of weight / z, is all of them.
    #[test]
    fn a_lines_own_set_holds_more_than_the_mean_one() {
        assert!((quantile(0.0, 0.5, 1.5) - 1.224).abs() < 2e-3);
        for mean in [0.1, 1.5, 40.0] {
            let z = POINTS.map(|(x, weight)| (quantile(x, 0.5, mean), weight));
            let (mean_z, sets): (f64, f64) = (z.iter().map(|(z, w)| z * w).sum(), z.iter().map(|(z, w)| w / z).sum());
            assert!((mean_z / (1.0 + 0.5 / mean) - 1.0).abs() < 0.03, "{mean}: {mean_z}");
            assert!(sets < 1.02, "{mean}: {sets}");
        }
    }

    /// At every point a set gets fuller with the mean one, from nearly empty ones to 100 lines.
    #[test]
    fn sets_fill_at_every_quantile() {
        for (x, _) in POINTS {
            let lines: Vec<f64> = (0..60).map(|step| 0.001 * 1.21_f64.powi(step)).collect();
            let filled: Vec<f64> = lines.iter().map(|mean| mean * quantile(x, 0.5, *mean)).collect();
            assert!(filled.windows(2).all(|pair| pair[0] < pair[1]), "{x}");
        }
    }
}
