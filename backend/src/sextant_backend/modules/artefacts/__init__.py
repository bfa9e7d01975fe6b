"""Files that configurations name by digest: stored once, versioned by name, sent to hosts by operations."""
