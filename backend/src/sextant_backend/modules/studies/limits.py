"""Times, counts and sizes of studies."""

MAX_ATTEMPTS = 2
"""Workers that may take a study up: one that two of them did not survive has failed."""

MAX_GOING_ON = 8
"""The same, of a training: it goes on where it was, and a long one may meet several restarts."""

WAIT_STEP_S = 1.0
"""Between two checks of a study that runs: its progress is written, a cancel is seen."""

STORE_TRIES = 20
"""To write down what became of a study while the database is away, WAIT_STEP_S apart: it may have run for hours."""

GRACE_S = 10.0
"""For the lab to end by itself, between two points."""

NICENESS = 10
"""Agents, plans and NFs go first."""

CPU_S = 12 * 3600
MEMORY_BYTES = 4 * 2**30
"""Of address space."""

MAX_FIGURES = 1_000_000
"""Of a result, as its scenario says beforehand: about 20 MB of JSON."""

MAX_CHECKPOINT_BYTES = 512 * 2**20
"""Of what a training keeps to go on from; a third of it as the lab's trainings are."""

MAX_RESULT_BYTES = 64 * 2**20
"""Of a result's JSON, as it was written."""

MAX_STUDIES = 500
"""Kept at once; operators remove what nobody needs."""
