"""SRv6-INT's global loop: chains in as many lanes as they need, on hosts whose packets measure themselves."""
