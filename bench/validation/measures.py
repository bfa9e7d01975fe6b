"""How the twin is asked for each kind of row."""

from collections.abc import Callable

import dma
import memory
import placements
import resq
from rows import PublishedSeries
from sextant_twin.world import TwinWorld

MEASURES: dict[str, Callable[[PublishedSeries, TwinWorld], list[float]]] = {
    "idle_latency": memory.idle_latency,
    "loaded_latency": memory.loaded_latency,
    "access_speed": memory.access_speed,
    "bandwidth": memory.bandwidth,
    "remote_over_local": memory.remote_over_local,
    "dma_hit": dma.dma_hit,
    "ways_alone": resq.ways_alone,
    "competitors": resq.competitors,
    "isolated": resq.isolated,
    "memory_hog": resq.memory_hog,
    "chain_drop": placements.chain_drop,
    "neighbour": placements.neighbour,
    "worst_placement": placements.worst_placement,
}


def measured(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """The twin's figures at the row's points, in the row's unit."""
    return MEASURES[row.measure](row, world)
