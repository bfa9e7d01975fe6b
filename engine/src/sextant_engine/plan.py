"""From a fleet snapshot and an intent to a plan. Infeasible is a result with reasons, never an exception."""

import time
from collections.abc import Callable

from sextant_domain.evidence import Algorithm, PlanProgress, Solving
from sextant_domain.plan import CheckFinding, Intent, MigrateIntent, PlaceIntent, PlanBody, RemoveIntent
from sextant_domain.snapshot import FleetSnapshot

from sextant_engine.check import check
from sextant_engine.fleet import Draft, Policy
from sextant_engine.planning.body import body_of, without_changes
from sextant_engine.planning.migrate import migrate
from sextant_engine.planning.place import place
from sextant_engine.planning.rejecting import rejection
from sextant_engine.planning.remove import remove
from sextant_engine.planning.replace import replace
from sextant_engine.stop import Clock, Deadline

Watch = Callable[[PlanProgress], bool]
"""Told how far planning is, about ten times a second; True ends the search with the best found."""


def make_plan(  # noqa: PLR0917 - the frame's signature
    snapshot: FleetSnapshot,
    intent: Intent,
    solving: Solving | None = None,
    watch: Watch | None = None,
    clock: Clock = time.monotonic,
    policy: Policy | None = None,
) -> PlanBody:
    """Plan for `intent`, checked by the independent checker; equal inputs give equal plans (but for `seconds`).

    What does not fit is in `rejected` with its reason and never voids the rest. A plan that the checker refuses comes
    back with its findings and nothing to apply.
    """
    began = clock()
    solving = solving or Solving()
    if watch is not None:
        watch(PlanProgress(stage="choosing"))
    algorithm = solving.algorithm or Algorithm.NODE_FIRST
    draft = Draft(snapshot, algorithm, solving.seed, Deadline(solving.time_limit_s, clock), policy or Policy())
    match intent:
        case PlaceIntent():
            place(draft, intent)
        case RemoveIntent():
            remove(draft, intent)
        case MigrateIntent():
            migrate(draft, intent)
        case _:
            replace(draft, intent)
    body = body_of(draft, intent, clock() - began)
    findings = check(body, snapshot)
    if all(finding.ok for finding in findings):
        return body.model_copy(update={"checks": findings})
    return _refused(body, findings)


def _refused(body: PlanBody, findings: tuple[CheckFinding, ...]) -> PlanBody:
    failed = "; ".join(f"{finding.check}: {finding.detail}" for finding in findings if not finding.ok)
    chains = sorted({change.chain for change in body.changes}) or ["fleet"]
    told = tuple(
        rejection(chain, f"the checker refused the plan ({failed})", relax="report this as a defect of the engine")
        for chain in chains
    )
    return without_changes(body, findings).model_copy(update={"rejected": (*body.rejected, *told)})
