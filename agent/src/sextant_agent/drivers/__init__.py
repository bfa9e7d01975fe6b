"""A folder a driver, all of them in `registry`; drivers never import each other."""
