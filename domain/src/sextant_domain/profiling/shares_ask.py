"""What a profiling job is asked that finds the part of a core that an NF takes by its rate."""

from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen, StrictFloat, StrictInt

FEWEST_SHARE_POINTS, MOST_SHARE_POINTS = 3, 32
"""Rates that a line of shares is drawn through: with two any line fits."""


HopDistance = Literal["same_core", "same_node", "other_node"]
"""How far an NF hands its packets on: to an NF of its own core, of another core of its node, or of another node."""
HOP_DISTANCES: tuple[HopDistance, ...] = ("same_core", "same_node", "other_node")


class SharesAsk(Frozen):
    """CPU shares by rate instead of a performance model: the line that CoCo calls f; with `hops` its t_d, too."""

    points: StrictInt = Field(default=6, ge=FEWEST_SHARE_POINTS, le=MOST_SHARE_POINTS)
    """Rates, evenly up to the fastest."""
    most_percent: StrictFloat = Field(default=90.0, ge=10, le=95)
    """The fastest of them, of what the NF carries of a full line."""
    hops: bool = Field(default=False, exclude_if=lambda hops: not hops)
    """Find as well what handing a packet on to another process costs, by distance; what the host has no cores for is
    left out."""
