"""Hosts as laws of every second read them: only those whose rows have changed since the turn before; and what they
measured in their newest second."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.hosts.host import HostInventory, HostStatus
from sqlalchemy import Double, Text, cast, literal_column, select
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.telemetry.early import Early
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
    shares_cores: bool
    """Of its inventory: asked of every host once a second, which is not to walk all its cores each time."""

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
    heard_at: datetime
    """When the host said so, by the database's clock."""
    filtered_mpps: Mapping[str, float] = field(default_factory=dict[str, float])
    """By chain: what of it was filtered."""


@dataclass
class ChangedHosts:
    """All hosts of the fleet, of which only the changed ones are read anew."""

    _known: dict[str, HostRead | None] = field(default_factory=dict[str, HostRead | None])
    """None: it has not registered."""
    _marks: dict[str, str] = field(default_factory=dict[str, str])

    def running(self, session: Session) -> dict[str, HostRead]:
        """Those that run a chain, as of this transaction."""
        marks = dict(session.execute(select(Host.host_id, _ROW_VERSION)).all())
        changed = [host_id for host_id, mark in marks.items() if self._marks.get(host_id) != mark]
        for host_id in self._marks.keys() - marks.keys():
            self._known.pop(host_id, None)
        self._known.update(read_hosts(session, changed))
        self._marks = marks
        return {name: host for name, host in self.registered.items() if host.content.chains}

    @property
    def registered(self) -> dict[str, HostRead]:
        """All that have said what they are, as of the same transaction."""
        return {name: host for name, host in self._known.items() if host is not None}


def read_hosts(session: Session, names: Collection[str]) -> dict[str, HostRead | None]:
    """Of these hosts; None of one that has not registered."""
    query = select(_ROW_VERSION, Host).where(Host.host_id.in_(names)).execution_options(populate_existing=True)
    return {row.host_id: _host(mark, row) for mark, row in (session.execute(query) if names else ())}


def _host(mark: str, row: Host) -> HostRead | None:
    if row.inventory is None:
        return None
    inventory = HostInventory.model_validate(row.inventory)
    return HostRead(
        mark=mark,
        inventory=inventory,
        content=DesiredHostConfig.model_validate(row.desired).content,
        status=HostStatus(row.status),
        status_reason=row.status_reason,
        cordoned=row.cordon_reason,
        shares_cores=inventory.shares_cores,
    )


def read_rates(session: Session, names: Collection[str]) -> dict[str, Rates]:
    """The newest second of these hosts."""
    if not names:
        return {}
    hosts = select(LatestHost.host_id, LatestHost.taken_at, LatestHost.provenance, LatestHost.heard_at)
    hosts = hosts.where(LatestHost.host_id.in_(names), LatestHost.taken_at.is_not(None))
    sample = cast(LatestChain.sample, JSON)
    offered, delivered, filtered = (
        cast(sample[field].astext, Double) for field in ("offered_mpps", "delivered_mpps", "filtered_mpps")
    )
    chains = select(LatestChain.host_id, LatestChain.chain, LatestChain.taken_at, offered, delivered, filtered)
    newest = {host_id: (at, provenance, heard_at) for host_id, at, provenance, heard_at in session.execute(hosts)}
    mpps: dict[str, dict[str, tuple[float, float]]] = {host_id: {} for host_id in newest}
    of_rules: dict[str, dict[str, float]] = {host_id: {} for host_id in newest}
    for host_id, chain, at, came, went, dropped in session.execute(chains.where(LatestChain.host_id.in_(newest))):
        if at == newest[host_id][0]:  # of an earlier batch: its host does not report it any more
            mpps[host_id][chain], of_rules[host_id][chain] = (came, (went or 0.0) + (dropped or 0.0)), dropped or 0.0
    return {
        host_id: Rates(at, Provenance(provenance), mpps[host_id], heard_at, of_rules[host_id])
        for host_id, (at, provenance, heard_at) in newest.items()
        if at is not None and provenance is not None
    }


def is_newer(early: Early, rates: Rates | None) -> bool:
    """Whether what a host reported early is the newest that it has said."""
    return rates is not None and early.at > rates.at


def early_rates(early: Early) -> Rates:
    """Of a few tenths of a second."""
    carried = {one.chain: (one.offered_mpps, one.delivered_mpps + one.filtered_mpps) for one in early.report.chains}
    filtered = {one.chain: one.filtered_mpps for one in early.report.chains}
    return Rates(early.at, early.report.provenance, carried, early.heard_at, filtered)
