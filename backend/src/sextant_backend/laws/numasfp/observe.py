"""What NUMASFP's law reads in a turn: what has changed of hosts, tables of levels, and the newest rates, in one query
each, whatever the number of hosts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.hosts.host import HostInventory, HostStatus
from sqlalchemy import Double, Text, cast, func, literal_column, select
from sqlalchemy.orm import Session

from sextant_backend.laws.numasfp.members import HostMembers, members_of
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.levels import service as levels
from sextant_backend.modules.levels.in_use import PromotedTable
from sextant_backend.modules.telemetry.models import LatestChain, LatestHost

_ROW_VERSION = literal_column("hosts.xmin::text", Text)
"""The transaction that wrote the row last: it changes with every change of an order, an inventory or a status."""


@dataclass(frozen=True, slots=True)
class HostRead:
    """A host as it was read when its row changed last."""

    mark: str
    inventory: HostInventory
    content: HostContent
    status: HostStatus
    status_reason: str
    cordoned: str | None

    @property
    def closed(self) -> str | None:
        """Why nothing can be moved there; None where it can."""
        name = self.inventory.host_id
        if self.status is not HostStatus.UP:
            return f"{name} is {self.status.value} ({self.status_reason}): nothing can be ordered there"
        return None if self.cordoned is None else f"{name} is cordoned ({self.cordoned}): nothing moves there"


@dataclass(frozen=True, slots=True)
class Rates:
    """What a host measured in its newest second."""

    at: datetime
    provenance: Provenance
    mpps: Mapping[str, tuple[float, float]]
    """By chain: offered, and carried (delivered, or filtered as the NFs' rules say)."""


@dataclass(frozen=True)
class Reading:
    """Of one turn."""

    hosts: Mapping[str, HostRead]
    """Those that the law looks at: they run a chain, and their model has a promoted table."""
    tables: Mapping[str, PromotedTable]
    """By host model."""
    rates: Mapping[str, Rates]
    """Of those of the hosts that have reported."""
    now: datetime


@dataclass
class FleetReader:
    """Reads what has changed since the turn before; the rest it remembers."""

    _known: dict[str, HostRead | None] = field(default_factory=dict[str, HostRead | None])
    """None: it has not registered, or runs nothing."""
    _marks: dict[str, str] = field(default_factory=dict[str, str])
    _members: dict[str, tuple[tuple[Any, ...], HostMembers]] = field(
        default_factory=dict[str, tuple[tuple[Any, ...], HostMembers]]
    )

    def read(self, session: Session) -> Reading:
        """As of this transaction."""
        now: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
        marks = dict(session.execute(select(Host.host_id, _ROW_VERSION)).all())
        changed = [host_id for host_id, mark in marks.items() if self._marks.get(host_id) != mark]
        for host_id in self._marks.keys() - marks.keys():
            self._known.pop(host_id, None)
            self._members.pop(host_id, None)
        self._known.update(read_hosts(session, changed))
        self._marks = marks
        running = {name: host for name, host in self._known.items() if host is not None and host.content.chains}
        tables = levels.promoted(session, {host.inventory.host_model for host in running.values()})
        hosts = {name: host for name, host in running.items() if host.inventory.host_model in tables}
        return Reading(hosts, tables, read_rates(session, hosts), now)

    def members(self, read: Reading, name: str, kept: frozenset[str]) -> HostMembers:
        """Of a host of this reading; worked out again only where something has changed."""
        host = read.hosts[name]
        table = read.tables[host.inventory.host_model]
        key = (host.mark, table.digest, table.version, kept)
        found = self._members.get(name)
        if found is None or found[0] != key:
            found = (key, members(host, table, kept))
            self._members[name] = found
        return found[1]


def members(host: HostRead, table: PromotedTable, kept: frozenset[str]) -> HostMembers:
    """Of a host by its promoted table."""
    return members_of(host.inventory, host.content, table.table, digest=table.digest, version=table.version, kept=kept)


def read_hosts(session: Session, names: Collection[str]) -> dict[str, HostRead | None]:
    """Of these hosts; None of one that has not registered."""
    query = select(_ROW_VERSION, Host).where(Host.host_id.in_(names)).execution_options(populate_existing=True)
    return {row.host_id: _host(mark, row) for mark, row in (session.execute(query) if names else ())}


def _host(mark: str, row: Host) -> HostRead | None:
    if row.inventory is None:
        return None
    return HostRead(
        mark=mark,
        inventory=HostInventory.model_validate(row.inventory),
        content=DesiredHostConfig.model_validate(row.desired).content,
        status=HostStatus(row.status),
        status_reason=row.status_reason,
        cordoned=row.cordon_reason,
    )


def read_rates(session: Session, names: Collection[str]) -> dict[str, Rates]:
    """The newest second of these hosts."""
    if not names:
        return {}
    hosts = select(LatestHost.host_id, LatestHost.taken_at, LatestHost.provenance)
    hosts = hosts.where(LatestHost.host_id.in_(names), LatestHost.taken_at.is_not(None))
    sample = LatestChain.sample
    offered, delivered, filtered = (
        cast(sample[field].astext, Double) for field in ("offered_mpps", "delivered_mpps", "filtered_mpps")
    )
    chains = select(LatestChain.host_id, LatestChain.chain, LatestChain.taken_at, offered, delivered, filtered)
    newest = {host_id: (at, provenance) for host_id, at, provenance in session.execute(hosts)}
    mpps: dict[str, dict[str, tuple[float, float]]] = {host_id: {} for host_id in newest}
    for host_id, chain, at, came, went, dropped in session.execute(chains.where(LatestChain.host_id.in_(newest))):
        if at == newest[host_id][0]:  # of an earlier batch: its host does not report it any more
            mpps[host_id][chain] = came, (went or 0.0) + (dropped or 0.0)
    return {
        host_id: Rates(at, Provenance(provenance), mpps[host_id])
        for host_id, (at, provenance) in newest.items()
        if at is not None and provenance is not None
    }
