"""Sort and filter every list alike: `?sort=-created_at&limit=50&after=...`, answered as `Page[T]`.

A list names what it can be sorted by, and which of these is unique. That one ends every order, so that a page begins
where the one before ended, whatever was added in between. Keyset paging (Winand, SQL Performance Explained, chapter 7).
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Query
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError
from sextant_domain.console.views import Page
from sextant_domain.problem import FieldError
from sqlalchemy import ColumnElement, Select, and_, func, literal, or_, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session

from sextant_backend.kit.errors import ValidationFailed

Value = str | int | bool | datetime | None
Column = InstrumentedAttribute[Any] | ColumnElement[Any]
T = TypeVar("T")
R = TypeVar("R")

Search = Annotated[
    str | None,
    Query(
        min_length=1, max_length=120, description="Only those with this in the name; capitals and small letters alike"
    ),
]

CreatedBy = Annotated[str | None, Query(max_length=200, description="Only those that this user made")]


@dataclass(frozen=True)
class Paging:
    """What a list was asked for: at most `limit` rows by `sort`, which come after `after` (None: from the start)."""

    limit: int
    sort: str
    after: tuple[Any, Any] | None = None
    """What the last row of the page before was sorted by, and its key; as in the cursor, of whatever type."""

    @property
    def by(self) -> str:
        """The field without its direction."""
        return self.sort.removeprefix("-")

    @property
    def falling(self) -> bool:
        """Whether the highest comes first."""
        return self.sort.startswith("-")


@dataclass(frozen=True)
class Found(Generic[R]):
    """The rows of a page, and the cursor of the next."""

    rows: list[R]
    next: str | None

    def page(self, items: Iterable[T]) -> Page[T]:
        """The page, of what the rows become."""
        return Page(items=tuple(items), next=self.next)


class _Sorted:
    """What a list can be sorted by."""

    def __init__(self, key: str, default: str, names: Iterable[str]) -> None:
        self.key = key
        self.sorts = tuple(sort for name in names for sort in (name, f"-{name}"))
        if key not in self.sorts or default not in self.sorts:
            raise ValueError(f"{key} and {default} are not among {', '.join(self.sorts)}")
        self.default = default

    @property
    def asked(self) -> Any:
        """The parameters of an endpoint: `asked: Annotated[Paging, ORDER.asked]`."""

        async def paging(  # waits for nothing: in the pool it would cost a request two changes of thread
            limit: Annotated[int, Query(ge=1, le=200, description="Rows a page")] = 50,
            after: Annotated[
                str | None, Query(max_length=1500, description="`next` of the page before, of the same sort")
            ] = None,
            sort: Annotated[
                str,
                AfterValidator(self._known),
                Query(json_schema_extra={"enum": list(self.sorts)}, description="`-`: the highest or newest first"),
            ] = self.default,
        ) -> Paging:
            return Paging(limit, sort, None if after is None else decode(after, sort))

        return Depends(paging)

    def first(self, limit: int) -> Paging:
        """The first rows in the order of the list, for who is no request."""
        return Paging(limit, self.default)

    def _known(self, sort: str) -> str:
        if sort not in self.sorts:
            raise PydanticCustomError(
                "unknown_sort", "this list is not sorted by that; it is by {sorts}", {"sorts": ", ".join(self.sorts)}
            )
        return sort


class Order(_Sorted):
    """Of a list that one query answers: `Order("id", "-id", id=Row.id, created_at=Row.created_at)`."""

    def __init__(self, key: str, default: str, **columns: Column) -> None:
        super().__init__(key, default, columns)
        self._columns = columns

    def read(self, session: Session, query: Select[R], asked: Paging) -> Found[R]:
        """The page of what a query of one thing finds."""
        found = self.read_rows(session, query, asked)
        return Found([row[0] for row in found.rows], found.next)

    def read_rows(self, session: Session, query: Select[*tuple[Any, ...]], asked: Paging) -> Found[Any]:
        """The same, of a query of several: a tuple a row."""
        by, key = self._columns[asked.by], self._columns[self.key]
        rows = session.execute(
            query.add_columns(by.label("sorted_by"), key.label("sorted_key"))
            .where(*_beyond(by, key, asked))
            .order_by(*_ordering(by, key, asked))
            .limit(asked.limit + 1)
        ).all()
        shown = rows[: asked.limit]
        following = encode(asked.sort, *shown[-1][-2:]) if len(rows) > asked.limit else None
        return Found([tuple(row)[:-2] for row in shown], following)


class ItemOrder(_Sorted, Generic[T]):
    """Of a list so short that it is sorted in memory; every field as a text that sorts as it should."""

    def __init__(self, key: str, **fields: Callable[[T], str]) -> None:
        super().__init__(key, key, fields)
        self._fields = fields

    def page(self, items: Iterable[T], asked: Paging) -> Page[T]:
        """The page of all items."""

        def place(item: T) -> tuple[str, str]:
            return self._fields[asked.by](item), self._fields[self.key](item)

        found = sorted(items, key=place, reverse=asked.falling)
        if asked.after is not None:
            last = _typed(asked.after[0], str), _typed(asked.after[1], str)
            found = [item for item in found if (place(item) < last if asked.falling else place(item) > last)]
        shown = found[: asked.limit]
        more = len(found) > asked.limit
        return Page(items=tuple(shown), next=encode(asked.sort, *place(shown[-1])) if more else None)


def equal(wanted: Mapping[Any, Any]) -> list[ColumnElement[bool]]:
    """Conditions of a list by column: it has the value that was asked for; None asks for nothing."""
    return [column == value for column, value in wanted.items() if value is not None]


def contains(column: Column, text: str | None) -> list[ColumnElement[bool]]:
    """That a column has a text in it, whatever the case; None asks for nothing."""
    return [] if text is None else [func.lower(column).contains(text.lower(), autoescape=True)]


def encode(sort: str, by: Value, key: Value) -> str:
    """An opaque cursor."""
    content = json.dumps([sort, *(one.isoformat() if isinstance(one, datetime) else one for one in (by, key))])
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def decode(cursor: str, sort: str) -> tuple[Any, Any]:
    """What is in a cursor; raises ValidationFailed where it is none, or one of another sort."""
    try:
        value = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        raise _bad_cursor() from None
    if not isinstance(value, list) or len(value) != 3 or value[0] != sort:
        raise _bad_cursor()
    return value[1], value[2]


def _bad_cursor() -> ValidationFailed:
    message = "not a cursor of this list in this order; pass `next` of an earlier page, with the same `sort`"
    error = FieldError(field="query.after", message=message)
    return ValidationFailed("The cursor cannot be read. Nothing was changed.", errors=[error])


def _typed(value: Any, kind: type[Any]) -> Any:
    """A value of a cursor as one of a column; raises ValidationFailed for one that no such column has."""
    if kind is datetime and isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise _bad_cursor() from None
        if moment.tzinfo is not None:
            return moment
    elif type(value) is kind and (kind is not int or abs(value) < 2**63) and (kind is not str or "\0" not in value):
        return value
    raise _bad_cursor()


def _may_be_null(column: Column) -> bool:
    return bool(getattr(column, "nullable", True))


def _beyond(by: Column, key: Column, asked: Paging) -> Sequence[ColumnElement[bool]]:
    """What comes after the cursor. Rows without a value come last, in both directions."""
    if asked.after is None:
        return ()
    last_key = literal(_typed(asked.after[1], key.type.python_type), key.type)
    further = key < last_key if asked.falling else key > last_key
    if by is key:
        return (further,)
    if asked.after[0] is None:
        return (by.is_(None), further)
    last = literal(_typed(asked.after[0], by.type.python_type), by.type)
    pair, last_pair = tuple_(by, key), tuple_(last, last_key)
    following = pair < last_pair if asked.falling else pair > last_pair
    if not _may_be_null(by):
        return (following,)
    return (or_(and_(by.is_not(None), following), by.is_(None)),)


def _ordering(by: Column, key: Column, asked: Paging) -> Sequence[ColumnElement[Any]]:
    ordering = [column.desc() if asked.falling else column.asc() for column in ((by,) if by is key else (by, key))]
    return [ordering[0].nulls_last(), *ordering[1:]] if _may_be_null(by) and by is not key else ordering
