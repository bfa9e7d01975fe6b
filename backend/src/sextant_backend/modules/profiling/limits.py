"""Times and counts of profiling jobs."""

from sextant_domain.profiling.profile import ProfileRequest
from sextant_engine.profiling.design import seconds_of

POLL_S = 0.5
"""Between two questions about a measurement."""

FIRST_POLLS_S = (0.05, 0.1, 0.2)
"""The first ones: a simulated host is done at once."""

MAX_TRIES = 3
"""Of a point: then it has failed and the others go on."""

MAX_INTERRUPTIONS = 10
"""Workers that may die at a point before that counts as a failed try."""

WAITS_S = (2.0, 4.0, 8.0, 15.0, 30.0)
"""Between two tries at a host that does not answer or whose cores are busy; the last one from then on."""

LONGEST_WAIT_S = 600.0
"""Then the job is paused: an operator knows more."""

MOST_ROOMIER = 100
"""Hosts of a model that are looked at for more room: a design is asked for while its form is filled in."""

CALIBRATING_S = 600.0
"""Before its first sample, and once more where the machine has become another one."""

MARGIN = 10.0
"""Over what a point takes with all its samples on a quiet host: each sample may need five runs, and all of them are
taken again where the machine was calibrated anew."""

QUEUE_CHECK_EVERY_S = 15.0
"""How often a job checks by itself whether its host is free; the end of the job before it rings at once."""


def longest_s(request: ProfileRequest) -> float:
    """Of a measurement, from the order to its end: an agent that still says that it runs says nothing that helps."""
    return CALIBRATING_S + MARGIN * seconds_of(request)
