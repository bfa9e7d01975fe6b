//! Small systems of linear equations.

/// Solves `matrix` x = `right` (rows one after the other) in place: `right` becomes x. False where there is no one
/// solution; both are spoiled then.
pub fn solve_linear(matrix: &mut [f64], right: &mut [f64]) -> bool {
    let n = right.len();
    for column in 0..n {
        let size = |row: &usize| matrix[row * n + column].abs();
        let Some(pivot) = (column..n).max_by(|a, b| size(a).total_cmp(&size(b))) else { return false };
        if matrix[pivot * n + column].abs() < f64::MIN_POSITIVE || !matrix[pivot * n + column].is_finite() {
            return false;
        }
        if pivot != column {
            (0..n).for_each(|place| matrix.swap(pivot * n + place, column * n + place));
            right.swap(pivot, column);
        }
        for row in column + 1..n {
            let factor = matrix[row * n + column] / matrix[column * n + column];
            (column..n).for_each(|place| matrix[row * n + place] -= factor * matrix[column * n + place]);
            right[row] -= factor * right[column];
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|place| matrix[row * n + place] * right[place]).sum();
        right[row] = (right[row] - known) / matrix[row * n + row];
    }
    right.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::solve_linear;

    /// 2x + y = 5 and x + 3y = 10: x = 1, y = 3.
    #[test]
    fn two_equations() {
        let (mut matrix, mut right) = ([2.0, 1.0, 1.0, 3.0], [5.0, 10.0]);
        assert!(solve_linear(&mut matrix, &mut right));
        assert!((right[0] - 1.0).abs() < 1e-12 && (right[1] - 3.0).abs() < 1e-12);
    }

    #[test]
    fn equations_without_one_solution() {
        assert!(!solve_linear(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]));
    }
}
