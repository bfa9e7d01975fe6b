"""Asks the engine for the interference on one host, and what sharing fewer of its cores would save and cost."""

from typing import Literal

from sextant_domain.hosts.desired import HostContent
from sextant_domain.plans.consolidation import Consolidation
from sextant_domain.plans.interference import Interference
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.problem import NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.db import read_snapshot
from sextant_backend.kit.errors import NotFound, SextantError
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.plans import service as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.snapshots import service as snapshots

When = Literal["before", "after"]


class HostMovedOn(SextantError):
    """What ran there when the plan was made is not known any more."""

    kind, status, title = "host-moved-on", 409, "The host has moved on since the plan was made"


def now(session: Session, host: str) -> Interference:
    """By the host's newest order; raises NotFound. One host in one snapshot, computed in no transaction."""
    with read_snapshot(session):
        found = _living(session, host, hosts.ordered(session, host).content)
    return _judged(host, *found)


def under(session: Session, plan_id: int, host: str, when: When) -> Interference:
    """Before or after a plan; raises NotFound where it does not touch the host, HostMovedOn."""
    with read_snapshot(session):
        found = _under(session, plan_id, host, when)
    return _judged(host, *found)


def consolidated(session: Session, plan_id: int, host: str, when: When) -> Consolidation:
    """What fewer cores would do before or after a plan; raises as `under` does. Nothing is planned."""
    with read_snapshot(session):
        snapshot, content = _under(session, plan_id, host, when)
    from sextant_engine.consolidation import consolidation_of

    return consolidation_of(snapshot, host, content)


def _under(session: Session, plan_id: int, host: str, when: When) -> tuple[FleetSnapshot, HostContent]:
    row = plans.found(session, plan_id, body=True)
    target = plan_views.target_of(row, host)
    if target is None:
        raise _untouched(row, host)
    if row.comparison_id is not None:
        return _kept(session, row.comparison_id, host, target.content if when == "after" else None)
    if when == "after":
        return _living(session, host, target.content)
    present = hosts.ordered(session, host)
    if present.generation != target.generation - 1:
        raise _moved_on(row, host)
    return _living(session, host, present.content)


def _living(session: Session, host: str, content: HostContent) -> tuple[FleetSnapshot, HostContent]:
    """With the chains as they are now: their rates and values never change."""
    snapshot = snapshots.narrow(session, [host], [chain.chain for chain in content.chains])
    if not snapshot.hosts:
        raise NotFound(f"Host {host} has not reported yet: nothing is known of its cores.")
    return snapshot, content


def _kept(
    session: Session, comparison_id: int, host: str, after: HostContent | None
) -> tuple[FleetSnapshot, HostContent]:
    """In a comparison's snapshot; `after` None: as it was then."""
    snapshot = snapshots.compared(session, comparison_id)
    if snapshot is None:
        raise NotFound(f"Comparison {comparison_id} is not kept any more.")
    then = next(one.content for one in snapshot.hosts if one.inventory.host_id == host)
    return snapshot, after or then


def _judged(host: str, snapshot: FleetSnapshot, content: HostContent) -> Interference:
    from sextant_engine.interference import interference_of

    return interference_of(snapshot, host, content)


def _untouched(row: PlanRow, host: str) -> NotFound:
    cause = "it has no placement" if row.body is None else f"it does not touch host {host}"
    return NotFound(
        f"Plan {row.id} says nothing of host {host}: {cause}.",
        next_actions=[NextAction(label="See the interference there now", command=f"sextant hosts interference {host}")],
    )


def _moved_on(row: PlanRow, host: str) -> HostMovedOn:
    return HostMovedOn(
        f"Host {host} has been ordered anew since plan {row.id} was made: what ran there then is not kept.",
        next_actions=[
            NextAction(label="See the interference there now", command=f"sextant hosts interference {host}"),
            NextAction(label="See it under the plan", command=f"sextant plans interference {row.id} --host {host}"),
        ],
    )
