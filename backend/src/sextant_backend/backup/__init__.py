"""Backups: the database as it is at one moment, in one file; the keys that it is worth nothing without, in another."""
