"""Hosts: what they are, what they are ordered to run, and what they report."""
