"""The fleet as planning sees it, held in memory: of what was read before, only what has changed is read again.

For answers that are asked for again and again, several a second, while an operator draws a chain; for plans, and for
the fleet's file. A thousand hosts take
a second of CPU time to be read and turned into objects, and a small part of it to be asked whether they are the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.sharing import Sharing, sharing_of
from sextant_domain.plans.snapshot import HostSnapshot
from sextant_engine.fleet_view import FleetView
from sqlalchemy import ColumnElement, Text, cast, func, literal_column, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from sextant_backend.kit.db import Base
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.snapshots import service as snapshots
from sextant_backend.modules.snapshots.service import StoredFleet
from sextant_backend.modules.telemetry.models import LatestHost


class _HostMark(NamedTuple):
    """What shows whether a host is still as it was read, in a few bytes."""

    host_id: str
    version: str
    """Of its row."""
    heard_at: datetime | None
    other_work: Sequence[Sequence[float]]
    """As `telemetry.other_work` keeps it, of cores of which much is used."""


@dataclass(frozen=True)
class _KnownHost:
    version: str
    """Of its row."""
    stored: HostSnapshot
    """Without other work."""
    now: HostSnapshot
    """The same object as long as nothing of it changes."""


@dataclass(frozen=True)
class _Known:
    server: datetime
    """When the database's server was started: versions of rows are told apart by its transactions."""
    hosts: Mapping[str, _KnownHost] = field(default_factory=dict)
    specs: Mapping[str, tuple[str, ChainSpec]] = field(default_factory=dict)
    """With the version of its row."""
    sharing: Sharing = field(default_factory=dict)
    view: FleetView | None = None


class CurrentFleet:
    """Of one process. Threads may read at the same time: each result is a value of its own, and the last one stays."""

    def __init__(self) -> None:
        self._known: _Known | None = None

    def read(self, session: Session) -> FleetView:
        """As `snapshots.take` would read it, in the (repeatable read) transaction of the session."""
        at, server = _clock(session)
        known = self._known if self._known is not None and self._known.server == server else _Known(server)
        marks, spec_marks = _host_marks(session), _spec_marks(session)
        changed = [
            one.host_id
            for one in marks
            if one.host_id not in known.hosts or known.hosts[one.host_id].version != one.version
        ]
        changed_specs = [
            name for name, version in spec_marks.items() if name not in known.specs or known.specs[name][0] != version
        ]
        stored = snapshots.hosts_as_stored(session, changed) if changed else {}
        read = {spec.name: spec for spec in snapshots.specs(session, changed_specs)} if changed_specs else {}
        hosts: dict[str, _KnownHost] = {}
        for mark in marks:
            former = None if mark.host_id in stored else known.hosts[mark.host_id]
            host = stored[mark.host_id] if former is None else former.stored
            now = snapshots.with_other_work(host, mark.heard_at, mark.other_work, at)
            if former is not None and former.now.other_work == now.other_work:
                now = former.now
            hosts[mark.host_id] = _KnownHost(mark.version, host, now)
        specs = {name: (version, read.get(name) or known.specs[name][1]) for name, version in spec_marks.items()}
        measured = snapshots.measured_shares(session, {host.now.inventory.host_model for host in hosts.values()})
        now_hosts = tuple(host.now for host in hosts.values())
        chains = tuple(spec for _, spec in specs.values())
        former_costs = () if known.view is None else known.view.snapshot.costs
        costs = snapshots.fitted_costs(session, now_hosts, former_costs)
        fleet = StoredFleet(at, now_hosts, chains, measured, costs)
        same = not changed and len(hosts) == len(known.hosts)
        sharing = known.sharing if same else sharing_of(host.now.inventory for host in hosts.values())
        snapshot = snapshots.assembled(session, fleet, sharing)
        view = FleetView.of(snapshot, former=known.view)
        self._known = _Known(server, hosts, specs, sharing, view)
        return view


def _clock(session: Session) -> tuple[datetime, datetime]:
    """When this transaction began, and when the database's server was started."""
    now, started = session.execute(select(func.now(), func.pg_postmaster_start_time())).one()
    return now, started


def _host_marks(session: Session) -> Sequence[_HostMark]:
    """Of every host that has reported, by id."""
    much = func.jsonb_path_query_array(
        cast(LatestHost.other_work, JSONB),
        literal_column("'strict $[*] ? (@[1] >= $mean && @[2] >= $of_s)'::jsonpath"),
        func.jsonb_build_object("mean", snapshots.MUCH_PERCENT, "of_s", snapshots.KNOWN_FOR_S),
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
    return [_HostMark(*row) for row in session.execute(query)]


def _spec_marks(session: Session) -> dict[str, str]:
    """Every living chain with the version of its row, by name."""
    query = select(ChainRow.name, _row_version(ChainRow)).where(ChainRow.deleted_at.is_(None)).order_by(ChainRow.name)
    return dict(session.execute(query).all())


def _row_version(table: type[Base]) -> ColumnElement[str]:
    """The transaction that wrote the row last: it changes with every change, whoever makes it. Only of one server is it
    told from all others: a database that was restored counts its transactions anew (`_clock`)."""
    return literal_column(f"{table.__tablename__}.xmin::text", Text)
