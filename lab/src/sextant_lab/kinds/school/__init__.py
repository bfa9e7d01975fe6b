"""Studies that train a network of sfc2cpu."""
