"""Packets that measured themselves, looked at by an operator; the agent captures them, nothing is stored here."""
