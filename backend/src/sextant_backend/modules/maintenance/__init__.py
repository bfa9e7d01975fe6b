"""Maintenance windows, in which control laws rest."""
