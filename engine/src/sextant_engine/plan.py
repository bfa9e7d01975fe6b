"""From a fleet snapshot and an intent to a plan. Infeasible is a result with reasons, never an exception."""

import time
from itertools import count

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.traffic import Traffic
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import Intent, LaneIntent, PlaceIntent
from sextant_domain.plans.plan import CheckFinding, PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_engine.check import check
from sextant_engine.fleet_view import FleetView, MoveThresholds
from sextant_engine.planning.assuming import assuming
from sextant_engine.planning.body import without_changes
from sextant_engine.planning.lanes import in_lanes
from sextant_engine.planning.progress import Clock, Progress, Watch, unwatched
from sextant_engine.planning.propose import propose
from sextant_engine.planning.rejecting import rejection

_READY_LIMIT_S = 1.0
"""Of a search whose result nobody wants."""


def make_plan(  # noqa: PLR0917 - the frame's signature
    snapshot: FleetSnapshot,
    intent: Intent,
    solving: Solving | None = None,
    watch: Watch | None = None,
    clock: Clock = time.monotonic,
    thresholds: MoveThresholds | None = None,
) -> PlanBody:
    """Plan for `intent`, checked by the independent checker; equal inputs give equal plans (but for `seconds`).

    What does not fit is in `rejected` with its reason and never voids the rest. A plan that the checker refuses comes
    back with its findings and nothing to apply. Raises PlanningCancelled soon after `watch` has returned True.
    """
    return make_plan_on(FleetView.of(snapshot, thresholds), intent, solving, watch, clock)


def make_plan_on(
    fleet: FleetView,
    intent: Intent,
    solving: Solving | None = None,
    watch: Watch | None = None,
    clock: Clock = time.monotonic,
) -> PlanBody:
    """The same on a view that the caller holds: of hosts that have not changed nothing is worked out again."""
    if isinstance(intent, PlaceIntent) and intent.assume:
        fleet = FleetView.of(assuming(fleet.snapshot, intent), fleet.thresholds, fleet)
    if isinstance(intent, LaneIntent):
        fleet = FleetView.of(in_lanes(fleet.snapshot, intent), fleet.thresholds, fleet)
    progress = Progress(clock, watch or unwatched)
    body = propose(fleet, intent, solving or Solving(), progress)
    progress.report("checking")
    findings = check(body, fleet.snapshot)
    progress.report("checking")
    if all(finding.ok for finding in findings):
        return body.model_copy(update={"checks": findings})
    return _refused(body, findings)


def get_ready(fleet: FleetView) -> None:
    """Work out of every host what any plan asks for, by placing a chain that nobody has, of which nothing is kept. A
    plan made on this view, or on one that takes its hosts over, then waits for its own search alone."""
    name = next(name for name in (f"any-{number}" for number in count()) if name not in fleet.specs)
    spec = ChainSpec(name=name, nfs=("router",), traffic=Traffic(rate_mpps=0.1, packet_bytes=64))
    progress = Progress(time.monotonic, unwatched)
    propose(fleet.with_chain(spec), PlaceIntent(chain=name), Solving(time_limit_s=_READY_LIMIT_S), progress)


def _refused(body: PlanBody, findings: tuple[CheckFinding, ...]) -> PlanBody:
    failed = "; ".join(f"{finding.check}: {finding.detail}" for finding in findings if not finding.ok)
    chains = sorted(body.changed_chains) or ["fleet"]
    rejected = tuple(
        rejection(chain, f"the checker refused the plan ({failed})", relax="report this as a defect of the engine")
        for chain in chains
    )
    return without_changes(body, findings).model_copy(update={"rejected": (*body.rejected, *rejected)})
