"""What hosts run against what they were ordered, and the ways to end a difference."""
