"""What a browser reports of a request that it made: the first span of a trace."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from sextant_domain.base import Frozen
from sextant_domain.tracing import TRACEPARENT

MOST_SPANS = 100
LONGEST_S = 3600.0
_CLOCKS = Field(ge=datetime(2000, 1, 1, tzinfo=UTC), lt=datetime(2200, 1, 1, tzinfo=UTC))
"""What collectors can store: nanoseconds since 1970 in 64 bits."""


class BrowserSpan(Frozen):
    """One request, from when it was sent until its answer was there. Times are of the browser's clock."""

    traceparent: Annotated[str, StringConstraints(pattern=TRACEPARENT)]
    """As the request had it."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: Annotated[str, StringConstraints(max_length=200)]
    """The path as it stands in the API's document, with the names of its parameters: `/api/v1/hosts/{host_id}`."""
    begun_at: Annotated[AwareDatetime, _CLOCKS]
    duration_s: Annotated[float, Field(ge=0, le=LONGEST_S)]
    status: Annotated[int, Field(ge=100, le=599)] | None
    """Of the answer; None: there was none."""


class BrowserSpans(Frozen):
    """Body of POST /browser-spans."""

    spans: Annotated[tuple[BrowserSpan, ...], Field(min_length=1, max_length=MOST_SPANS)]
