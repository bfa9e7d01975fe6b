"""Shadow races: other algorithms on the snapshots of recommendations, scored by what was measured later."""
