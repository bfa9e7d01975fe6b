"""Hosts as NUMASFP's law sees them, and what is chosen for it."""
