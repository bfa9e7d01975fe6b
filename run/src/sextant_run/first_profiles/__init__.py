"""What NF types carry alone on this machine, measured after the first start, so that the first plans predict."""
