"""What a plan is made as if: how a chain that does not fit is tried again with less asked of the fleet."""

from enum import StrEnum

from sextant_domain.base import Frozen, Name


class AssumptionKind(StrEnum):
    """What is taken for granted, of the host, chain, capability or group that is named."""

    UP = "up"
    """The host is up."""
    UNCORDONED = "uncordoned"
    """The host is not cordoned."""
    ENTRY = "entry"
    """The chains to be placed enter and leave at the host."""
    REMOVED = "removed"
    """The chain was removed from the fleet."""
    WITHOUT = "without"
    """The chains to be placed do not need the capability, one of RELAXABLE."""
    TOGETHER = "together"
    """The chains to be placed do not belong to the anti-affinity group."""


RELAXABLE = frozenset({"cpu-share", "pause", "run-to-completion"})
"""Capabilities that a chain can be tried without."""


class Assumption(Frozen):
    """A plan that is made under one is a preview, which is never applied."""

    kind: AssumptionKind
    name: Name
    """Of the host, chain, capability or group."""


class ChainMove(Frozen):
    """A chain, and the host that it would move to."""

    chain: Name
    host: Name


class Relaxation(Frozen):
    """One thing that would help a chain that does not fit."""

    text: str
    """An instruction."""
    assume: tuple[Assumption, ...] = ()
    """Plan the chain again under these to see what it would bring; none where nothing can be assumed, as hardware."""
    move: ChainMove | None = None
    """The move to plan."""
