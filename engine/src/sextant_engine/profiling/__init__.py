"""Profiling of an NF type on a host: which points are measured, and each as a request to the host's agent. Pure."""
