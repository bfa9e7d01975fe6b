"""`sextant-agent doctor`: what of this host is right for its driver, what is not, and what to do about it."""
