"""Starts everything that Sextant consists of."""
