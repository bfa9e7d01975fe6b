//! A dense layer of a network.

/// y = x W + b.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// Length of x.
    pub inputs: usize,
    /// Length of y.
    pub outputs: usize,
    /// W, input by input.
    pub weights: Vec<f64>,
    /// b; empty: none.
    pub bias: Vec<f64>,
}

impl Layer {
    /// Sets y.
    pub fn apply(&self, x: &[f64], y: &mut [f64]) {
        if self.bias.is_empty() {
            y.fill(0.0);
        } else {
            y.copy_from_slice(&self.bias);
        }
        for (x, row) in x.iter().zip(self.weights.chunks_exact(self.outputs)) {
            y.iter_mut().zip(row).for_each(|(y, weight)| *y += x * weight);
        }
    }
}

/// max(0, y).
pub fn rectify(y: &mut [f64]) {
    y.iter_mut().for_each(|y| *y = y.max(0.0));
}
