"""What applied plans predict of the chains that stand on hosts now, beside what they carry now."""
