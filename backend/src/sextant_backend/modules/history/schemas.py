"""What HTTP asks history for: a range of time."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from fastapi import Depends, Header, Query
from sextant_domain.problem import FieldError

from sextant_backend.kit.errors import ValidationFailed

LONGEST = timedelta(days=3660)
DEFAULT = timedelta(hours=1)
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Range:
    """From `start` to before `end`."""

    start: datetime
    end: datetime


def _moment(value: datetime | None, default: datetime) -> datetime:
    if value is None:
        return default
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


At = Annotated[datetime, Query(description="RFC 3339; without a zone it is UTC")]


def moment_of(value: datetime, field: str) -> datetime:
    """ValidationFailed where it lies before anything that could have been measured."""
    moment = _moment(value, value)
    if moment < _EARLIEST:
        error = FieldError(field=field, message="before the year 2000")
        raise ValidationFailed("Nothing was measured before the year 2000. Give a later moment.", errors=[error])
    return moment


def range_of(start: datetime | None, end: datetime | None, now: datetime) -> Range:
    """ValidationFailed where it is none."""
    until = _moment(end, now)
    since = _moment(start, max(_EARLIEST, until - DEFAULT) if until > _EARLIEST else until)
    message = None
    if since < _EARLIEST:
        message = "before the year 2000"
    elif since >= until:
        message = f"not before `to`, {until.isoformat()}"
    elif until - since > LONGEST:
        message = f"more than {LONGEST.days} days before `to`"
    if message:
        error = FieldError(field="query.from", message=message)
        raise ValidationFailed(f"`from` is {message}. Give an earlier and a later moment.", errors=[error])
    return Range(since, until)


From = Annotated[
    datetime | None,
    Query(alias="from", description="RFC 3339; without a zone it is UTC. Default: an hour before `to`"),
]
To = Annotated[datetime | None, Query(alias="to", description="The same. Default: now")]


def _range(start: From = None, end: To = None) -> Range:
    return range_of(start, end, datetime.now(UTC))


RangeDep = Annotated[Range, Depends(_range)]
CSV = "text/csv"


@dataclass(frozen=True)
class Asked:
    """A range, how many points, and in which form."""

    range: Range
    points: int
    csv: bool


def _asked(
    asked: RangeDep,
    points: Annotated[int, Query(ge=1, le=2000, description="No more than about so many come back")] = 600,
    form: Annotated[
        Literal["json", "csv"] | None,
        Query(alias="format", description="Default: JSON, or CSV where `Accept` is text/csv"),
    ] = None,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
) -> Asked:
    return Asked(asked, points, form == "csv" or (form is None and accept.split(";")[0].strip() == CSV))


AskedDep = Annotated[Asked, Depends(_asked)]
