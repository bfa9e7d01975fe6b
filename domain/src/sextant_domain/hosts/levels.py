"""What a chain's NFs need at least, in cache ways and memory bandwidth, to carry each rate (NUMASFP, Table I)."""

from itertools import pairwise
from typing import Annotated

from pydantic import Field, model_validator

from sextant_domain.base import Frozen, Name, StrictFloat, StrictInt
from sextant_domain.profiling.job import MOST_LEVELS, NodeKind
from sextant_domain.profiling.profile import MAX_WAYS

__all__ = ["MAX_WAYS", "MOST_LEVELS", "MOST_TYPES", "NODE_KINDS", "Level", "LevelTable", "NodeKind", "TypeLevels"]

NODE_KINDS: tuple[NodeKind, ...] = ("local", "remote")
MOST_TYPES = 256
"""In one table."""


class Level(Frozen):
    """The least of both that carries a rate."""

    gbps: Annotated[StrictFloat, Field(gt=0, le=1e6)]
    """On the wire: frames with FCS, preamble and gap (`sextant_domain.chains.traffic.wire_gbps`)."""
    ways: Annotated[StrictInt, Field(ge=1, le=MAX_WAYS)]
    mb_percent: Annotated[StrictInt, Field(ge=1, le=100)]


Levels = Annotated[tuple[Level, ...], Field(max_length=MOST_LEVELS)]
"""By rising rate; empty: nothing is known there."""


class TypeLevels(Frozen):
    """Levels of one NF type."""

    local: Levels = ()
    remote: Levels = ()

    @model_validator(mode="after")
    def _rates_rise(self) -> "TypeLevels":
        for kind in NODE_KINDS:
            rates = [level.gbps for level in self.on(kind)]
            if any(later <= earlier for earlier, later in pairwise(rates)):
                raise ValueError(f"{kind}: rates rise from level to level")
        return self

    def on(self, kind: NodeKind) -> tuple[Level, ...]:
        """Of that kind of node."""
        return self.local if kind == "local" else self.remote


class LevelTable(Frozen):
    """Levels of NF types on one host model: what NUMASFP's law goes by. Orders with bounds hold it."""

    host_model: str
    types: Annotated[dict[Name, TypeLevels], Field(max_length=MOST_TYPES)]

    def without(self, nf_types: tuple[str, ...]) -> tuple[str, ...]:
        """Of these NF types, those it says nothing of."""
        return tuple(sorted({name for name in nf_types if name not in self.types}))
