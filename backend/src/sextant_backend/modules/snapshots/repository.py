"""Queries of snapshots: hosts and chains as planning needs them, and snapshots that are stored.

Stored ones are packed: a thousand hosts are 15 MB of JSON, and a twentieth of that compressed.
"""

import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.hosts.host import HostInventory, HostStatus
from sextant_domain.plans.snapshot import CoreWork, FleetSnapshot, HostSnapshot
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.snapshots.models import ComparisonRow, KeptSnapshotRow
from sextant_backend.modules.telemetry.models import LatestHost

KNOWN_FOR_S = 10.0
"""Other work on a core says something once so much of it is known, and while its host reports."""
MUCH_PERCENT = 20.0
"""Below it is the system's own, which every core has now and then."""
_FASTEST = 1
"""Higher levels gain little on JSON that repeats itself so much."""


def now(session: Session) -> datetime:
    """When this transaction began, by the database's clock."""
    began: datetime = session.execute(select(func.now())).scalar_one()
    return began


def hosts(session: Session, at: datetime, names: Sequence[str] | None = None) -> tuple[HostSnapshot, ...]:
    """Every host that has reported (of those named, if names are given), by id."""
    query = select(Host, LatestHost).outerjoin(LatestHost, LatestHost.host_id == Host.host_id).order_by(Host.host_id)
    query = query.where(Host.inventory.is_not(None))
    if names is not None:
        query = query.where(Host.host_id.in_(names))
    found = session.execute(query.execution_options(populate_existing=True))
    return tuple(_host(host, latest, at) for host, latest in found)


def _host(host: Host, latest: LatestHost | None, at: datetime) -> HostSnapshot:
    """What was used of its cores is told of those that NFs may have, and of none where the host is silent: that work
    may have ended."""
    inventory = HostInventory.model_validate(host.inventory)
    offered = {core.id for core in inventory.cores if core.slots > 0 and core.reserved_for is None}
    heard = latest is not None and at - latest.heard_at <= timedelta(seconds=KNOWN_FOR_S)
    known = latest.other_work if latest is not None and heard and host.status == HostStatus.UP else []
    return HostSnapshot(
        inventory=inventory,
        status=HostStatus(host.status),
        generation=host.desired_generation,
        digest=host.desired_digest,
        content=DesiredHostConfig.model_validate(host.desired).content,
        other_work=tuple(work for work in lasting(known) if work.core in offered),
    )


def lasting(means: Iterable[Sequence[float]]) -> tuple[CoreWork, ...]:
    """Cores that plans pass over because other work lasts there, by rising core: the one rule.

    `means`: core, mean percent, seconds that it is of (`telemetry.other_work`).
    """
    return tuple(
        CoreWork(core=int(core), percent=round(min(100.0, mean), 1))
        for core, mean, of_s in means
        if of_s >= KNOWN_FOR_S and mean >= MUCH_PERCENT
    )


def specs(session: Session, names: Iterable[str] | None = None) -> tuple[ChainSpec, ...]:
    """What every living chain asks for (of those named, if names are given), by name."""
    query = select(ChainRow.spec).where(ChainRow.deleted_at.is_(None)).order_by(ChainRow.name)
    if names is not None:
        query = query.where(ChainRow.name.in_(list(names)))
    return tuple(ChainSpec.model_validate(spec) for spec in session.scalars(query))


def keep(session: Session, plan_id: int, snapshot: FleetSnapshot) -> None:
    """Store what a plan was made from."""
    session.add(KeptSnapshotRow(plan_id=plan_id, snapshot=pack(snapshot)))


def compared(session: Session, comparison_id: int) -> bytes | None:
    """The packed snapshot of a comparison."""
    return session.scalar(select(ComparisonRow.snapshot).where(ComparisonRow.id == comparison_id))


def pack(snapshot: FleetSnapshot) -> bytes:
    """JSON, compressed."""
    return zlib.compress(snapshot.model_dump_json().encode(), _FASTEST)


def unpack(packed: bytes) -> FleetSnapshot:
    """What `pack` made."""
    return FleetSnapshot.model_validate_json(zlib.decompress(packed))
