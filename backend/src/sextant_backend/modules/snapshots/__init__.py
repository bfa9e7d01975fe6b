"""The fleet at one moment: what planning is given, and what an operator takes home as a file."""
