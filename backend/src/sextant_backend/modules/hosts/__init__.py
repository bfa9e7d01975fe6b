"""Hosts of the fleet: enrolled, reporting, watched, and what each was last ordered to run."""
