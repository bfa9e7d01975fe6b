"""Kinds of studies: each a folder whose `run` makes a result of a scenario."""
