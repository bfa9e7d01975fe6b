"""Hosts as SRv6-INT's global loop sees them, for pages and commands."""
