"""Times and counts of profiling jobs."""

POLL_S = 0.5
"""Between two looks at a measurement."""

FIRST_POLLS_S = (0.05, 0.1, 0.2)
"""The first ones: a simulated host is done at once."""

MAX_TRIES = 3
"""Of a point: then it has failed and the others go on."""

MAX_INTERRUPTIONS = 10
"""Workers that may die at a point before that counts as a failed try."""

WAITS_S = (2.0, 4.0, 8.0, 15.0, 30.0)
"""Between two looks at a host that does not answer or whose cores are busy; the last one from then on."""

LONGEST_WAIT_S = 600.0
"""Then the job is paused: an operator knows more."""

MOST_ROOMIER = 100
"""Hosts of a model that are looked at for more room: a design is asked for while its form is filled in."""

QUEUE_LOOK_S = 15.0
"""How often a job looks by itself whether its host is free; the end of the job before it rings at once."""
