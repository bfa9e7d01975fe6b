"""One driver a file; drivers never import each other."""
