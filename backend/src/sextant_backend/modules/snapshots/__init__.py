"""The fleet at one moment: what planning is given, what comparisons keep, and what an operator takes home as a file."""
