"""What it takes to profile a new NF type on a console of its own: wall time of a job, from its start to its end.

A console is started in a temporary folder, a firewall of 5000 rules is registered there, and one job with the settings
that the form proposes measures it on this machine with real packets, another on a simulated host beside it. Workers,
agent and database are what an operator has; nothing was measured before, so no point is reused.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import page
from installation import BenchInstallation, temporary
from sextant_domain.profiling.job import JobState

HOST, SIMULATED = "edge-1", "sim-1"
TYPE = "edge-firewall"
REGISTERED = ("nf-types", "register", TYPE, "--implementation", "firewall", "--set", "synthetic_rules=5000")
GOALS = {HOST: 600.0, SIMULATED: 120.0}
"""Seconds."""
LONGEST = 1800
"""Seconds until a job is given up."""


def profiled() -> Iterator[str]:
    """One job on real packets and one on the twin, each on a console that nothing else asks anything of."""
    yield from page.head("a new NF type on a console", "goal", "wall time of its job", "")
    for host, goal in GOALS.items():
        with temporary(extra={"SEXTANT_DEMO_HOSTS": "0" if host == HOST else "1"}) as installation:
            installation.make("up", "DETACH=1")
            yield _line(_job(installation, host), goal)


def _job(installation: BenchInstallation, host: str) -> dict[str, Any]:
    installation.sextant(*REGISTERED)
    job: dict[str, Any] = installation.sextant(
        "profile", "start", TYPE, "--host", host, "--wait", "--timeout", str(LONGEST)
    )
    return job


def _line(job: dict[str, Any], goal: float) -> str:
    host, points, lost = job["ask"]["host"], job["points"], job["not_measurable"]
    kind = "real packets" if host == HOST else "twin"
    what = f"all {points} points of {TYPE} on {host} ({kind}), {lost} of which it cannot measure"
    if job["state"] != JobState.COMPLETED:
        return page.line(what, f"{goal:.0f} s", job["state"], "**missed**")
    began, ended = (datetime.fromisoformat(job[at]) for at in ("started_at", "finished_at"))
    seconds = (ended - began).total_seconds()
    return page.line(what, f"{goal:.0f} s", f"{seconds:.0f} s", "met" if seconds <= goal else "**missed**")
