"""Plans of requests that are answered with their operation: removals, and changes of settings.

Nothing is searched, so the engine needs milliseconds, and an operator has no second plan to approve. It computes
between two transactions of the request, from one snapshot of the hosts that the chain uses; what has changed since then
is found under locks, when the plan is stored and applied.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sextant_domain.plans.intents import AdjustIntent, RemoveIntent
from sextant_domain.plans.plan import PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.problem import NextAction
from sextant_engine.errors import PlanningCancelled
from sqlalchemy.orm import Session

from sextant_backend.kit.db import read_snapshot
from sextant_backend.kit.errors import SextantError, Unavailable
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.operations.models import OperationRow
from sextant_backend.modules.plans import planner, service
from sextant_backend.modules.snapshots import service as snapshots

LIMIT_S = 5.0
"""A request that the engine computes longer for is refused."""


class FleetMovedOn(SextantError):
    """What the request was computed for has changed before it could be stored."""

    kind, status, title = "fleet-moved-on", 409, "The fleet has moved on meanwhile"


@dataclass(frozen=True)
class RequestDraft:
    """What a request would do, computed from what was stored at one moment."""

    intent: RemoveIntent | AdjustIntent
    body: PlanBody
    snapshot: FleetSnapshot
    """What it was computed from: the hosts that the chain uses."""


def draft(session: Session, intent: RemoveIntent | AdjustIntent, used: Sequence[str]) -> RequestDraft:
    """`used`: the hosts of the chain. Ends the transaction that the request has read in; raises Unavailable."""
    from sextant_engine.plan import make_plan  # the Rust core, which only this needs

    without = intent.chains if isinstance(intent, RemoveIntent) else ()
    with read_snapshot(session):
        snapshot = snapshots.narrow(session, used, without=without)
    end = time.monotonic() + LIMIT_S
    try:
        body = make_plan(snapshot, intent, watch=lambda _: time.monotonic() > end)
    except PlanningCancelled:
        raise Unavailable(f"What this changes could not be computed within {LIMIT_S:.0f} s.") from None
    return RequestDraft(intent, body, snapshot)


def apply(
    session: Session,
    drafted: RequestDraft | None,
    intent: RemoveIntent | AdjustIntent,
    used: Sequence[str],
    who: Principal,
) -> OperationRow:
    """Store the plan for a (locked) chain and carry it out.

    Raises FleetMovedOn where the chain or a host of it is not what was computed for, PlanNotApplicable where the engine
    refused, HostBusy.
    """
    orders = service.lock_hosts(session, used)
    if drafted is None or drafted.intent != intent:
        raise _moved_on(f"{intent.chain} was changed", {})
    difference = service.difference(drafted.body.base, orders)
    if difference:
        raise _moved_on(f"{', '.join(difference)} got another order", difference)
    row = service.new(session, intent, who)
    planner.put_body(row, drafted.body)
    return service.apply(session, row, who)


def _moved_on(what: str, difference: dict[str, object]) -> FleetMovedOn:
    return FleetMovedOn(
        f"{what} while this was computed. Nothing was changed.",
        difference=difference,
        next_actions=[NextAction(label="Look at the chain and ask again")],
    )
