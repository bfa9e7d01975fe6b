"""Structs of msgspec made from models of Pydantic: the same fields, bounds and JSON, read and written in a third of the
time. For what comes by the thousand a second (decision 108).

A struct takes a part of what its model takes, and gives the same values: what it refuses, the model must judge, which
may read `"1.5"` as a number, and says what is wrong in our words. Moments alone may differ, by a microsecond: digits
beyond are rounded here, and cut off there. A bound that structs do not know raises TypeError when a struct is made, so
that none is dropped silently.

Patterns of texts are matched by `reader_of`, once for each text: msgspec would search all of them every time, which of
telemetry is half of the reading, and a fleet reports the same names every second.
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import Enum
from functools import cache
from itertools import chain
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
import msgspec
from pydantic.fields import FieldInfo
from sextant_domain.base import Frozen

_NAMED = {
    annotated_types.Ge: "ge",
    annotated_types.Gt: "gt",
    annotated_types.Le: "le",
    annotated_types.Lt: "lt",
    annotated_types.MinLen: "min_length",
    annotated_types.MaxLen: "max_length",
}
_PLAIN = (str, int, float, bool, NoneType, datetime)
_MOST_TEXTS = 2**16
"""That are kept of a pattern; whoever sends more makes them be matched again."""

Path = tuple[tuple[str, bool], ...]
"""Names of fields from a struct inwards; beside each whether it is a list, all of which is gone through."""


def reader_of(model: type[Frozen]) -> Callable[[bytes], Any]:
    """Reads JSON into the struct of a model; raises msgspec.MsgspecError, UnicodeDecodeError, RecursionError."""
    decode = msgspec.json.Decoder(struct_of(model)).decode
    known: dict[str, _Known] = {}
    checks = [(known.setdefault(pattern, _Known(pattern)), path) for pattern, path in _patterns(model)]

    def read(body: bytes) -> Any:
        found = decode(body)
        for texts, path in checks:
            if not texts.fit(found, path):
                raise msgspec.ValidationError(f"{path[-1][0]} is not as its pattern says")
        return found

    return read


class _Known:
    """Texts that are as a pattern says; only such are kept."""

    def __init__(self, pattern: str) -> None:
        self._search = re.compile(pattern).search
        self._texts: set[str | None] = {None}  # a text that is absent

    def fit(self, found: Any, path: Path) -> bool:
        """Whether all texts of that path are."""
        if self._texts.issuperset(_along(found, path)):
            return True
        for text in _along(found, path):
            if text not in self._texts:
                if self._search(text) is None:
                    return False
                if len(self._texts) > _MOST_TEXTS:
                    self._texts = {None}
                self._texts.add(text)
        return True


def _along(found: Any, path: Path) -> Iterator[Any]:
    """What is there; a text at the end of the path may be None."""
    values: Iterator[Any] = iter((found,))
    for number, (name, many) in enumerate(path, start=1):
        values = map(attrgetter(name), values)
        if many or number < len(path):
            values = filter(None, values)
        if many:
            values = chain.from_iterable(values)
    return values


def _patterns(model: type[Frozen]) -> Iterator[tuple[str, Path]]:
    """Of all texts within a model, and where they are."""
    for name, info in model.model_fields.items():
        for pattern, path, many in _patterns_in(info.annotation, info.metadata):
            yield pattern, ((name, many), *path)


def _patterns_in(annotation: Any, metadata: Any = ()) -> Iterator[tuple[str, Path, bool]]:
    """Of a field's type; last: whether it is a list of what has them."""
    yield from ((value, (), False) for one in metadata for name, value in _bounds(one) if name == "pattern")
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _patterns_in(inner[0], inner[1:])
    elif origin in (Union, UnionType):
        yield from (found for one in inner for found in _patterns_in(one))
    elif origin is tuple:
        for pattern, path, many in _patterns_in(inner[0]):
            if many:
                raise TypeError(f"{annotation} is a list of lists, into which no pattern is followed")
            yield pattern, path, True
    elif isinstance(annotation, type) and issubclass(annotation, Frozen):
        yield from ((pattern, path, False) for pattern, path in _patterns(annotation))


