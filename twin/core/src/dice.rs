//! Random draws that depend on nothing but a seed, a stream and a time: how often, and in which order, they are asked
//! for changes none of them (docs/twin-model.md, section 7).

use rand_core::SeedableRng;
use rand_distr::{Distribution, OpenClosed01, Poisson, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The draws of one stream at one time.
pub struct Dice(Xoshiro256PlusPlus);

impl Dice {
    /// Of a study's or host's seed, what is drawn for, and when.
    pub fn new(seed: u64, stream: u64, ns: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(mixed(mixed(mixed(seed) ^ stream) ^ ns)))
    }

    /// Above 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        OpenClosed01.sample(&mut self.0)
    }

    /// A factor with mean 1: 1 + `spread` x a standard normal, cut at 4 of them and never below 0.
    pub fn factor(&mut self, spread: f64) -> f64 {
        let normal: f64 = StandardNormal.sample(&mut self.0);
        spread.mul_add(normal.clamp(-4.0, 4.0), 1.0).max(0.0)
    }

    /// A count whose mean and variance are `mean`; 0 for what is no mean.
    pub fn poisson(&mut self, mean: f64) -> u64 {
        Poisson::new(mean).map_or(0, |poisson| poisson.sample(&mut self.0) as u64)
    }
}

/// A stream by its name (FNV-1a).
pub fn stream(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// All bits depend on all bits (the finaliser of splitmix64).
const fn mixed(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Dice, stream};

    /// 10,000 draws of mean 1000: their mean is off by sqrt(1000 / 10000) = .32, their variance is 1000 +- 1.4 %; five
    /// standard deviations of either are 1.6 and 71.
    #[test]
    fn poisson_counts_have_their_mean_and_variance() {
        let counts: Vec<f64> = (0..10_000).map(|ns| Dice::new(7, stream("a"), ns).poisson(1000.0) as f64).collect();
        let mean = counts.iter().sum::<f64>() / 1e4;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 1e4;
        assert!((mean - 1000.0).abs() < 1.6, "{mean}");
        assert!((variance - 1000.0).abs() < 71.0, "{variance}");
    }

    #[test]
    fn seed_stream_and_time_make_the_draw() {
        let draw = |seed, name, ns| Dice::new(seed, stream(name), ns).uniform();
        assert_eq!(draw(1, "a", 5), draw(1, "a", 5));
        for other in [draw(2, "a", 5), draw(1, "b", 5), draw(1, "a", 6)] {
            assert!((draw(1, "a", 5) - other).abs() > 1e-9);
        }
    }

    #[test]
    fn no_mean_gives_no_packets() {
        for mean in [0.0, -1.0, f64::NAN] {
            assert_eq!(Dice::new(1, 2, 3).poisson(mean), 0);
        }
    }
}
