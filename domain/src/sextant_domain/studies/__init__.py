"""Lab studies: scenarios and their results."""
