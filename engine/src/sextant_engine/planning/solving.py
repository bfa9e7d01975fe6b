"""Give a draft to the core, and read what it found."""

from sextant_domain.plans.evidence import PlanProgress

from sextant_engine import native
from sextant_engine.native import FleetProgress
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.fleet_problem import FleetProblem
from sextant_engine.planning.found import FleetFound


def solve_fleet(draft: PlanDraft, problem: FleetProblem) -> FleetFound:
    """Chains to hosts, then to nodes, by the draft's algorithm and within its time."""
    solving = draft.solving
    found = native.plan_fleet(
        problem.text(),
        algorithm=solving.algorithm.value if solving.algorithm else None,
        seed=solving.seed,
        seconds=draft.seconds_left(),
        progress=lambda update: _pass_on(draft, update),
    )
    return FleetFound.model_validate_json(found)


def _pass_on(draft: PlanDraft, update: FleetProgress) -> bool:
    """What it raises ends the search, too, and comes out of it."""
    draft.progress.pass_on(PlanProgress.model_validate({**update._asdict(), "seconds": draft.progress.elapsed()}))
    return False
