"""CoCo's law, elements that share cores: its parameters, and what it observes."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from sextant_domain.base import Frozen, StrictFloat
from sextant_domain.laws.frame import LawName

COCO: LawName = "coco"
LEAST_HOLD_S = 0.2
"""Shorter overloads are not told from a burst: rings are looked at ten times a second."""


class CocoParameters(Frozen):
    """What is chosen for it, beside the policy that every law has."""

    law: Literal["coco"] = "coco"
    hold_intervals: Annotated[StrictFloat, Field(ge=LEAST_HOLD_S, le=3600)] = 3.0
    """A core must have been overloaded for so many seconds, that of the measurement included. Less than one where hosts
    report early: others are measured once a second."""
    lost_percent: Annotated[StrictFloat, Field(ge=0, le=100)] = 1.0
    """A chain whose elements drop less than this share is not short of time: it is noise."""
    full_percent: Annotated[StrictFloat, Field(ge=50, le=100)] = 90.0
    """Of a core's time: the rest goes into switching between NFs and warming up again, and is nobody's use."""
    other_work_percent: Annotated[StrictFloat, Field(ge=0, le=100)] = 100.0
    """Of the time that other programs use of a core, so much counts. The rest is taken to give way to NFs, as batch
    work of low priority does: only who runs a host knows. Source and sink count in full."""
    rule: Literal["published", "exact"] = "published"
    """Who goes: the fewest of the published border set, or whatever change is cheapest, in hops and moves together."""
    move_price: Annotated[StrictFloat, Field(ge=0, le=1000)] = 1.0
    """Of the exact rule: a move counts as much as this many hops of the fastest chain."""
    rest_s: Annotated[StrictFloat, Field(ge=0, le=3600)] = 10.0
    """After a push nothing is pushed on that host for so long (CoCo, Sec. III: a hold time between two)."""
    late_s: Annotated[StrictFloat, Field(ge=0, le=3600)] = 2.5
    """Older measurements are not acted on."""


class CocoObservation(Frozen):
    """What a host measured in one interval. Any number is taken: the law itself says what it does not believe."""

    model_config = ConfigDict(allow_inf_nan=True)

    at_s: float
    """When, on the clock that the law is told."""
    use: dict[str, float]
    """By element: the share of its core's time that it uses, 0 to 1."""
    others: dict[int, float]
    """By core: the share that everything else uses there, as far as it counts."""
    offered_mpps: dict[str, float]
    """By chain: what reaches its elements, whether they carry it, drop it, or have no room for it."""
    carried_mpps: dict[str, float]
    dropped_later_mpps: dict[str, float] = Field(default_factory=dict[str, float])
    """By element, what those behind it in its chain drop, which it had in hand as well; absent where it is nothing."""
    waited: frozenset[str] = frozenset()
    """Chains whose source found the first element's ring full: packets wait, even where as many are carried as come."""
    early: bool = False
    """It comes from between two seconds, of the last few tenths of one."""
    stood_s: dict[str, float] = Field(default_factory=dict[str, float])
    """By element that is overloaded by such a measurement: for how long."""
