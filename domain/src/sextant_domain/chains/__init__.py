"""Chains, their network functions and their traffic."""
