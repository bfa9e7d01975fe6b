"""The agent's routes, for the backend alone."""
