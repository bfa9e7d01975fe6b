"""A fitted cost by which the games of a training are worth what they are, in the place of the ideal model."""

import json
from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field, model_validator

from sextant_domain.base import Digest, Frozen, Name, StrictInt, digest_of
from sextant_domain.profiling.inflation import HandOff, InflationModel

MOST_KINDS = 128
"""That the engine's core takes."""
MOST_COEFFICIENT = 1e12
_Count = Annotated[StrictInt, Field(ge=1)]


class GamesCost(Frozen):
    """Which cost games go by, beside what came of them."""

    host: Name | None
    """On which it was fitted; None: a file had it."""
    version: int | None = Field(ge=1)
    """Of the host's."""
    digest: Digest


class SchoolCost(Frozen):
    """In a scenario: the name of a host, to which the console adds what was fitted there when a study is started; or a
    model by itself, as the engine's verb `fit` answers it."""

    host: Name | None = None
    version: _Count | None = None
    """Of the host's costs: the console's."""
    socket_cores: _Count | None = None
    """Cores of a socket, one socket after another; None: all are of one."""
    model: InflationModel | None = None
    """Hand-offs in cycles of a core of 2.2 GHz, as games have them."""

    @model_validator(mode="after")
    def _says_which(self) -> Self:
        if self.host is None and self.model is None:
            raise ValueError("names no host, and has no model: give one of them")
        if (self.version is None) != (self.host is None or self.model is None):
            raise ValueError("version is of the model that was fitted on a host: give all three, or leave it out")
        if self.model is not None and (wrong := wrong_in(self.model)) is not None:
            raise ValueError(wrong)
        return self

    @property
    def facts(self) -> GamesCost:
        """Raises ValueError where nothing was added to a host's name yet."""
        if self.model is None:
            raise ValueError(f"what was fitted on {self.host} is not in the scenario")
        return GamesCost(host=self.host, version=self.version, digest=digest_of(self.model))


def wrong_in(model: InflationModel) -> str | None:
    """What keeps games from going by a model; None: nothing."""
    size = len(model.kinds) + 1
    if not 2 <= size <= MOST_KINDS + 1:
        return f"model.kinds are {size - 1}; games want 1 to {MOST_KINDS}"
    for name, table in (("core", model.core), ("socket", model.socket)):
        if len(table) != size or any(len(row) != size for row in table):
            return f"model.{name} has not a row and a column for each kind and one more: {size}"
        if not all(0 <= value <= MOST_COEFFICIENT for row in table for value in row):
            return f"model.{name} has a coefficient that is not within 0 and {MOST_COEFFICIENT:g}"
    cycles = [getattr(model.hand_off, name) for name in HandOff.model_fields]
    if not all(0 <= value <= MOST_COEFFICIENT for value in cycles):
        return f"model.hand_off has cycles that are not within 0 and {MOST_COEFFICIENT:g}"
    return None


def games_text(cost: GamesCost | None) -> str:
    """'the ideal model', 'the costs of edge-1, version 3'."""
    if cost is None:
        return "the ideal model"
    if cost.host is None:
        return f"a fitted cost, {cost.digest.removeprefix('sha256:')[:8]}"
    return f"the costs of {cost.host}, version {cost.version}"


def cost_toml(cost: SchoolCost) -> Iterator[str]:
    """Lines of a scenario's file: its last table."""
    yield "[cost]"
    given = {"host": cost.host, "version": cost.version, "socket_cores": cost.socket_cores}
    yield from (f"{name} = {json.dumps(value)}" for name, value in given.items() if value is not None)
    if cost.model is not None:
        tree = cost.model.model_dump(mode="json", exclude={"errors"})
        hand_off = tree.pop("hand_off")
        yield "[cost.model]"
        yield from (f"{name} = {json.dumps(value)}" for name, value in tree.items())
        yield "[cost.model.hand_off]"
        yield from (f"{name} = {json.dumps(value)}" for name, value in hand_off.items())
