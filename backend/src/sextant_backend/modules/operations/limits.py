"""Times and counts of operations. Three tries of a step end within 30 s, waits for the sweep included:
3 x STALL_S (or the agent client's time-outs) + 2 s + 4 s + 2 x SWEEP_S = 27 s or less; an agent
that says that it is busy is given BUSY_S before."""

MAX_TRIES = 3
RETRY_DELAYS_S = (2.0, 4.0)
"""Wait after the first and the second failed try."""

STALL_S = 5.5
"""A try of converge or verify ends when no further NF has come to run for so long."""

BUSY_S = 90.0
"""So long after a step began first, an agent that says what it is busy with is taken to come nearer to its end:
processes of a host that has no CPU for them take 48 s to end."""

POLL_S = 0.25
"""Between two questions to a host that converges."""

STEP_LIMIT_S = 8.0
"""A step that has not come back by then hangs: that try has failed. It waits for one answer of an agent, which has
5.5 s; files that are sent have more (`steps.limit_s`)."""

TURN_LIMIT_S = 60.0
"""Between two transactions of the worker that holds an operation's claim, each of which has 30 s for a statement."""

MAX_INTERRUPTIONS = 10
"""Workers that may die in one step before the operation waits for an operator."""

RETURN_DELAYS_S = (2.0, 5.0, 10.0, 20.0, 40.0)
"""From a failure for want of the host to the next try once that is back: as often as there are delays, then only an
operator goes on. At a host that runs what was ordered the last one counts from then on."""

MEASURE_S = 5.0
"""What a host's chains carry is measured over so long, by its own clock: before moves are ordered, and after."""

SETTLE_S = 1.5
"""Samples of so long after the moves were verified count to the moves: the interval in which they ended is among them,
and one that was under way then."""

MEASURE_LIMIT_S = 20.0
"""A host that has not sent enough telemetry by then is not measured: what was ordered stays."""
