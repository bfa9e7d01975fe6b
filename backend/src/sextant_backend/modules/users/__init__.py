"""Users of the console, as an administrator keeps them."""
