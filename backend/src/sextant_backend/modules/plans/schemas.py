"""Bodies of the plans' endpoints."""

from typing import Annotated

from pydantic import Field
from sextant_domain.base import Frozen, StrictInt
from sextant_domain.evidence import Algorithm
from sextant_domain.plan import MigrateIntent, PlaceIntent, ReplaceIntent

AskedIntent = Annotated[PlaceIntent | MigrateIntent | ReplaceIntent, Field(discriminator="kind")]
"""A chain is removed by DELETE /chains/{name}, which plans and applies at once."""


class PlanRequest(Frozen):
    """What shall be planned."""

    intent: AskedIntent
    algorithm: Algorithm = Algorithm.NODE_FIRST
    seed: StrictInt = Field(default=0, ge=0, lt=2**31)
