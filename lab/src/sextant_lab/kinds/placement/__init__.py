"""Studies of placements and predictions."""
