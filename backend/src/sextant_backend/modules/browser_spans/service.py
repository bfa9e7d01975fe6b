"""Hands spans of browsers on to the collector of this process's own."""

from collections.abc import Collection, Iterable

from sextant_domain import tracing
from sextant_domain.console.browser_spans import BrowserSpan
from sextant_domain.problem import FieldError

from sextant_backend.kit.errors import ValidationFailed

Operation = tuple[str, str]
"""Method and path, as in the API's document."""


def send(spans: Iterable[BrowserSpan], known: Collection[Operation]) -> None:
    """Raises ValidationFailed where one names no operation: no span holds what somebody sent. While traces are off
    nothing is sent, for a browser hears of that with its next session only."""
    given = tuple(spans)
    errors = [
        FieldError(field=f"spans.{index}.path", message=f"the API has no operation {one.method} at this path")
        for index, one in enumerate(given)
        if (one.method, one.path) not in known
    ]
    if errors:
        raise ValidationFailed("No span was taken.", errors=errors)
    for one in given:
        status = {} if one.status is None else {"http.response.status_code": one.status}
        tracing.report(
            tracing.Reported(
                f"{one.method} {one.path}",
                one.traceparent,
                one.begun_at,
                one.duration_s,
                {"http.request.method": one.method, "url.template": one.path, **status},
                _failure(one.status),
            )
        )


def _failure(status: int | None) -> str | None:
    if status is None:
        return "no_answer"
    return str(status) if status >= 400 else None
