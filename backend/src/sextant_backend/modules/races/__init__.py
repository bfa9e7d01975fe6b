"""Shadow races: other algorithms on the snapshots of plans, scored by what was measured later."""
