"""Faults on simulated hosts, ordered by an operator; the agent holds them, nothing is stored here."""
