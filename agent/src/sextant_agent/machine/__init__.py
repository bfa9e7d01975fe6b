"""The machine under the agent: CPUs, processes, caches, what it can do."""
