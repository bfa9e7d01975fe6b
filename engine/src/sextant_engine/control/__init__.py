"""Control laws: (state, observation) -> (state, action). Pure Python, without NumPy and without the Rust core."""
