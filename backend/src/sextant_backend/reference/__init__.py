"""The contract, served by the console itself."""
