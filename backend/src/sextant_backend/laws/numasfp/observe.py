"""What NUMASFP's law reads in a turn: what has changed of hosts, tables of levels, and the newest rates, in one query
each, whatever the number of hosts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sextant_backend.laws.host_reading import ChangedHosts, HostRead, Rates, read_rates
from sextant_backend.laws.numasfp.losses import MoveLosses
from sextant_backend.laws.numasfp.members import HostMembers, members_of
from sextant_backend.modules.levels import service as levels
from sextant_backend.modules.levels.in_use import PromotedTable


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

    losses: MoveLosses = field(default_factory=MoveLosses)
    _hosts: ChangedHosts = field(default_factory=ChangedHosts)
    _members: dict[str, tuple[tuple[Any, ...], HostMembers]] = field(
        default_factory=dict[str, tuple[tuple[Any, ...], HostMembers]]
    )

    def read(self, session: Session) -> Reading:
        """As of this transaction."""
        now: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
        running = self._hosts.running(session)
        for gone in self._members.keys() - running.keys():
            del self._members[gone]
        self.losses.read(session, {name: host.inventory for name, host in running.items()})
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
