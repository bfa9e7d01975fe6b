"""What a driver is, and what it reports."""
