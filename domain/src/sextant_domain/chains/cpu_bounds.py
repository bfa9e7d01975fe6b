"""Within which a host's agent sets what NFs of a chain have of their cores, by itself and while the console is not
reached: an order names the bounds, a law decides within them."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sextant_domain.base import Frozen, StrictFloat, StrictInt

QUOTA_BOUNDS = "quota-bounds"
"""Capability: packets measure how long each NF has them, and quotas can be set."""
ONE_OF_TWO = "a chain has share_bounds or quota_bounds: two laws would set the CPU time of the same NF; take one away"
WEIGHT_OF_PERCENT = 10
"""CPU share that an agent sets for each percent of a core."""
ShareLaw = Literal["queue-matching", "rate-cost"]
"""By which a core is divided: CoCo's scheduler (Sec. IV), or in proportion to rate and cost (sfc2cpu, NFVnice)."""
QUEUE_MATCHING: ShareLaw = "queue-matching"
RATE_COST_CAPABILITY = "rate-cost-shares"
"""Capability: the host's agent knows the second, too."""

MOST_OWN_WAYS = 64
"""Of any last-level cache (LLC)."""
FULL_PERCENT = 100

_ROUNDING = 0.005
"""The kernel takes whole microseconds."""

Percent = Annotated[StrictInt, Field(ge=1, le=100)]
Ways = Annotated[StrictInt, Field(ge=1, le=MOST_OWN_WAYS)]


class _Percents(Frozen):
    """Of a core."""

    least_percent: Percent
    most_percent: Percent

    @model_validator(mode="after")
    def _least_is_least(self) -> Self:
        if self.least_percent > self.most_percent:
            raise ValueError(f"least_percent: {self.least_percent} is more than most_percent, {self.most_percent}")
        return self


class ShareBounds(_Percents):
    """Within which a host's agent shares out a core among the NFs on it by itself, each 100 ms, by what arrives for
    them. It goes on while the console is not reached."""

    least_percent: Percent
    """Of its core, that each NF of the chain has whenever it wants it."""
    most_percent: Percent
    """Of its core, that none of them is given while others want it."""
    law: ShareLaw = Field(default=QUEUE_MATCHING, exclude_if=lambda law: law == QUEUE_MATCHING)
    """All chains on a core name the same, or it is not divided. The default is left out, so that older digests hold."""

    @property
    def least_weight(self) -> int:
        """As a CPU share. 1000 is the whole core."""
        return WEIGHT_OF_PERCENT * self.least_percent

    @property
    def most_weight(self) -> int:
        """The same."""
        return WEIGHT_OF_PERCENT * self.most_percent

    def hold(self, weight: int) -> bool:
        """Whether an NF with this CPU share is within them."""
        return self.least_weight <= weight <= self.most_weight


class QuotaBounds(_Percents):
    """Within which a host's agent sets the CPU quota of each NF by itself, within tens of milliseconds, by how long
    packets say that it had them (SRv6-INT, Algorithm 1). It goes on while the console is not reached.

    Where the host has resctrl, and they say so, ways of the last-level cache (LLC) and memory bandwidth come after the
    quota (Algorithm 3). What a host lacks is not given, and its agent says so; they were added after the first release,
    and are left out of the digest where they are not set."""

    max_p95_us: Annotated[StrictFloat, Field(gt=0, le=1_000_000)]
    """L_max: the 95th percentile of the time that each NF may have a packet. An NF above it is given more."""
    least_percent: Percent
    """Of its core, that each NF of the chain has at least."""
    most_percent: Percent
    """Of its core, that each of them has at most."""
    least_ways: Ways | None = Field(default=None, exclude_if=lambda ways: ways is None)
    """Of the LLC, that an NF has once it has any of its own. Before that, and once it does not need them any more, it
    shares what all share. None, with the next: ways are left as they are ordered."""
    most_ways: Ways | None = Field(default=None, exclude_if=lambda ways: ways is None)
    """Of the LLC, that it has of its own at most."""
    least_bandwidth_percent: Percent | None = Field(default=None, exclude_if=lambda percent: percent is None)
    """To so much of the memory bandwidth an NF is limited that needs no more; one that does gets all again, or what its
    order says. None: bandwidth is left as it is ordered."""

    @model_validator(mode="after")
    def _ways_have_two_ends(self) -> Self:
        if (self.least_ways is None) != (self.most_ways is None):
            missing = "least_ways" if self.least_ways is None else "most_ways"
            raise ValueError(f"{missing}: ways have a least and a most, or neither")
        if self.least_ways is not None and self.most_ways is not None and self.least_ways > self.most_ways:
            raise ValueError(f"least_ways: {self.least_ways} is more than most_ways, {self.most_ways}")
        return self

    @property
    def of_memory(self) -> bool:
        """They are of LLC ways or memory bandwidth, too."""
        return self.most_ways is not None or self.least_bandwidth_percent is not None

    def begin(self, ordered: float | None) -> float:
        """What an NF begins with: its quota as ordered, as far as they allow that."""
        return min(max(100.0 if ordered is None else ordered, self.least_percent), self.most_percent)

    def hold(self, percent: float | None) -> bool:
        """Whether an NF with this quota is within them; None: it has all of its core."""
        has = 100.0 if percent is None else percent
        return self.least_percent - _ROUNDING <= has <= self.most_percent + _ROUNDING

    def hold_ways(self, ways: int | None, ordered: int | None) -> bool:
        """Whether an NF with so many LLC ways of its own is within them. `ordered`: what it begins with; None, as of
        `ways`: it shares what all share."""
        if self.least_ways is None or self.most_ways is None:
            return False
        return ordered is None if ways is None else self.least_ways <= ways <= self.most_ways

    def hold_bandwidth(self, percent: int | None, ordered: int | None) -> bool:
        """Whether an NF with this part of the memory bandwidth is within them. None: all of it."""
        if self.least_bandwidth_percent is None:
            return False
        has, most = percent or FULL_PERCENT, ordered or FULL_PERCENT
        return self.least_bandwidth_percent <= has <= most
