"""What laws that are evaluated every second, host by host, share: a new one brings what is its own, and no more."""
