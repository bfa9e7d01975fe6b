"""Cores that several NFs share, for pages and commands."""
