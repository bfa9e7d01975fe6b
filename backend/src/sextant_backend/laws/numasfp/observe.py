"""What NUMASFP's law reads in a turn: what has changed of hosts, tables of levels, and the newest rates, in one query
each, whatever the number of hosts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from sextant_backend.laws.host_reading import HostRead, read_rates
from sextant_backend.laws.numasfp.losses import MoveLosses
from sextant_backend.laws.numasfp.members import HostMembers, members_of
from sextant_backend.laws.paced.reading import PacedReader, PacedReading
from sextant_backend.modules.levels import service as levels
from sextant_backend.modules.levels.in_use import PromotedTable


@dataclass(frozen=True)
class Reading(PacedReading):
    """Hosts that run a chain, and whose model has a promoted table."""

    tables: Mapping[str, PromotedTable]
    """By host model."""


class FleetReader(PacedReader[Reading, HostMembers]):
    """Reads what has changed since the turn before; the rest it remembers."""

    def __init__(self) -> None:
        super().__init__()
        self.losses = MoveLosses()

    def reading(self, session: Session, now: datetime, running: Mapping[str, HostRead]) -> Reading:
        """Of the hosts that run a chain."""
        self.losses.read(session, {name: host.inventory for name, host in running.items()})
        tables = levels.promoted(session, {host.inventory.host_model for host in running.values()})
        hosts = {name: host for name, host in running.items() if host.inventory.host_model in tables}
        return Reading(now, hosts, read_rates(session, hosts), tables)

    def also_by(self, read: Reading, host: HostRead) -> tuple[object, ...]:
        """Another table may have been promoted."""
        table = read.tables[host.inventory.host_model]
        return table.digest, table.version

    def members_of(self, read: Reading, host: HostRead, kept: frozenset[str]) -> HostMembers:
        """Of a host that has changed."""
        return members(host, read.tables[host.inventory.host_model], kept)


def members(host: HostRead, table: PromotedTable, kept: frozenset[str]) -> HostMembers:
    """Of a host by its promoted table."""
    return members_of(host.inventory, host.content, table.table, digest=table.digest, version=table.version, kept=kept)
