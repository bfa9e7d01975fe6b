"""What `GET /audit` may be asked for, as its query names it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Query
from sextant_domain.console.audit import ActorKind
from sextant_domain.problem import FieldError

from sextant_backend.kit.errors import ValidationFailed

_Text = Annotated[str | None, Query(min_length=1, max_length=200)]


@dataclass(frozen=True)
class AuditFilter:
    """All that is given must hold."""

    actor: str | None = None
    actor_kind: ActorKind | None = None
    action: str | None = None
    object_kind: str | None = None
    object: str | None = None
    request_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def _filter(
    *,
    actor: Annotated[_Text, Query(description="Exactly this actor: `ada`, `host/edge-1`, `system`")] = None,
    actor_kind: Annotated[ActorKind | None, Query(description="Only what this kind of actor did")] = None,
    action: Annotated[_Text, Query(description="`plan.apply`, or all of a kind: `plan`")] = None,
    object_kind: Annotated[_Text, Query(description="Only of objects of this kind: `chain`, `plan`, `host`")] = None,
    object: Annotated[_Text, Query(description="Only of objects with this id or name: `web-edge`, `12`")] = None,
    request_id: Annotated[_Text, Query(description="Only what this request caused")] = None,
    since: Annotated[datetime | None, Query(description="Not before this moment, with its time zone")] = None,
    until: Annotated[datetime | None, Query(description="Before this moment, with its time zone")] = None,
) -> AuditFilter:
    since, until = _moment("since", since), _moment("until", until)
    if since is not None and until is not None and until <= since:
        error = FieldError(field="query.until", message="must be later than since")
        raise ValidationFailed("No moment lies between since and until.", errors=[error])
    return AuditFilter(actor, actor_kind, action, object_kind, object, request_id, since, until)


def _moment(name: str, given: datetime | None) -> datetime | None:
    if given is not None and given.tzinfo is None:
        error = FieldError(field=f"query.{name}", message="has no time zone; write 2026-03-01T09:00:00Z")
        raise ValidationFailed(f"{name} could be several moments.", errors=[error])
    return None if given is None else given.astimezone(UTC)


AuditFilterDep = Annotated[AuditFilter, Depends(_filter)]
