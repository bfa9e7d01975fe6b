"""The sextant command."""
