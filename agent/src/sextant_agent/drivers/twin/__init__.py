"""The twin driver: simulated hosts, computed by `sextant_twin` in this process."""
