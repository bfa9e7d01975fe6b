"""The fleet's figures for Prometheus: read from the database, and from counts that processes add up in Valkey."""
