"""What VNFs cost beside others, as a fitted model says it (the learned cost of sfc2cpu)."""

from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen


class HandOff(Frozen):
    """Cycles of a packet, by the distance of the core that it comes from or goes to."""

    from_socket: float
    from_remote: float
    to_socket: float
    to_remote: float


class InflationModel(Frozen):
    """A fitted cost. Tables are by kind, and kind of the other; their last row and column are of any other kind."""

    kinds: tuple[str, ...]
    core: tuple[tuple[float, ...], ...]
    """Of others on the same core."""
    socket: tuple[tuple[float, ...], ...]
    """Of others on other cores of the socket."""
    weight: Literal["load", "presence"]
    hand_off: HandOff
    served: Literal["literal", "extended"] = "literal"
    """Which ideal model the throughput that was seen agrees with."""
    errors: dict[str, float] = Field(default_factory=dict)
    """Relative, of cycles: `median`, `p90`; `left_out`, the 90th percentile of placements that a fit did not use, where
    there are five at least; and `held_out`, the same where a kind is judged as unknown."""
