"""What part of a core NF types take by their rate on host models: measured versions, and which of them control laws go
by."""
