"""What applied plans predict of chains that stand now: shown, tested against what they carry, asked for moves."""
