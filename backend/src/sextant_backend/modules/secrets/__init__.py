"""Secrets of NF configurations: stored sealed, named by reference, opened for agents alone."""
