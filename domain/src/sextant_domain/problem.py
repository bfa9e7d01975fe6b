"""The one error type from service to browser: RFC 9457 problem+json."""

from typing import Any

from sextant_domain.base import Frozen

MEDIA_TYPE = "application/problem+json"


class FieldError(Frozen):
    """One field of a request and what is wrong with it."""

    field: str
    """Path in the body, dots and indices: `nfs.2.name`, `traffic.rate_mpps`; or `query.limit`, `header.If-Match`."""
    message: str
    """What is wrong, and what would be right."""


class NextAction(Frozen):
    """What the reader can do about it."""

    label: str
    command: str | None = None
    """The same as a command line, if there is one."""


class Problem(Frozen):
    """RFC 9457 with Sextant's extensions."""

    type: str
    """Stable: `urn:sextant:problem:<kind>`; the kinds are listed in docs/contracts/console.md."""
    title: str
    """What and where, the same for every occurrence of this type."""
    status: int
    detail: str
    """The cause, for a person: who did what, what did not change."""
    instance: str | None = None
    errors: tuple[FieldError, ...] = ()
    next_actions: tuple[NextAction, ...] = ()
    request_id: str | None = None
    difference: dict[str, Any] | None = None
    """For a conflict: what was expected against what is there."""


def problem_type(kind: str) -> str:
    """The URN of a problem kind: `problem_type("stale-plan")` is `urn:sextant:problem:stale-plan`."""
    return f"urn:sextant:problem:{kind}"
