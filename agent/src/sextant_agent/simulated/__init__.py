"""One process that serves many simulated hosts: one port, one thread for time and telemetry, few that reconcile."""
