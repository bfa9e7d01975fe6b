"""Times of claims, and of work that hangs."""

LEASE_S = 3.0
"""A claim not renewed for so long is free to be taken: by the database's clock."""

HEARTBEAT_S = 0.75
SWEEP_S = 2.0

WORK_LIMIT_S = 300.0
"""For what has no shorter limit of its own between two steps: to read a fleet, to wait for an agent, to check and store
what was found; a search has its own limit beside it."""
