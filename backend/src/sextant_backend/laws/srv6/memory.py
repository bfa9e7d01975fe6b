"""What SRv6-INT's global loop remembers of a host beyond this process."""

from dataclasses import field, replace

from pydantic.dataclasses import dataclass

from sextant_backend.laws.paced.memory import KeptOfHost, PendingChange


@dataclass(frozen=True)
class Pending(PendingChange):
    """What was recommended last."""

    chain: str
    lanes: int
    """So many, in all."""
    hosts: dict[str, str] = field(default_factory=dict[str, str])
    """By new lane: its host. None where a lane goes."""
    nf: str | None = None
    """That needs more; None where a lane goes."""
    to: str | None = None
    """The host to which all of it goes; None: its lanes change."""


@dataclass(frozen=True)
class RefusedMove:
    """That could not be planned: it is not tried again until a row of the two hosts has changed."""

    chain: str
    to: str
    marks: tuple[str, str]
    """Of the host that it was to leave, and of the other, as they were read."""
    why: str


@dataclass(frozen=True)
class Kept(KeptOfHost):
    """Of one host."""

    changed_s: float | None = None
    """When the last change of lanes was accepted."""
    less_after_s: float | None = None
    """Until then no lane less is recommended: an operator has dismissed one."""
    refused_moves: tuple[RefusedMove, ...] = ()
    pending: Pending | None = None

    def with_refused(self, move: RefusedMove) -> "Kept":
        """And without those of before the host's row changed."""
        known = [one for one in self.refused_moves if one.marks[0] == move.marks[0]]
        others = [one for one in known if (one.chain, one.to) != (move.chain, move.to)]
        return replace(self, refused_moves=(*others, move))
