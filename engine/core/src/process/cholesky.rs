//! The lower triangle L of a symmetric positive definite matrix L L'.

/// Rows one after the other, row n with n + 1 figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    size: usize,
    rows: Vec<f64>,
}

impl Factor {
    /// `at(row, column)` of the lower triangle. None where it is not positive definite.
    pub fn of(size: usize, at: impl Fn(usize, usize) -> f64) -> Option<Self> {
        let mut rows = Vec::with_capacity(size * (size + 1) / 2);
        for row in 0..size {
            let begin = start(row);
            for column in 0..row {
                let other = start(column);
                let known: f64 = (0..column).map(|n| rows[begin + n] * rows[other + n]).sum();
                let found: f64 = (at(row, column) - known) / rows[other + column];
                rows.push(found);
            }
            let known: f64 = rows[begin..].iter().map(|one: &f64| one * one).sum();
            let left = at(row, row) - known;
            if !(left.is_finite() && left > 0.0) {
                return None;
            }
            rows.push(left.sqrt());
        }
        Some(Self { size, rows })
    }

    /// L^-1 aim, in place.
    pub fn forward(&self, aim: &mut [f64]) {
        for row in 0..self.size {
            let own = self.row(row);
            let known: f64 = own[..row].iter().zip(&*aim).map(|(one, found)| one * found).sum();
            aim[row] = (aim[row] - known) / own[row];
        }
    }

    /// (L L')^-1 aim, in place.
    pub fn solve(&self, aim: &mut [f64]) {
        self.forward(aim);
        for row in (0..self.size).rev() {
            let own = self.row(row);
            let found = aim[row] / own[row];
            aim[row] = found;
            aim[..row].iter_mut().zip(own).for_each(|(one, factor)| *one -= factor * found);
        }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.rows[start(row)..=start(row) + row]
    }
}

const fn start(row: usize) -> usize {
    row * (row + 1) / 2
}
