"""Write and read the audit log."""

from collections.abc import Mapping, Sequence
from typing import Any

from sextant_domain.console.audit import SYSTEM_ACTORS, ActorKind, AuditEntry
from sextant_domain.console.audit_seal import AuditBatch, AuditBatchRows, AuditSeal, UnsealedEntry, UnsealedState
from sextant_domain.console.views import Page
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.logging import current_request_id
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import asking
from sextant_backend.modules.audit import repository, seals, views
from sextant_backend.modules.audit.content import Content, kept
from sextant_backend.modules.audit.filters import AuditFilter
from sextant_backend.modules.audit.models import AuditRow, BatchRow
from sextant_backend.settings import get_settings

MAX_TEXT = 500


def record(
    session: Session,
    actor: str,
    action: str,
    subject: str,
    detail: Mapping[str, object] | None = None,
    *,
    name: str | None = None,
    before: Content | None = None,
    after: Content | None = None,
) -> None:
    """Add an entry to the caller's transaction: `record(session, "ada", "plan.apply", "plan/12", name="chain web")`.

    `detail` is short and free of secrets; values are cut at 500 characters. `reason` in it is shown apart. `before`
    and `after` are the object as it was and is, where the entry is of a change.
    """
    kind, token = _acting(session, actor)
    entry = AuditRow(
        actor=actor[:MAX_TEXT],
        actor_kind=kind.value,
        token=token,
        action=action,
        subject=subject[:MAX_TEXT],
        object_name=name if name is None else name[:MAX_TEXT],
        request_id=current_request_id(),
        detail={name: str(value)[:MAX_TEXT] for name, value in (detail or {}).items()},
        before=kept(before),
        after=kept(after),
    )
    repository.insert(session, entry)


def _acting(session: Session, actor: str) -> tuple[ActorKind, str | None]:
    """What acts, and its token: of a request, what it was signed in with."""
    where, slash, _ = actor.partition("/")
    if actor == "unknown" or (slash and where == "address"):
        return ActorKind.UNKNOWN, None
    if slash:
        return ActorKind.HOST, None
    if actor in SYSTEM_ACTORS:
        return ActorKind.SYSTEM, None
    principal = asking(session)
    if principal is not None and principal.username == actor and principal.token is not None:
        return ActorKind.TOKEN, principal.token
    return ActorKind.USER, None


def last_known(session: Session, action: str, subjects: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What the newest entry of an action on each object says it became; without those of which there is none, or it
    does not say."""
    rows = repository.last(session, action, subjects) if subjects else []
    return {row.subject: row.after for row in rows if row.after is not None}


def last_details(session: Session, action: str, subjects: Sequence[str]) -> dict[str, dict[str, str]]:
    """The detail of the newest entry of an action on each object; without those of which there is none."""
    rows = repository.last(session, action, subjects) if subjects else []
    return {row.subject: row.detail for row in rows}


def page(session: Session, asked: Paging, wanted: AuditFilter) -> Page[AuditEntry]:
    """A page of entries that fit."""
    found = repository.found(session, asked, wanted)
    return found.page(views.entry(row, batch) for row, batch in found.rows)


def seal(session: Session) -> AuditSeal:
    """How far the log is sealed."""
    newest = seals.newest_batch(session)
    waiting, since = seals.backlog(session)
    return AuditSeal(batch=None if newest is None else views.batch(newest), waiting=waiting, waiting_since=since)


def batches(session: Session, asked: Paging, removed: bool | None) -> Page[AuditBatch]:
    """A page of seals."""
    found = seals.batches(session, asked, removed)
    return found.page(views.batch(row) for row in found.rows)


def batch_rows(session: Session, number: int) -> AuditBatchRows:
    """A batch with its entries and their hashes; raises NotFound."""
    row = session.get(BatchRow, number)
    if row is None:
        raise NotFound(f"There is no batch {number}; `sextant audit seals` lists those that there are.")
    leaves = seals.leaves(session, number)
    entries = seals.entries(session, [leaf.entry_id for leaf in leaves])
    return AuditBatchRows(
        batch=views.batch(row),
        leaves=tuple(views.leaf(leaf) for leaf in leaves),
        entries=tuple(views.entry(entry, number) for entry in entries),
    )


def unsealed(session: Session, asked: Paging, state: UnsealedState | None) -> Page[UnsealedEntry]:
    """A page of entries that are in no batch."""
    found = seals.unsealed(session, asked, state)
    return found.page(UnsealedEntry(entry_id=entry_id, state=UnsealedState(state)) for entry_id, state in found.rows)


def forget_old(session: Session) -> None:
    """Remove entries of whole sealed batches that are older than they are kept for; that is an entry of its own."""
    days = get_settings().audit_retention_days
    up_to, removed = seals.remove_older(session, days)
    if up_to is not None:
        record(session, "system", "audit.remove", "audit", {"batches_up_to": up_to, "rows": removed, "days": days})
