"""Lanes: chains that carry one chain's flows together, each those that a hash of addresses and ports gives it."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sextant_domain.base import Frozen, Name, StrictInt
from sextant_domain.chains.traffic_kinds import at_most, bounds

MAX_LANES = 8
MAX_WEIGHT = 16
LANES = "lanes"
"""Capability: a chain's source can send the flows of one lane alone."""

LANE_INFIX = "-lane-"


def lane_name(of: str, number: int) -> str:
    """The chain that a lane is: the first keeps the name, so a chain that gets lanes later stays what it is."""
    return of if number == 1 else f"{of}{LANE_INFIX}{number}"


Weights = Annotated[
    tuple[Annotated[StrictInt, Field(ge=1, le=MAX_WEIGHT)], ...],
    at_most(MAX_LANES),
    Field(json_schema_extra=bounds(MAX_LANES)),
]
"""One a lane."""


class LanePlace(Frozen):
    """A lane as a chain file asks for it: its part of the flows, and where it is to run."""

    weight: StrictInt = Field(ge=1, le=MAX_WEIGHT)
    """Against those of the other lanes."""
    host: Name | None = None
    """The host that it is pinned to: its `ingress.host`; None: the engine chooses."""


class Lane(Frozen):
    """Which lane a chain is, of the chains that carry one chain's flows together: each flow goes by exactly one.

    The bounds are the runner's (docs/contracts/runner.md)."""

    of: Name
    """The chain that was asked for: that which gives all its lanes their common name. The first lane bears it."""
    number: StrictInt = Field(ge=1, le=MAX_LANES)
    """From 1."""
    weights: Weights
    """Of all lanes in order: 3 and 1 are three quarters and a quarter of the flows."""

    @model_validator(mode="after")
    def _has_a_weight(self) -> Self:
        if self.number > len(self.weights):
            raise ValueError(
                f"number: there are {len(self.weights)} lanes, as many as weights, and none is {self.number}"
            )
        return self

    @property
    def share(self) -> float:
        """Of the flows, from 0 to 1, by its weight."""
        return self.weights[self.number - 1] / sum(self.weights)

    @property
    def text(self) -> str:
        """For a person: 'lane 2 of 3 of web, 25 % of the flows by weight'."""
        return (
            f"lane {self.number} of {len(self.weights)} of {self.of}, {100 * self.share:.3g} % of the flows by weight"
        )
