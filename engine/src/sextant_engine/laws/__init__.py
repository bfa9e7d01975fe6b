"""What laws compute: solving in the core, checking without it; one folder a law."""
