"""Octans' law: re-placement within a budget of moves."""