@cache
def struct_of(model: type[Frozen], without: frozenset[str] = frozenset()) -> type[msgspec.Struct]:
    """The struct of a model without validators of its own, read by `reader_of`; `without`: fields to leave out."""
    decorators = model.__pydantic_decorators__
    if decorators.field_validators or decorators.model_validators or decorators.validators:
        raise TypeError(f"{model.__name__} has validators, which its struct would not run")
    fields = [_field(name, info) for name, info in model.model_fields.items() if name not in without]
    return msgspec.defstruct(
        f"{model.__name__}Struct", fields, frozen=True, kw_only=True, gc=False, omit_defaults=True,
        forbid_unknown_fields=model.model_config.get("extra") == "forbid",
    )  # fmt: skip


def _field(name: str, info: FieldInfo) -> tuple[str, Any, Any] | tuple[str, Any]:
    """A default that the model's JSON leaves out is one here, which is left out, too. Any other comes from a factory:
    what a factory made is always written."""
    kind = _bounded(_type(info.annotation), info.metadata)
    if info.is_required():
        return name, kind
    default = info.get_default(call_default_factory=True, validated_data={})
    if info.exclude_if is None:
        return name, kind, msgspec.field(default_factory=lambda: default)
    if not info.exclude_if(default):
        raise TypeError(f"{name} is left out of JSON where it is something else than its default")
    return name, kind, default


def _type(annotation: Any) -> Any:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _bounded(_type(inner[0]), inner[1:])
    if origin in (Union, UnionType):
        return Union[tuple(_type(one) for one in inner)]  # noqa: UP007 - of as many as there are
    if origin is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return tuple[_type(inner[0]), ...]  # type: ignore[misc]
    if isinstance(annotation, type) and issubclass(annotation, Frozen):
        return struct_of(annotation)
    if annotation in _PLAIN or origin is Literal or (isinstance(annotation, type) and issubclass(annotation, Enum)):
        return annotation
    raise TypeError(f"{annotation} is nothing that structs know")


def _bounded(kind: Any, metadata: Any) -> Any:
    """The bounds of a field that may be None are those of what else it may be. Patterns are `reader_of`'s."""
    bounds = {name: value for one in metadata for name, value in _bounds(one) if name != "pattern"}
    if not bounds:
        return kind
    if get_origin(kind) in (Union, UnionType):
        return Union[tuple(one if one is NoneType else _bounded(one, metadata) for one in get_args(kind))]  # noqa: UP007
    if kind is int:
        bounds = dict(_inclusive(name, value) for name, value in bounds.items())
    return Annotated[kind, msgspec.Meta(**bounds)]


def _bounds(one: Any) -> list[tuple[str, Any]]:
    if isinstance(one, FieldInfo):
        return [bound for inner in one.metadata for bound in _bounds(inner)]
    for kind, name in _NAMED.items():
        if isinstance(one, kind):
            return [(name, getattr(one, name))]
    said = vars(one) if hasattr(one, "__dict__") else {}
    found = {name: value for name, value in said.items() if value is not None}
    if found.keys() - {"pattern", "min_length", "max_length"} or not found:
        raise TypeError(f"{one} is nothing that structs know")
    if "pattern" in found:
        found["pattern"] = _whole(found["pattern"])
    return list(found.items())


def _inclusive(name: str, value: int) -> tuple[str, int]:
    """msgspec's bounds of whole numbers have 64 bits, and 2**63, below which they must be, does not."""
    return {"lt": ("le", value - 1), "gt": ("ge", value + 1)}.get(name, (name, value))


def _whole(pattern: str) -> str:
    """`$` is the end of the text for Pydantic, and for Python also the place before a last line break."""
    if not (pattern.startswith("^") and pattern.endswith("$")) or pattern.endswith(r"\$"):
        raise TypeError(f"{pattern} is not of a whole text")
    return pattern[:-1] + r"\Z"
