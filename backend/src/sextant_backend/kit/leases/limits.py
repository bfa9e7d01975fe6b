"""Times of claims, and of work that hangs."""

LEASE_S = 3.0
"""A claim not renewed for so long is free to be taken: by the database's clock."""

HEARTBEAT_S = 0.75
SWEEP_S = 2.0

WORK_LIMIT_S = 300.0
"""Of a step that names no other: to read a fleet, to wait for an agent, to check what was found; a search has its own
limit beside it."""

STORE_LIMIT_S = 120.0
"""To store what came of work: one transaction, each of whose statements has 30 s."""
