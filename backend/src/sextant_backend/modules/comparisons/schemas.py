"""The body of POST /comparisons."""

from typing import Annotated

from pydantic import Field, field_validator
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.intents import PlaceIntent, ReplaceIntent
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_backend.modules.plans.schemas import Search

ComparedIntent = Annotated[PlaceIntent | ReplaceIntent, Field(discriminator="kind")]


class ComparisonRequest(Search):
    """What shall be planned by each of several algorithms, on one snapshot."""

    intent: ComparedIntent
    algorithms: tuple[Algorithm, ...] = Field(min_length=1, max_length=len(Algorithm))
    label: str | None = Field(default=None, min_length=1, max_length=120)
    """The file's name, or any other; left out: 'fleet' or 'file'."""
    snapshot: FleetSnapshot | None = None
    """Left out: this fleet as it is now."""

    @field_validator("algorithms")
    @classmethod
    def _are_distinct(cls, algorithms: tuple[Algorithm, ...]) -> tuple[Algorithm, ...]:
        for index, algorithm in enumerate(algorithms):
            if algorithm in algorithms[:index]:
                raise ValueError(f"'{algorithm}' is named twice; an algorithm is compared with others, not with itself")
        return algorithms
