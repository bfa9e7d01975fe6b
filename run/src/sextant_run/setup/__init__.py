"""What `make setup` makes beyond .venv: the data plane, the Node packages, the built console."""
