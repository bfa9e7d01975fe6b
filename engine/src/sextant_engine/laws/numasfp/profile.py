"""`profile`: a look-up table out of measurements that a program makes."""

import json
from typing import Annotated

from pydantic import Field, StrictFloat, StrictInt, StringConstraints, ValidationError, field_validator
from sextant_domain.base import Frozen

from sextant_engine.errors import bad_input
from sextant_engine.profiling.levels.staircase import search
from sextant_engine.profiling.levels.surface import measured

Word = Annotated[str, StringConstraints(max_length=4096)]
Percent = Annotated[StrictInt, Field(ge=0, le=100)]
Gbps = Annotated[StrictFloat, Field(gt=0, le=1e6)]
NodeName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Surface(Frozen):
    """A program that is run once a point: {"node", "ways", "mb_percent"} in, {"gbps"} out."""

    command: Annotated[tuple[Word, ...], Field(min_length=1, max_length=64)]


class Profile(Frozen):
    """Which levels take what?"""

    surface: Surface
    nodes: Annotated[tuple[NodeName, ...], Field(min_length=1, max_length=16)]
    ways: Annotated[StrictInt, Field(ge=1, le=64)] = 11
    mb_percent: Annotated[tuple[Percent, ...], Field(min_length=1, max_length=101)] = tuple(range(10, 100, 10))
    rates_gbps: Annotated[tuple[Gbps, ...], Field(min_length=1, max_length=64)]
    noise: Annotated[StrictFloat, Field(ge=0, le=0.5)] = 0.0
    """Relative error of one measurement."""

    @field_validator("mb_percent")
    @classmethod
    def _differ(cls, percents: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(percents)) != len(percents) or max(percents) == 0:
            raise ValueError("has a percentage twice, or no other than 0")
        return percents

    @field_validator("rates_gbps")
    @classmethod
    def _asked_once(cls, rates: tuple[float, ...]) -> tuple[float, ...]:
        if len({f"{rate:g}" for rate in rates}) != len(rates):
            raise ValueError("names a rate twice, to six digits; keep one")
        return rates

    @field_validator("nodes")
    @classmethod
    def _named_once(cls, nodes: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(nodes)) != len(nodes):
            raise ValueError("names a node twice; keep one")
        return nodes


class Profiled(Frozen):
    """What was found, by node and rate."""

    cells: dict[str, dict[str, tuple[int, int] | None]]
    """The [ways, MB %] that are the least shares of all ways and of the most bandwidth together, then the fewest ways;
    null: nothing carries that rate."""
    fronts: dict[str, dict[str, tuple[tuple[int, int], ...]]]
    """All [ways, MB %] that carry the rate, where less of either would not."""
    points_asked: dict[str, int]
    """Different points; repeats are not counted."""


def profile(raw: bytes) -> str:
    """JSON to JSON. Raises BadEngineInput."""
    try:
        asked = Profile.model_validate_json(raw)
    except ValidationError as error:
        raise bad_input(error) from None
    cells, fronts, points = {}, {}, {}
    for node in asked.nodes:
        found = search(
            asked.ways,
            asked.mb_percent,
            asked.rates_gbps,
            float(asked.noise),
            lambda ways, percent, node=node: measured(asked.surface.command, node, ways, percent),  # type: ignore[misc]
        )
        cells[node] = {f"{rate:g}": cell for rate, cell in found.cells.items()}
        fronts[node] = {f"{rate:g}": front for rate, front in found.fronts.items()}
        points[node] = found.asked
    return json.dumps(Profiled(cells=cells, fronts=fronts, points_asked=points).model_dump(mode="json"))
