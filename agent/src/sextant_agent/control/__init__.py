"""What keeps the host at its order: differences, reconciliation, CPU and cache control."""
