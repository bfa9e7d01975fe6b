//! Least squares with u >= 0 from its normal equations, when it is nearly known which unknowns are 0.
//!
//! Block principal pivoting (J. Kim and H. Park, Fast nonnegative matrix factorization, SIAM J. Sci. Comput. 33(6),
//! 2011, Sec. 3): solve for the unknowns that are free, then free all that would gain by it and bind all that fell below
//! 0, until none does. From one step of a fit to the next hardly any changes sides, so that one or two solutions are
//! enough.

use crate::curves::positive;

/// Whole blocks may go back and forth; the method of Lawson and Hanson, which cannot, takes over then.
pub const MOST_EXCHANGES: usize = 10;
/// Of the greatest gradient: less is 0.
const ROUNDING: f64 = 1e-12;

/// The equations of an unconstrained solution: `normal` (n x n, rows one after the other, positive definite) u = `aim`.
#[derive(Debug, Clone, Copy)]
pub struct Equations<'a> {
    /// Symmetric.
    pub normal: &'a [f64],
    /// n numbers.
    pub aim: &'a [f64],
}

impl Equations<'_> {
    /// The u >= 0 with the least u' normal u - 2 aim' u. Unknowns above 0 in `guess` are tried as free first, which
    /// changes how long it takes and not what is found; `guess` itself where rounding left `normal` not positive
    /// definite. `exchanges`: of whole blocks, at most.
    pub fn not_negative(&self, guess: &[f64], exchanges: usize) -> Vec<f64> {
        let mut free: Vec<bool> = guess.iter().map(|&one| one > 0.0).collect();
        let tiny = self.tiny();
        for _ in 0..exchanges {
            let Some(found) = self.solved(&free) else { return guess.to_vec() };
            let gradient = self.gradient(&found);
            let mut wrong = false;
            for (number, free) in free.iter_mut().enumerate() {
                if if *free { found[number] < 0.0 } else { gradient[number] < -tiny } {
                    (*free, wrong) = (!*free, true);
                }
            }
            if !wrong {
                return found;
            }
        }
        self.lawson_hanson().unwrap_or_else(|| guess.to_vec())
    }

    /// One unknown is freed at a time, the one that gains most; those that would fall below 0 meanwhile are bound (C. L.
    /// Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, Ch. 23). What is left falls with every turn.
    fn lawson_hanson(&self) -> Option<Vec<f64>> {
        let size = self.aim.len();
        let (mut free, mut found, tiny) = (vec![false; size], vec![0.0; size], self.tiny());
        for _ in 0..3 * size {
            let gradient = self.gradient(&found);
            let bound = (0..size).filter(|&number| !free[number] && gradient[number] < -tiny);
            let Some(gains) = bound.min_by(|&a, &b| gradient[a].total_cmp(&gradient[b])) else { break };
            free[gains] = true;
            loop {
                let aim = self.solved(&free)?;
                let reach = |number: usize| {
                    let falls = free[number] && aim[number] <= 0.0;
                    let way = (found[number] - aim[number]).max(f64::MIN_POSITIVE);
                    if falls { found[number] / way } else { f64::INFINITY }
                };
                let reaches: Vec<f64> = (0..size).map(reach).collect();
                let part = reaches.iter().copied().fold(f64::INFINITY, f64::min);
                if part == f64::INFINITY {
                    found = aim;
                    break;
                }
                for number in 0..size {
                    found[number] += part * (aim[number] - found[number]);
                    if reaches[number] <= part {
                        (free[number], found[number]) = (false, 0.0);
                    }
                }
            }
        }
        Some(found)
    }

    fn tiny(&self) -> f64 {
        ROUNDING * self.aim.iter().fold(0.0, |most: f64, one| most.max(one.abs()))
    }

    fn gradient(&self, found: &[f64]) -> Vec<f64> {
        let mut gradient: Vec<f64> = self.aim.iter().map(|one| -one).collect();
        for (number, &one) in found.iter().enumerate().filter(|(_, one)| **one != 0.0) {
            let row = &self.normal[number * found.len()..(number + 1) * found.len()];
            gradient.iter_mut().zip(row).for_each(|(sum, other)| *sum += one * other);
        }
        gradient
    }

    /// Without constraints in the free unknowns, all others 0.
    fn solved(&self, free: &[bool]) -> Option<Vec<f64>> {
        let numbers: Vec<usize> = (0..free.len()).filter(|&number| free[number]).collect();
        let mut aim: Vec<f64> = numbers.iter().map(|&number| self.aim[number]).collect();
        let mut matrix = Vec::with_capacity(numbers.len() * numbers.len());
        for &row in &numbers {
            let own = &self.normal[row * free.len()..(row + 1) * free.len()];
            matrix.extend(numbers.iter().map(|&column| own[column]));
        }
        let mut found = vec![0.0; free.len()];
        if !positive::solve(&mut matrix, &mut aim) {
            return None;
        }
        numbers.iter().zip(aim).for_each(|(&number, one)| found[number] = one);
        Some(found)
    }
}
