//! Seeded lots.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A generator whose draws are the same on any machine.
pub struct Dice(Xoshiro256PlusPlus);

impl Dice {
    /// Equal seeds draw equal lots.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Uniform in 0..below, below at least 1 and at most 2^32 (its bias, below 2^-32 relative, does not matter here).
    #[inline]
    pub fn below(&mut self, below: usize) -> usize {
        (((self.0.next_u64() >> 32) * below as u64) >> 32) as usize
    }

    /// Uniform in (0, 1].
    #[inline]
    pub fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }
}
