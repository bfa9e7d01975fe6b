"""What this host was ordered, and what is refused: ledger, files, measurements."""
