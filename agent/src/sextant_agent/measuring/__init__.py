"""Measuring NFs on this host: calibration, gates, repetitions, and what may be believed (docs/measuring.md)."""
