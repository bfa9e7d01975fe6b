"""Placement engine: pure functions from problems to plans."""
