"""A snapshot as a file, of which only what has changed since the one before is written and compressed again.

Of a thousand hosts it is 12 MB of JSON, which take a quarter of a second to be written and compressed.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import TypeAdapter
from sextant_domain.base import BUILT_LATE
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot

from sextant_backend.kit.gzip_parts import Part

T = TypeVar("T")

_HOSTS = TypeAdapter(tuple[HostSnapshot, ...], config=BUILT_LATE)
_CHAINS = TypeAdapter(tuple[ChainSpec, ...], config=BUILT_LATE)
_HOSTS_A_PART, _CHAINS_A_PART = 32, 256
"""About 400 kB each: one change costs little, and what repeats itself is still found."""
_LISTS = b'"hosts":[],"chains":[]'

_Known = dict[tuple[int, ...], tuple[Sequence[Any], Part]]
"""By the identities of a part's values, which it holds so that they stay their own."""


class FleetFile:
    """Of one process. Threads may ask at the same time: what is known is replaced as a whole."""

    def __init__(self) -> None:
        self._hosts: _Known = {}
        self._chains: _Known = {}
        self._rest = Part.of(b"")

    def parts(self, snapshot: FleetSnapshot) -> tuple[Part, ...]:
        """`snapshot.model_dump_json()`. Values never change, so the part of the same objects is the part of before."""
        empty = snapshot.model_copy(update={"hosts": (), "chains": ()}).model_dump_json().encode()
        head, lists, rest = empty.partition(_LISTS)
        if not lists:
            raise AssertionError("a snapshot begins with its hosts and chains")
        hosts, self._hosts = _list(snapshot.hosts, _HOSTS_A_PART, _HOSTS.dump_json, self._hosts)
        chains, self._chains = _list(snapshot.chains, _CHAINS_A_PART, _CHAINS.dump_json, self._chains)
        if self._rest.plain != rest:
            self._rest = Part.of(rest)
        return (Part.of(head + b'"hosts":['), *hosts, Part.of(b'],"chains":['), *chains, Part.of(b"]"), self._rest)


def _list(
    values: tuple[T, ...], a_part: int, written: Callable[[tuple[T, ...]], bytes], known: _Known
) -> tuple[list[Part], _Known]:
    """The list without its brackets, and what is known from now on."""
    parts, now = [], {}
    for begin in range(0, len(values), a_part):
        some = values[begin : begin + a_part]
        key = (begin, *map(id, some))
        found = known.get(key)
        if found is None:
            found = some, Part.of((b"," if begin else b"") + written(some)[1:-1])
        now[key] = found
        parts.append(found[1])
    return parts, now
