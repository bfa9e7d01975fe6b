"""Levels of NF types on host models: measured versions, and which of them control laws go by."""
