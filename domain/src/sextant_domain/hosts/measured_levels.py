"""Levels of an NF type as they were measured on a host model: versions, of which an operator promotes one."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sextant_domain.base import Frozen, Name, Provenance
from sextant_domain.hosts.levels import MAX_WAYS, MOST_LEVELS, NodeKind, TypeLevels

Point = Annotated[
    tuple[Annotated[int, Field(ge=1, le=MAX_WAYS)], Annotated[int, Field(ge=1, le=100)]],
    Field(json_schema_extra={"items": {"type": "integer"}}),  # beside `prefixItems`, for tools that want it of a list
]
"""(cache ways, % of memory bandwidth)."""
MOST_GRID_POINTS = MAX_WAYS * 100
"""Of one kind of node."""


class LevelsState(StrEnum):
    """Life of a version."""

    DRAFT = "draft"
    """Measured; no law goes by it."""
    PROMOTED = "promoted"
    """In use: one of an NF type and host model at a time."""
    RETIRED = "retired"
    """Was in use."""


class RateFront(Frozen):
    """What carries one rate."""

    gbps: float = Field(gt=0, le=1e6)
    points: Annotated[tuple[Point, ...], Field(max_length=MAX_WAYS)]
    """Those that carry it where less of either would not, by rising ways; none: nothing carries it."""


class NodeLevels(Frozen):
    """How the levels of one kind of node were found."""

    kind: NodeKind
    fronts: Annotated[tuple[RateFront, ...], Field(max_length=MOST_LEVELS)]
    """By rising rate."""
    points_measured: int = Field(ge=0, le=MOST_GRID_POINTS)
    """Different combinations of ways and bandwidth."""
    points_of_grid: int = Field(ge=1, le=MOST_GRID_POINTS)
    """All that there are."""


class MeasuredLevels(Frozen):
    """What a job found of an NF type."""

    levels: TypeLevels
    """The cheapest of each front, as shares of all ways and of all bandwidth, then the one with fewest ways."""
    nodes: Annotated[tuple[NodeLevels, ...], Field(max_length=2)]
    noise_percent: float = Field(ge=0, le=50)
    """Relative error of one measurement, as the job was asked to expect."""
    packet_bytes: int = Field(ge=64, le=1518)
    flows: int = Field(ge=1)


class LevelsVersion(Frozen):
    """One version of an NF type's levels on a host model."""

    id: int
    host_model: str
    nf_type: Name
    nf_version: int
    """Of the NF type that was measured."""
    version: int = Field(ge=1)
    """Counted from 1 for each NF type on each host model."""
    state: LevelsState
    measured: MeasuredLevels
    provenance: Provenance
    """`measured`, or `simulated` on the twin."""
    job_id: int
    """The profiling job that measured it."""
    host: Name
    """Where it was measured; it may have left the fleet since."""
    stale: str | None = None
    """Why it describes something else than the NF type is now."""
    table_version: int | None = Field(default=None, ge=1)
    """Of the host model's table, which counts promotions and retirements: from which one on this version was in use, or
    was not any more. None of a draft."""
    created_at: datetime
    created_by: str
    decided_at: datetime | None = None
    """When it was promoted or retired last."""
    decided_by: str | None = None
