"""Keyset paging: `?limit=50&after=...` on every list, answered as `Page[T]`."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Query
from sextant_domain.console.views import Page
from sextant_domain.problem import FieldError

from sextant_backend.kit.errors import ValidationFailed

Key = str | int
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Paging:
    """What a list was asked for: at most `limit` rows whose key comes after `after` (None: from the start)."""

    limit: int
    after: Key | None

    def key(self, kind: type[R]) -> R | None:
        """The cursor's key, which must be a `kind`; raises ValidationFailed for a cursor of another list."""
        if self.after is None or isinstance(self.after, kind):
            return self.after
        raise _bad_cursor()


def _bad_cursor() -> ValidationFailed:
    error = FieldError(field="query.after", message="not a cursor of this list; pass `next` of an earlier page")
    return ValidationFailed("The cursor cannot be read. Nothing was changed.", errors=[error])


def _paging(
    limit: Annotated[int, Query(ge=1, le=200, description="Rows a page")] = 50,
    after: Annotated[str | None, Query(max_length=400, description="`next` of the page before")] = None,
) -> Paging:
    return Paging(limit, None if after is None else decode(after))


PagingDep = Annotated[Paging, Depends(_paging)]


def encode(key: Key) -> str:
    """An opaque cursor."""
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def decode(cursor: str) -> Key:
    """The key in a cursor; raises ValidationFailed where there is none."""
    try:
        value = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        raise _bad_cursor() from None
    if isinstance(value, str) and len(value) <= 200 and value.isprintable():
        return value
    if type(value) is int and 0 <= value < 2**63:
        return value
    raise _bad_cursor()


def page(rows: Sequence[T], paging: Paging, key: Callable[[T], Key]) -> Page[T]:
    """A page of `rows`, which were read with `limit + 1` so that the end is known without a count."""
    items = tuple(rows[: paging.limit])
    return Page(items=items, next=encode(key(items[-1])) if len(rows) > paging.limit else None)
