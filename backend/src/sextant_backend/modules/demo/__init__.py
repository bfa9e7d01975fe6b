"""How many simulated hosts of the demonstration fleet there are to be."""
