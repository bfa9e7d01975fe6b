"""Sends alerts: channels, messages that wait in the database, and what came of every attempt."""
