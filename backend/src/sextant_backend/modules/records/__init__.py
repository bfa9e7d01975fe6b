"""Stored measurements, with everything that is needed to repeat them. They never change."""
