"""Alerts: found by rules of a kind each, shown, acknowledged, silenced."""
