"""Digital twin of a NUMA host: what it does with the NFs that an order puts on it (docs/twin-model.md); pure."""
