"""Queries of drift: hosts whose reports differ from their orders."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sextant_domain.hosts.desired import NfState, Phase
from sextant_domain.hosts.host import HostStatus
from sqlalchemy import Integer, and_, cast, exists, func, or_, select
from sqlalchemy.orm import Session

from sextant_backend.modules.chains.models import PlacedNfRow
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.operations.models import OperationHostRow
from sextant_backend.modules.telemetry.models import LatestHost, LatestNf


class NfCounts(NamedTuple):
    """Of one host, by its newest report."""

    not_running: int = 0
    foreign: int = 0
    moved: int = 0
    """On another core than ordered."""


class Reported(NamedTuple):
    """A host that is up, in short."""

    host_id: str
    desired_generation: int
    applied_generation: int
    blocked: bool
    drift: dict[str, object] | None
    """As it is stored now."""


def nf_counts(session: Session) -> dict[str, NfCounts]:
    """Of every host whose newest report names other NFs, or other cores of theirs, than it was ordered. One query."""
    placed, latest = PlacedNfRow, LatestNf
    host = func.coalesce(placed.host_id, latest.host_id)
    stopped = latest.sample["state"].as_string() != NfState.RUNNING.value
    missing = or_(latest.nf_id.is_(None), stopped)
    moved = cast(latest.sample["core"].as_string(), Integer) != placed.core
    foreign = placed.nf_id.is_(None)
    both = and_(latest.nf_id == placed.nf_id, latest.host_id == placed.host_id)
    query = (
        select(
            host,
            func.count().filter(missing),
            func.count().filter(foreign),
            func.count().filter(and_(moved, ~stopped)),
        )
        .select_from(placed)
        .join(latest, both, full=True)
        .where(or_(missing, foreign, moved))
        .group_by(host)
    )
    return {host_id: NfCounts(*counts) for host_id, *counts in session.execute(query)}


def reported(session: Session, among: Collection[str]) -> Sequence[Reported]:
    """Hosts that are up, that no operation holds, and that are of those given, or whose generation or phase differs, or
    which are marked; by id."""
    held = exists().where(OperationHostRow.host_id == Host.host_id, OperationHostRow.holding)
    blocked = func.coalesce(LatestHost.phase == Phase.BLOCKED.value, False)
    differs = or_(
        Host.host_id.in_(list(among)),
        Host.drift.is_not(None),
        blocked,
        LatestHost.applied_generation != Host.desired_generation,
    )
    query = (
        select(Host.host_id, Host.desired_generation, LatestHost.applied_generation, blocked, Host.drift)
        .join(LatestHost, LatestHost.host_id == Host.host_id)
        .where(Host.status == HostStatus.UP.value, Host.inventory.is_not(None), ~held, differs)
        .order_by(Host.host_id)
    )
    return [Reported(*row) for row in session.execute(query)]
