"""Trained networks of sfc2cpu by digest of their weights, which of them are in force, and for plans."""
