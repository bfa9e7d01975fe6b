"""SRv6-INT's local loop: NFs that have their packets for too long get more of a resource, within bounds."""
