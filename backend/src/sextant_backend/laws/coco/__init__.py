"""CoCo: elements that share cores, and neighbours that are pushed aside where one of them grows."""
