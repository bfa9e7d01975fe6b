"""Parts: the chains that carry one chain over several hosts, each the NFs that stand on one of them (SRv6-INT)."""

from collections.abc import Collection, Iterator, Sequence
from typing import Self

from pydantic import Field, model_validator

from sextant_domain.base import Frozen, Name, StrictInt

MAX_PARTS = 7
MAX_PATH_NFS = 7
"""Of all parts: a packet has room for eight segments, and the last is where it leaves."""
OVER_HOSTS = "over-hosts"
"""Capability: a host's packets carry what was measured of them, and it carries its part of chains that pass other
hosts."""
MIN_FLEET_TAG, MAX_FLEET_TAG = 0x8000, 0xFFFF
"""Tags that the console gives to chains over several hosts; those below are each host's own."""

PART_INFIX = "-part-"


def part_name(of: str, number: int) -> str:
    """The chain that a part is: the first, where packets enter, keeps the name."""
    return of if number == 1 else f"{of}{PART_INFIX}{number}"


def neighbours(names: Collection[str]) -> Iterator[tuple[str, str]]:
    """By their names as parts: two of these chains where packets go from the first to the second."""
    for name in sorted(names):
        of, infix, number = name.rpartition(PART_INFIX)
        if infix and number.isdecimal() and (before := part_name(of, int(number) - 1)) in names:
            yield before, name


def wrong_path(parts: Sequence[tuple[str, int]]) -> str | None:
    """What keeps these parts, each its host and its number of NFs, from being a path: '.1.host: ...'."""
    if not 2 <= len(parts) <= MAX_PARTS:
        return f": a chain over several hosts has 2 to {MAX_PARTS} parts, not {len(parts)}"
    hosts = [host for host, _ in parts]
    for index, host in enumerate(hosts):
        if host in hosts[:index]:
            beside = host == hosts[index - 1]
            why = "put the NFs of both parts together" if beside else "packets pass each host once"
            return f".{index}.host: {host} stands twice on the path: {why}"
    nfs = sum(count for _, count in parts)
    return f": all parts have {MAX_PATH_NFS} NFs at most, not {nfs}" if nfs > MAX_PATH_NFS else None


class Part(Frozen):
    """Which part a chain is, of the chains that carry one chain over several hosts."""

    of: Name
    """The chain that was asked for. The first part bears its name."""
    number: StrictInt = Field(ge=1, le=MAX_PARTS)
    """From 1, in the order in which packets pass."""
    count: StrictInt = Field(ge=2, le=MAX_PARTS)
    tag: StrictInt | None = Field(default=None, ge=MIN_FLEET_TAG, le=MAX_FLEET_TAG, exclude_if=lambda tag: tag is None)
    """What packets of all its parts are told by. The console gives it when the chain is submitted: what a request says
    is replaced."""

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if self.number > self.count:
            raise ValueError(f"number: there are {self.count} parts, and none is {self.number}")
        return self

    @property
    def enters(self) -> bool:
        """Packets enter with it."""
        return self.number == 1

    @property
    def leaves(self) -> bool:
        """Packets leave with it."""
        return self.number == self.count

    @property
    def names(self) -> tuple[str, ...]:
        """Of all parts, in order."""
        return tuple(part_name(self.of, number) for number in range(1, self.count + 1))

    @property
    def text(self) -> str:
        """For a person: 'part 2 of 3 of web'."""
        return f"part {self.number} of {self.count} of {self.of}"
