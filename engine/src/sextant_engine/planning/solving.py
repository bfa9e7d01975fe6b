"""Give a draft to the core, and read what it found."""

import json
from typing import Literal

from sextant_domain.base import Frozen
from sextant_domain.plans.evidence import PlanProgress

from sextant_engine import native
from sextant_engine.fleet import Draft
from sextant_engine.native import FleetProgress
from sextant_engine.planning.fleet_problem import FleetProblem
from sextant_engine.result import Result


class HostFound(Frozen):
    """One host with newcomers, or whose chains might have moved."""

    algorithm: str
    """`insertion`: nothing was better than how the search over the fleet had seated its newcomers; `fill`: no model is
    known, the local node was filled first."""
    trusted: bool
    result: Result


class FleetFound(Frozen):
    """What the core found."""

    hosts: dict[str, HostFound]
    placed: dict[str, str]
    """Chain -> host."""
    rejected: tuple[str, ...]
    status: Literal["optimal", "feasible", "infeasible"]
    objective: float
    score: float
    bound: float
    evaluations: int
    seconds: float
    """Wall time of the search."""
    cpu_seconds: float
    """Of all threads."""
    exchanges: int
    """Steps of exchange between hosts."""
    hosts_solved: int
    """Repetitions included."""
    stopped: bool
    """Ended by the watcher: what was not placed by then is rejected."""
    hurried: bool
    """Time ran out before every chain had chosen its host."""


def solve_fleet(draft: Draft, problem: FleetProblem) -> FleetFound:
    """Chains to hosts, then to nodes, by the draft's algorithm and within its time."""
    solving = draft.solving
    found = native.plan_fleet(
        json.dumps(problem.request),
        algorithm=solving.algorithm.value if solving.algorithm else None,
        seed=solving.seed,
        seconds=draft.seconds_left(),
        progress=lambda told: _pass_on(draft, told),
    )
    return FleetFound.model_validate_json(found)


def _pass_on(draft: Draft, told: FleetProgress) -> bool:
    """What it raises ends the search, too, and comes out of it."""
    draft.pass_on(PlanProgress.model_validate({**told._asdict(), "seconds": draft.elapsed()}))
    return False
