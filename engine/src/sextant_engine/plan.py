"""From a fleet snapshot and an intent to a plan. Infeasible is a result with reasons, never an exception."""

import time

from sextant_domain.plans.evidence import PlanProgress, Solving
from sextant_domain.plans.plan import (
    AdjustIntent,
    CheckFinding,
    Intent,
    MigrateIntent,
    PlaceIntent,
    PlanBody,
    RemoveIntent,
    RestoreIntent,
)
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_engine.check import check
from sextant_engine.fleet import Clock, Draft, Policy, Watch
from sextant_engine.planning.adjust import adjust
from sextant_engine.planning.body import body_of, without_changes
from sextant_engine.planning.migrate import migrate
from sextant_engine.planning.place import place
from sextant_engine.planning.rejecting import rejection
from sextant_engine.planning.remove import remove
from sextant_engine.planning.replace import replace
from sextant_engine.planning.restore import restore


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
    back with its findings and nothing to apply. Raises Cancelled soon after `watch` has returned True.
    """
    draft = Draft(snapshot, solving or Solving(), policy or Policy(), clock, watch or _unwatched)
    draft.tell("choosing")
    match intent:
        case PlaceIntent():
            place(draft, intent)
        case RemoveIntent():
            remove(draft, intent)
        case MigrateIntent():
            migrate(draft, intent)
        case AdjustIntent():
            adjust(draft, intent)
        case RestoreIntent():
            restore(draft, intent)
        case _:
            replace(draft, intent)
    body = body_of(draft, intent)
    draft.tell("checking")
    findings = check(body, snapshot)
    draft.tell("checking")
    if all(finding.ok for finding in findings):
        return body.model_copy(update={"checks": findings})
    return _refused(body, findings)


def _unwatched(_: PlanProgress) -> bool:
    return False


def _refused(body: PlanBody, findings: tuple[CheckFinding, ...]) -> PlanBody:
    failed = "; ".join(f"{finding.check}: {finding.detail}" for finding in findings if not finding.ok)
    chains = sorted(body.changed_chains) or ["fleet"]
    told = tuple(
        rejection(chain, f"the checker refused the plan ({failed})", relax="report this as a defect of the engine")
        for chain in chains
    )
    return without_changes(body, findings).model_copy(update={"rejected": (*body.rejected, *told)})
