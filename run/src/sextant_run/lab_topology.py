"""Which hosts of measured packets there are on this machine, how they are joined, and over whom each reaches others: a
file in TOML, `lab.toml` beside this module unless another is named. Pure but for reading it."""

import tomllib
from collections import deque
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator
from sextant_domain.base import Frozen, own_words

from sextant_run.errors import RunError

SHIPPED = Path(__file__).with_name("lab.toml")
MOST_HOSTS = 16
MAX_BYTES = 64 * 1024
Number = Annotated[int, Field(ge=1, le=MOST_HOSTS)]
"""Of a host, from 1."""


class LabLink(Frozen):
    """Joins two hosts."""

    between: tuple[Number, Number]
    mbit: int | None = Field(default=None, ge=1, le=100_000)
    """How much it carries in each direction; None: as much as the machine can."""

    def other_end(self, number: int) -> int | None:
        """Seen from a host; None where the link is not one of its."""
        one, other = self.between
        return {one: other, other: one}.get(number)


class LabTopology(Frozen):
    """All of a file, or the part of it that the first hosts are."""

    hosts: Number
    cpu_percent: float | None = Field(default=None, ge=1, le=6400)
    """What all NFs of a host together may use, of a core; None: no limit."""
    link: tuple[LabLink, ...] = ()

    @model_validator(mode="after")
    def _links_join_two_of_them(self) -> Self:
        seen: set[frozenset[int]] = set()
        for at, link in enumerate(self.link):
            ends = frozenset(link.between)
            if len(ends) == 1 or max(ends) > self.hosts:
                raise ValueError(f"link.{at}.between: {list(link.between)} is not two of hosts 1 to {self.hosts}")
            if ends in seen:
                raise ValueError(f"link.{at}.between: {list(link.between)} are joined by an earlier link")
            seen.add(ends)
        return self

    @model_validator(mode="after")
    def _each_reaches_one_before_it(self) -> Self:
        """So that the first hosts, however many are wanted, are joined."""
        for number in range(2, self.hosts + 1):
            if not any((link.other_end(number) or self.hosts) < number for link in self.link):
                raise ValueError(f"link: host {number} is joined to none of hosts 1 to {number - 1}")
        return self

    def first(self, count: int) -> "LabTopology":
        """With the links among them."""
        return LabTopology(
            hosts=count,
            cpu_percent=self.cpu_percent,
            link=tuple(link for link in self.link if max(link.between) <= count),
        )

    def next_hops(self, number: int) -> dict[int, int]:
        """From a host: every other one -> the neighbour over which it is reached by the fewest links; of equals, over
        the link that stands first. Each step of such a way is nearer to its end, so that no packet goes round."""
        return {other: self._first_step(number, other) for other in range(1, self.hosts + 1) if other != number}

    def other_ways(self, number: int) -> dict[int, tuple[int, ...]]:
        """From a host: every other one -> further neighbours over which it is reached, the first links of the file
        first. Whoever takes one of them goes on as `next_hops` says, so only those are named from which it never comes
        back here (loop-free alternates, RFC 5286)."""
        found = {}
        for other, first in self.next_hops(number).items():
            neighbours = [one for one in self._neighbours(number) if one != first]
            found[other] = tuple(one for one in neighbours if not self._passes(one, other, number))
        return found

    def _passes(self, start: int, end: int, over: int) -> bool:
        """Whether the way from `start` to `end` leads over a host."""
        at = start
        while at != end:
            at = self._first_step(at, end)
            if at == over:
                return True
        return False

    def _neighbours(self, number: int) -> list[int]:
        ends = (link.other_end(number) for link in self.link)
        return [end for end in ends if end is not None]

    def _first_step(self, number: int, end: int) -> int:
        distance = self._distances(end)
        return min(self._neighbours(number), key=lambda neighbour: distance[neighbour])

    def _distances(self, to: int) -> dict[int, int]:
        found, waiting = {to: 0}, deque([to])
        while waiting:
            at = waiting.popleft()
            for neighbour in self._neighbours(at):
                if neighbour not in found:
                    found[neighbour] = found[at] + 1
                    waiting.append(neighbour)
        return found


def read_topology(path: Path) -> LabTopology:
    """Raises RunError with the field that is wrong."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise _refused(path, f"larger than {MAX_BYTES} bytes")
        return LabTopology.model_validate(tomllib.loads(text.decode()))
    except OSError as error:
        raise _refused(path, f"it cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _refused(path, f"it is not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise _refused(path, f"{where + ': ' if where else ''}{own_words(first['msg'])}") from error


def _refused(path: Path, why: str) -> RunError:
    return RunError(f"SEXTANT_LAB_TOPOLOGY: {path}: {why}", f"see {SHIPPED} for one that works")
