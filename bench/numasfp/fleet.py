"""CPU time of the law's step for a fleet: every host once a second, as the task `control` has it."""

from collections.abc import Iterator
from statistics import median
from time import process_time
from typing import Any

import page
from sextant_domain.laws.numasfp import NumasfpObservation, NumasfpParameters
from sextant_engine.control.numasfp.law import NumasfpLaw
from sextant_engine.laws.numasfp.solve import CoreSolver
from traces import FAMILIES, server

HOSTS = 1000
SECONDS = 10
LOSS = 0.05
MAX_LIMIT = 3
GOAL_S = 0.5
"""Half a core."""


def table(seed: int) -> Iterator[str]:
    """Observations are made before the clock runs; reading and writing of a database is not in it."""
    yield from page.head("hosts, 5 chains each", "CPU time a second: median, max", "a step", "goal")
    taken = list(_seconds(seed))
    middle = median(taken)
    goal = f"{1000 * GOAL_S:.0f} ms: {'met' if middle <= GOAL_S else '**missed**'}"
    shown = f"{1000 * middle:.0f} ms, {1000 * max(taken):.0f} ms"
    yield page.line(f"{HOSTS:,}", shown, f"{1e6 * middle / HOSTS:.0f} us", goal)


def _seconds(seed: int) -> Iterator[float]:
    hosts = [_host(server(FAMILIES[number % len(FAMILIES)], number, seed)) for number in range(HOSTS)]
    for second in range(SECONDS):
        seen = [
            NumasfpObservation(at_s=float(second), rates_gbps=host["rates"][second], placement=host["placement"])
            for host in hosts
        ]
        before = process_time()
        for host, observation in zip(hosts, seen, strict=True):
            host["state"], action = host["law"].step(host["state"], observation, float(second))
            host["placement"] = action.placement
        yield process_time() - before


def _host(given: dict[str, Any]) -> dict[str, Any]:
    solver = CoreSolver({key: given[key] for key in ("table", "chains", "nodes")}, LOSS, MAX_LIMIT)
    law = NumasfpLaw(NumasfpParameters(), solver, LOSS)
    placement = solver.optimum(None, given["rates"][0], 0.0, None).placement
    return {"law": law, "state": law.initial(), "placement": placement, "rates": given["rates"]}
