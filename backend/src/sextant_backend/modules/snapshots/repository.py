"""Queries of snapshots: hosts and chains as planning needs them, and snapshots that are stored.

Stored ones are packed: a thousand hosts are 15 MB of JSON, and a twentieth of that compressed.
"""

import zlib
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.hosts.host import HostInventory, HostStatus
from sextant_domain.hosts.measured_shares import HopDelay, SharesState
from sextant_domain.plans.compact import HopDelays
from sextant_domain.plans.snapshot import CoreWork, FleetSnapshot, HostSnapshot, ModelHops
from sqlalchemy import ColumnElement, Text, func, literal_column, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from sextant_backend.kit.db import Base
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.shares.models import SharesRow
from sextant_backend.modules.snapshots.models import ComparisonRow, KeptSnapshotRow
from sextant_backend.modules.telemetry.models import LatestHost

KNOWN_FOR_S = 10.0
"""Other work on a core says something once so much of it is known, and while its host reports."""
MUCH_PERCENT = 20.0
"""Below it is the system's own, which every core has now and then."""
_FASTEST = 1
"""Higher levels gain little on JSON that repeats itself so much."""


class HostMark(NamedTuple):
    """What shows whether a host is still as it was read, in a few bytes."""

    host_id: str
    version: str
    """Of its row."""
    heard_at: datetime | None
    other_work: Sequence[Sequence[float]]
    """As `telemetry.other_work` keeps it, of cores of which much is used."""


def now(session: Session) -> datetime:
    """When this transaction began, by the database's clock."""
    began: datetime = session.execute(select(func.now())).scalar_one()
    return began


def clock(session: Session) -> tuple[datetime, datetime]:
    """When this transaction began, and when the database's server was started."""
    now, started = session.execute(select(func.now(), func.pg_postmaster_start_time())).one()
    return now, started


def hosts(session: Session, at: datetime, names: Sequence[str] | None = None) -> tuple[HostSnapshot, ...]:
    """Every host that has reported (of those named, if names are given), by id."""
    query = select(Host, LatestHost).outerjoin(LatestHost, LatestHost.host_id == Host.host_id).order_by(Host.host_id)
    query = query.where(Host.inventory.is_not(None))
    if names is not None:
        query = query.where(Host.host_id.in_(names))
    found = session.execute(query.execution_options(populate_existing=True))
    return tuple(
        _host(host) if latest is None else with_other_work(_host(host), latest.heard_at, latest.other_work, at)
        for host, latest in found
    )


def hosts_as_stored(session: Session, names: Sequence[str]) -> dict[str, HostSnapshot]:
    """Those of the names that have reported, without other work."""
    query = select(Host).where(Host.host_id.in_(names), Host.inventory.is_not(None))
    found = session.scalars(query.execution_options(populate_existing=True))
    return {host.host_id: _host(host) for host in found}


def hops(session: Session, host_models: Collection[str]) -> tuple[ModelHops, ...]:
    """What handing packets on costs, by host model, where promoted shares have it; none without a host model."""
    if not host_models:
        return ()
    row = SharesRow
    query = select(row.host_model, row.measured["hops"]).order_by(row.id)
    query = query.where(row.host_model.in_(host_models), row.state == SharesState.PROMOTED.value)
    found: dict[str, list[HopDelay]] = {}
    for host_model, measured in session.execute(query.where(row.measured.has_key("hops"))):
        found.setdefault(host_model, []).extend(map(HopDelay.model_validate, measured))
    means = ((name, HopDelays.mean_of(measured)) for name, measured in sorted(found.items()))
    return tuple(ModelHops(host_model=name, delays=delays) for name, delays in means if delays is not None)


def host_marks(session: Session) -> Sequence[HostMark]:
    """Of every host that has reported, by id."""
    much = func.jsonb_path_query_array(
        LatestHost.other_work,
        literal_column("'strict $[*] ? (@[1] >= $mean && @[2] >= $of_s)'::jsonpath"),
        func.jsonb_build_object("mean", MUCH_PERCENT, "of_s", KNOWN_FOR_S),
    )
    query = (
        select(
            Host.host_id,
            _row_version(Host),
            LatestHost.heard_at,
            func.coalesce(much, literal_column("'[]'::jsonb", JSONB)),
        )
        .outerjoin(LatestHost, LatestHost.host_id == Host.host_id)
        .where(Host.inventory.is_not(None))
        .order_by(Host.host_id)
    )
    return [HostMark(*row) for row in session.execute(query)]


def _row_version(table: type[Base]) -> ColumnElement[str]:
    """The transaction that wrote the row last: it changes with every change, whoever makes it. Only of one server is it
    told from all others: a database that was restored counts its transactions anew (`clock`)."""
    return literal_column(f"{table.__tablename__}.xmin::text", Text)


def _host(host: Host) -> HostSnapshot:
    return HostSnapshot(
        inventory=HostInventory.model_validate(host.inventory),
        status=HostStatus(host.status),
        generation=host.desired_generation,
        digest=host.desired_digest,
        content=DesiredHostConfig.model_validate(host.desired).content,
        cordoned=host.cordon_reason,
    )


def with_other_work(
    host: HostSnapshot, heard_at: datetime | None, means: Iterable[Sequence[float]], at: datetime
) -> HostSnapshot:
    """The host with the other work on those of its cores that NFs may have; with none where the host is silent, as
    that work may have ended."""
    heard = heard_at is not None and at - heard_at <= timedelta(seconds=KNOWN_FOR_S)
    if not heard or host.status is not HostStatus.UP:
        return host
    works = lasting(means)
    if not works:
        return host
    offered = {core.id for core in host.inventory.cores if core.slots > 0 and core.reserved_for is None}
    return host.model_copy(update={"other_work": tuple(work for work in works if work.core in offered)})


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


def spec_marks(session: Session) -> dict[str, str]:
    """Every living chain with the version of its row, by name."""
    query = select(ChainRow.name, _row_version(ChainRow)).where(ChainRow.deleted_at.is_(None)).order_by(ChainRow.name)
    return dict(session.execute(query).all())


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
