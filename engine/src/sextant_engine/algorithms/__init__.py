"""Placement algorithms, one a file: `run(model, params, seed, stop, start) -> Outcome`."""
