"""Sextant's API and services."""
