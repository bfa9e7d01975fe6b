"""What a profiling job is asked that finds the part of a core that an NF takes by its rate."""

from pydantic import Field

from sextant_domain.base import Frozen, StrictFloat, StrictInt

FEWEST_SHARE_POINTS, MOST_SHARE_POINTS = 3, 32
"""Rates that a line of shares is drawn through: with two any line fits."""


class SharesAsk(Frozen):
    """CPU shares by rate instead of a performance model: the line that CoCo calls f."""

    points: StrictInt = Field(default=6, ge=FEWEST_SHARE_POINTS, le=MOST_SHARE_POINTS)
    """Rates, evenly up to the fastest."""
    most_percent: StrictFloat = Field(default=90.0, ge=10, le=95)
    """The fastest of them, of what the NF carries of a full line."""
