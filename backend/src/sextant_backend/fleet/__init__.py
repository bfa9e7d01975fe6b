"""The listener that agents report to: mutual TLS, one identity a host."""
