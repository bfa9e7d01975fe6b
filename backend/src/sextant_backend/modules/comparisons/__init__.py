"""Comparisons: several algorithms side by side on one snapshot, of this fleet or from a file."""
