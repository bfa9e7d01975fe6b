"""The audit log as it is read: who did what to which object, and what it was before and after."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sextant_domain.base import Frozen

SYSTEM_ACTORS = frozenset({"system", "authority", "unknown"})
"""The audit log names these where no user acts: a user of that name could not be distinguished from Sextant itself."""


class ActorKind(StrEnum):
    """What acted."""

    USER = "user"
    """By a browser's session."""
    TOKEN = "token"  # noqa: S105 - the word, no secret
    """A user's API token, as of the `sextant` command."""
    HOST = "host"
    """An agent, by its certificate."""
    SYSTEM = "system"
    """Sextant itself: a control law, housekeeping, an administration command on the machine of the console."""
    UNKNOWN = "unknown"
    """Somebody who was refused before it was known who it is."""


class AuditEntry(Frozen):
    """One row of the audit log, written in the transaction of what it records."""

    id: int
    at: datetime
    """By the database's clock."""
    actor: str
    """A user's name; `host/edge-1`, `address/192.0.2.7`, or `system` where no user acts."""
    actor_kind: ActorKind
    token: str | None
    """The name of the API token that asked, where one did."""
    action: str
    """`chain.submit`, `plan.apply`, `operation.rollback`, `auth.refused`."""
    subject: str
    """The object: `chain/web-edge`, `plan/12`; of a refused request its method and path."""
    object_kind: str
    """`chain`, `plan`; `request` of a refused request."""
    object_id: str
    """`web-edge`, `12`; empty where there is one of its kind only."""
    object_name: str | None
    """What the object is called, where its id is a number."""
    request_id: str | None
    """The id of the request that caused it, as in `X-Request-ID` and in the logs; None where no request did."""
    reason: str | None
    """Why, in the words of whoever acted or of what refused."""
    detail: dict[str, str]
    before: dict[str, Any] | None
    """What was changed, as it was; None where there was nothing, or nothing is kept. Secrets never."""
    after: dict[str, Any] | None
    """The same as it is now; None where it is gone."""
    batch: int | None
    """The batch that it is sealed in; None of one that is too new."""
