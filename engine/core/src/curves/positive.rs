//! Symmetric positive definite equations.

/// Solves `matrix` x = `aim` in place by symmetric elimination; `matrix` (n x n, rows one after the other) is used up,
/// of which only the upper half is read. False where it is not positive definite: `aim` is of no use then.
pub fn solve(matrix: &mut [f64], aim: &mut [f64]) -> bool {
    let size = aim.len();
    for pivot in 0..size {
        let (above, below) = matrix.split_at_mut((pivot + 1) * size);
        let own = &above[pivot * size..];
        if own[pivot].partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            return false;
        }
        for row in pivot + 1..size {
            let factor = own[row] / own[pivot];
            if factor != 0.0 {
                let rest = &mut below[(row - pivot - 1) * size + row..(row - pivot) * size];
                rest.iter_mut().zip(&own[row..]).for_each(|(one, other)| *one -= factor * other);
                aim[row] -= factor * aim[pivot];
            }
        }
    }
    for row in (0..size).rev() {
        let own = &matrix[row * size..(row + 1) * size];
        let known: f64 = own[row + 1..].iter().zip(&aim[row + 1..]).map(|(one, other)| one * other).sum();
        aim[row] = (aim[row] - known) / own[row];
    }
    true
}
