"""One module a noun of the command line."""
