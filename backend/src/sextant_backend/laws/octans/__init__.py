"""Octans' re-placement of what runs, within a budget of moves."""
