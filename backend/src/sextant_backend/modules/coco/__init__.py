"""Hosts as CoCo's law sees them, for pages and commands."""
