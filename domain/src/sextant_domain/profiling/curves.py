"""The second predictor: what an NF loses as a rising curve of the pressure on it, whatever that presses."""

from enum import StrEnum

from pydantic import Field

from sextant_domain.base import Frozen, Name
from sextant_domain.profiling.model import LocalRemote


class ChainRole(StrEnum):
    """Where an NF stands in its chain, as far as caches care (Octans, Eq. 9-11)."""

    LOCAL = "local"
    CROSSING = "crossing"
    """On the local node, its upstream NF elsewhere."""
    HEAD = "head"
    """On a remote node, first of its run."""
    BEHIND = "behind"
    """On a remote node, behind an NF of its run."""


class PressureCurve(Frozen):
    """Drop over pressure: never falling; linear between its knots, constant beyond the last."""

    role: ChainRole
    pressures: tuple[float, ...] = Field(min_length=1)
    """Rising, from 0."""
    drops: tuple[float, ...] = Field(min_length=1)
    """Shares of the ideal throughput; never falling, below 0 where the NF is faster than alone (behind one that
    fetched its packets)."""
    far_share: float = Field(default=1.0, ge=0)
    """Weight of pressure from other nodes: high for an NF that waits for memory, low for one whose data stay in the
    cache."""
    half_width: float | None = Field(default=None, ge=0, le=1)
    """Of the 95 % interval, conformal."""
    samples: int = Field(ge=0)


class Handing(Frozen):
    """What a neighbour in its chain costs an NF, beside what its curve says."""

    local: bool
    """Whether the NF stands on the node that packets arrive on."""
    behind: bool
    """Whether the neighbour is the next one, or the one before."""
    near: bool
    """Whether it stands on the same node."""
    drop: float
    """Share of the ideal throughput that it takes with no other neighbour and no pressure; below 0 where the NF is
    faster. What several take adds up as time a packet, 1 / (1 - drop) - 1 each."""


class CurveModel(Frozen):
    """One NF type on one host model: its drop under pressure, and the pressure that it puts on others."""

    nf_type: Name
    host_model: str
    version: str
    near: float = Field(ge=0)
    """Pressure of one instance on NFs of its own node. Pressures of a mix add up."""
    far: float = Field(ge=0)
    """Pressure of one instance on NFs of other nodes."""
    ideal_mpps: LocalRemote | None = None
    """What rates are relative to."""
    rate_exponent: float = Field(default=0.0, ge=0)
    """An NF at a fraction r of its ideal rate exerts r to this power of its full pressure; 0: the same at any rate."""
    curves: tuple[PressureCurve, ...]
    handing: tuple[Handing, ...] = ()
