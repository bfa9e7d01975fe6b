"""What a host's agent reports of the links by which chains go on to other hosts, and of those that it has taken instead
by itself (SRv6-INT's reroute)."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId

MOST_WAY_CHANGES = 32
"""The latest of a host that are reported."""
MOST_WAYS = 8
"""Of a chain on one host."""
MOST_LINKS = 64
MOST_WHY = 300
Port = Annotated[str, Field(min_length=1, max_length=15)]
"""An interface of the host."""


class WayState(StrEnum):
    """How a chain goes on from a host."""

    PREFERRED = "preferred"
    """By the first of its links."""
    OTHER = "other"
    """By another of them; `why` says why."""
    CUT = "cut"
    """None of its links has a carrier: packets are lost."""
    UNKNOWN = "unknown"
    """Whoever knows does not answer; `why` says who. Packets go on as before, or are lost."""


class ChainWay(Frozen):
    """By which link a chain goes on from a host to an NF of another one."""

    to: NfId | None
    """None: to where it leaves."""
    links: tuple[Port, ...] = Field(max_length=MOST_LINKS)
    """That lead there, the preferred one first."""
    link: Port | None
    """The one that it takes; None: one that is gone."""
    state: WayState
    since: datetime | None = None
    """When it came to be so, by the host's clock; None: as it was set up, or nobody knows."""
    why: str | None = Field(default=None, max_length=MOST_WHY)
    """For a person."""


class WayChangeKind(StrEnum):
    """What became of a way."""

    CUT = "cut"
    """The link that it took is cut, and it takes another."""
    RETURNED = "returned"
    """It takes one again that it is to prefer."""
    SLOW = "slow"
    """Too many packets waited at the link that it took, and it takes another."""
    LOST = "lost"
    """None of its links has a carrier any more."""
    RESTORED = "restored"
    """The one that it takes has one again."""


class WayChange(Frozen):
    """What an agent did about a way, or saw happen to it."""

    at: datetime
    chain: Name
    to: NfId | None
    kind: WayChangeKind
    before: Port | None
    after: Port | None
    """Equal where it takes the same link as before."""
    cause: str = Field(max_length=MOST_WHY)
    """For a person: 'lab-2 has no carrier'."""
    took_us: int = Field(ge=0, le=10**9)
    """From what the agent saw to the way set."""
