"""The fleet as planning sees it, held in memory: of what was read before, only what has changed is read again.

For answers that are asked for again and again, several a second, while an operator draws a chain; for plans, and for
the fleet's file. A thousand hosts take
a second of CPU time to be read and turned into objects, and a small part of it to be asked whether they are the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.snapshot import HostSnapshot
from sextant_engine.fleet_view import FleetView
from sqlalchemy.orm import Session

from sextant_backend.modules.snapshots import repository, service


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
    hosts: Mapping[str, _KnownHost]
    specs: Mapping[str, tuple[str, ChainSpec]]
    """With the version of its row."""
    view: FleetView


class CurrentFleet:
    """Of one process. Threads may read at the same time: each result is a value of its own, and the last one stays."""

    def __init__(self) -> None:
        self._known: _Known | None = None

    def read(self, session: Session) -> FleetView:
        """As `snapshots.take` would read it, in the (repeatable read) transaction of the session."""
        at, server = repository.clock(session)
        known = self._known if self._known is not None and self._known.server == server else None
        hosts = _hosts(session, at, {} if known is None else known.hosts)
        specs = _specs(session, {} if known is None else known.specs)
        fleet = at, tuple(host.now for host in hosts.values()), tuple(spec for _, spec in specs.values())
        snapshot = service.assembled(session, lambda _session: fleet)
        view = FleetView.of(snapshot, former=None if known is None else known.view)
        self._known = _Known(server, hosts, specs, view)
        return view


def _hosts(session: Session, at: datetime, known: Mapping[str, _KnownHost]) -> dict[str, _KnownHost]:
    marks = repository.host_marks(session)
    changed = [
        mark.host_id for mark in marks if mark.host_id not in known or known[mark.host_id].version != mark.version
    ]
    read = repository.hosts_as_stored(session, changed) if changed else {}
    found: dict[str, _KnownHost] = {}
    for mark in marks:
        former = None if mark.host_id in read else known[mark.host_id]
        stored = read[mark.host_id] if former is None else former.stored
        now = repository.with_other_work(stored, mark.heard_at, mark.other_work, at)
        if former is not None and former.now.other_work == now.other_work:
            now = former.now
        found[mark.host_id] = _KnownHost(mark.version, stored, now)
    return found


def _specs(session: Session, known: Mapping[str, tuple[str, ChainSpec]]) -> dict[str, tuple[str, ChainSpec]]:
    marks = repository.spec_marks(session)
    changed = [name for name, version in marks.items() if name not in known or known[name][0] != version]
    read = {spec.name: spec for spec in repository.specs(session, changed)} if changed else {}
    return {name: (version, read[name]) if name in read else known[name] for name, version in marks.items()}
