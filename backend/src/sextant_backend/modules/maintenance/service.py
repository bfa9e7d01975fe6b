"""Plan maintenance windows, list and end them; what rests because of them now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sextant_domain.console.views import Page
from sextant_domain.laws.maintenance import MOST_DAYS, MaintenanceWindow, WindowRequest
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound, SextantError, ValidationFailed
from sextant_backend.kit.paging import Paging
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.maintenance import repository
from sextant_backend.modules.maintenance.models import MaintenanceWindowRow

MOST_OPEN = 500
KEPT = timedelta(days=365)
"""After their end; the audit log names them for longer."""


class WindowsFull(SextantError):
    """Too many windows that have not ended."""

    kind, status, title = "maintenance-windows-full", 409, "Too many maintenance windows are planned"


class WindowEnded(SextantError):
    """It is over."""

    kind, status, title = "maintenance-window-ended", 409, "The maintenance window is over"


@dataclass(frozen=True)
class Resting:
    """Where control laws rest at this moment, and why: 'maintenance until 18:00 UTC, by olga: new memory'."""

    fleet: str | None = None
    hosts: Mapping[str, str] = field(default_factory=dict[str, str])

    def why(self, host: str) -> str | None:
        """Of a host: the fleet's window counts too."""
        return self.fleet or self.hosts.get(host)


def resting(session: Session) -> Resting:
    """By the database's clock."""
    rows = repository.active(session)
    fleet = next((row for row in rows if row.host_id is None), None)
    of_hosts = {row.host_id: _why(row) for row in reversed(rows) if row.host_id is not None}  # the last to end counts
    return Resting(_why(fleet) if fleet else None, of_hosts)


def _why(row: MaintenanceWindowRow) -> str:
    return f"maintenance until {row.ends_at:%d %b %H:%M} UTC, by {row.created_by}: {row.reason}"


def page(session: Session, asked: Paging, host: str | None) -> Page[MaintenanceWindow]:
    """A page of windows."""
    now = db_now(session)
    found = repository.page(session, asked, host)
    return found.page(_view(row, now) for row in found.rows)


def plan(session: Session, asked: WindowRequest, actor: str) -> MaintenanceWindow:
    """A new window; raises ValidationFailed or WindowsFull."""
    now = db_now(session)
    starts_at = asked.starts_at or now
    _refuse_wrong(session, asked, starts_at, now)
    if repository.open_count(session) >= MOST_OPEN:
        raise WindowsFull(f"{MOST_OPEN} windows have not ended. End some first; nothing was changed.")
    row = MaintenanceWindowRow(
        host_id=asked.host, starts_at=max(starts_at, now), ends_at=asked.ends_at, reason=asked.reason, created_by=actor
    )
    session.add(row)
    session.flush()
    audit.record(session, actor, "maintenance.plan", _subject(row), _detail(row))
    return _view(row, db_now(session))


def end(session: Session, window_id: int, actor: str) -> MaintenanceWindow:
    """Now, or before it has begun; raises NotFound or WindowEnded."""
    row = repository.get(session, window_id)
    if row is None:
        raise NotFound(f"There is no maintenance window {window_id}; `sextant maintenance list` shows those that are.")
    now = db_now(session)
    if row.ends_at <= now:
        raise WindowEnded(f"Window {window_id} ended at {row.ends_at:%d %b %H:%M} UTC. Nothing was changed.")
    audit.record(session, actor, "maintenance.end", _subject(row), _detail(row))
    row.starts_at, row.ends_at, row.ended_by = min(row.starts_at, now), now, actor
    session.flush()
    return _view(row, now)


def forget_old(session: Session) -> None:
    """Drop windows that ended long ago."""
    repository.forget_before(session, db_now(session) - KEPT)


def _refuse_wrong(session: Session, asked: WindowRequest, starts_at: datetime, now: datetime) -> None:
    wrong = [
        FieldError(field=name, message="name a time zone: 2026-11-26T18:00:00Z")
        for name, moment in (("starts_at", starts_at), ("ends_at", asked.ends_at))
        if moment.tzinfo is None
    ]
    if not wrong:
        wrong = list(_wrong_times(starts_at, asked.ends_at, now))
    if asked.host is not None and hosts.get(session, asked.host) is None:
        wrong.append(FieldError(field="host", message=f"no host {asked.host} is enrolled"))
    if wrong:
        detail = "; ".join(f"{one.field}: {one.message}" for one in wrong)
        raise ValidationFailed(f"Refused: {detail}. Nothing was changed.", errors=wrong)


def _wrong_times(starts_at: datetime, ends_at: datetime, now: datetime) -> Sequence[FieldError]:
    begins = max(starts_at, now)
    if ends_at <= begins:
        return [FieldError(field="ends_at", message="it must lie after the start, and ahead")]
    if ends_at - begins > timedelta(days=MOST_DAYS):
        message = f"at most {MOST_DAYS} days after the start; set the policy to manual for longer"
        return [FieldError(field="ends_at", message=message)]
    return []


def _subject(row: MaintenanceWindowRow) -> str:
    return "fleet" if row.host_id is None else f"host/{row.host_id}"


def _detail(row: MaintenanceWindowRow) -> dict[str, object]:
    moments = {"from": row.starts_at, "until": row.ends_at}
    texts = {name: moment.isoformat(timespec="seconds") for name, moment in moments.items()}
    return {"window": row.id, **texts, "reason": row.reason}


def _view(row: MaintenanceWindowRow, now: datetime) -> MaintenanceWindow:
    return MaintenanceWindow(
        id=row.id,
        host=row.host_id,
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        reason=row.reason,
        created_by=row.created_by,
        created_at=row.created_at,
        ended_by=row.ended_by,
        active=row.starts_at <= now < row.ends_at,
    )
