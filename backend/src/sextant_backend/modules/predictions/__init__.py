"""What applied plans predict of chains that stand now, beside what they carry; and what moving an NF would do."""
