"""Queries of drift: hosts whose reports differ from their orders."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sextant_domain.hosts.desired import NfState, Phase
from sextant_domain.hosts.host import HostStatus
from sqlalchemy import exists, func, or_, select, text
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.operations.models import OperationHostRow
from sextant_backend.modules.telemetry.models import LatestHost

_NF_COUNTS = text(
    """
    SELECT host_id, count(*) FILTER (WHERE found.state IS DISTINCT FROM :running),
        count(*) FILTER (WHERE placed.core IS NULL),
        count(*) FILTER (WHERE found.state = :running AND found.core <> placed.core)
    FROM (SELECT nf_id, host_id, core FROM placed_nfs JOIN latest_nfs USING (host_id)) placed
    FULL JOIN (
        SELECT host_id, one.*
        FROM latest_nfs
        CROSS JOIN LATERAL json_to_recordset(CAST(samples AS json)) AS one(nf_id text, core int, state text)
    ) found USING (nf_id, host_id)
    WHERE found.state IS DISTINCT FROM :running OR placed.core IS DISTINCT FROM found.core
    GROUP BY host_id
    """
)


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
    """Of every host whose newest report names other NFs, or other cores of theirs, than it was ordered; one that has
    not reported is none of them. One query."""
    found = session.execute(_NF_COUNTS, {"running": NfState.RUNNING.value})
    return {host_id: NfCounts(*counts) for host_id, *counts in found}


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
