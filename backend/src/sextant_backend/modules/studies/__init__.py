"""Studies: scenario files run on the twin by a worker, kept with what they found."""
