"""Chains whose packets carry their own measurements (SRv6-INT), by programs of `dataplane/srv6/`."""
