"""Control laws: (state, observation, now) -> (state, action). Pure Python, without NumPy and without the Rust core."""
