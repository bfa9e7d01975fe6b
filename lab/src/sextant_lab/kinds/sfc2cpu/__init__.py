"""Studies of figures of sfc2cpu's paper, on instances as it draws them."""
