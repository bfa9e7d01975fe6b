"""What every law of every second reads in a turn: what has changed of hosts, and their newest rates."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Generic, TypeVar

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sextant_backend.laws.host_reading import ChangedHosts, HostRead, Rates


@dataclass(frozen=True)
class PacedReading:
    """Of one turn; laws add what is theirs."""

    now: datetime
    hosts: Mapping[str, HostRead]
    """Those that the law looks at."""
    rates: Mapping[str, Rates]
    """Of those of the hosts that have reported."""
    only: frozenset[str] | None = field(default=None, kw_only=True)
    """The turn is one of these hosts; None: of all."""


ReadingT = TypeVar("ReadingT", bound=PacedReading)
MembersT = TypeVar("MembersT")


class PacedReader(ABC, Generic[ReadingT, MembersT]):
    """Reads what has changed since the turn before; the rest it remembers."""

    def __init__(self) -> None:
        self._hosts = ChangedHosts()
        self._members: dict[str, tuple[tuple[object, ...], MembersT]] = {}

    def read(self, session: Session, only: frozenset[str] | None = None) -> ReadingT:
        """As of this transaction: all hosts, or `only` these."""
        now: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
        running = self._hosts.running(session)
        for gone in self._members.keys() - self._hosts.registered.keys():
            del self._members[gone]
        if only is not None:
            only = self.concerned(running, only)
            running = {name: host for name, host in running.items() if name in only}
        return replace(self.reading(session, now, running), only=only)

    def concerned(self, running: Mapping[str, HostRead], only: frozenset[str]) -> frozenset[str]:  # noqa: ARG002 - a reader's shape
        """Of a turn of hosts that have reported early: those to be evaluated."""
        return only

    @abstractmethod
    def reading(self, session: Session, now: datetime, running: Mapping[str, HostRead]) -> ReadingT:
        """Of the hosts that run a chain."""

    def members(self, read: ReadingT, name: str, kept: frozenset[str]) -> MembersT:
        """A host of this reading as the law sees it; worked out again only where something has changed. `kept`: chains
        whose policy is manual."""
        host = self.host(read, name)
        key = (host.mark, kept, *self.also_by(read, host))
        found = self._members.get(name)
        if found is None or found[0] != key:
            found = self._members[name] = key, self.members_of(read, host, kept)
        return found[1]

    def host(self, read: ReadingT, name: str) -> HostRead:
        """One of which `members` may be asked."""
        return read.hosts[name]

    def also_by(self, read: ReadingT, host: HostRead) -> tuple[object, ...]:  # noqa: ARG002 - a reader's shape
        """What beside the host and policies changes how the law sees it."""
        return ()

    @abstractmethod
    def members_of(self, read: ReadingT, host: HostRead, kept: frozenset[str]) -> MembersT:
        """Of a host that has changed."""
