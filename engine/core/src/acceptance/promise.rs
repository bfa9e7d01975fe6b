//! What the chains still to be decided can add to the accepted value at most: a knapsack in cores.

const LARGEST_TABLE: usize = 2_000_000;

/// The most value of the chains from a position on within so many cores.
pub enum Promise {
    /// Exact, by dynamic programming: value by position x (cores + 1) + cores left.
    Table { row: usize, most: Vec<f64> },
    /// With the last chain cut to size: summed cores and values before each position, by falling value a core.
    Fraction { cores: Vec<f64>, values: Vec<f64> },
}

impl Promise {
    /// `items`: (value, cores) by falling value a core.
    pub fn new(items: &[(f64, u32)], cores: u64) -> Self {
        let row = cores as usize + 1;
        if (items.len() + 1).saturating_mul(row) > LARGEST_TABLE {
            let sums = |figure: fn(&(f64, u32)) -> f64| {
                let mut sums = vec![0.0];
                for item in items {
                    sums.push(sums[sums.len() - 1] + figure(item));
                }
                sums
            };
            return Self::Fraction { cores: sums(|item| f64::from(item.1)), values: sums(|item| item.0) };
        }
        let mut most = vec![0.0; (items.len() + 1) * row];
        for (position, &(value, need)) in items.iter().enumerate().rev() {
            for left in 0..row {
                let without = most[(position + 1) * row + left];
                let with = left.checked_sub(need as usize).map(|rest| value + most[(position + 1) * row + rest]);
                most[position * row + left] = with.map_or(without, |with| with.max(without));
            }
        }
        Self::Table { row, most }
    }

    /// The most value from a position on with so many cores left.
    pub fn most(&self, position: usize, left: u64) -> f64 {
        match self {
            Self::Table { row, most } => most[position * row + left as usize],
            Self::Fraction { cores, values } => {
                let end = cores[position] + left as f64;
                let last = cores.partition_point(|&sum| sum <= end) - 1;
                let whole = values[last] - values[position];
                let rest = (cores.get(last + 1), values.get(last + 1));
                let (Some(next), Some(value)) = rest else { return whole };
                whole + (value - values[last]) * (end - cores[last]) / (next - cores[last])
            }
        }
    }
}
