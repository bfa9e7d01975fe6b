"""What a host's chains carried over a while, as an operation keeps it: before it orders moves, and after."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise
from math import sqrt
from statistics import fmean, pvariance
from typing import NamedTuple

from pydantic import Field
from sextant_domain.base import Frozen, Name, Provenance

SIGMAS = 2.0
"""Standard errors that a difference must exceed to be told from scatter."""
NEARLY_NONE = 0.001
"""Of what it is offered: a chain that drops more carries all that it can."""
LONGEST_SAMPLE_S = 5.0
"""A longer time between two samples is a gap, of which nothing is known."""


class Sample(NamedTuple):
    """One interval of one chain."""

    ts: datetime
    """By its host's clock: the end of the interval."""
    chain: str
    offered_mpps: float
    carried_mpps: float
    """Delivered, and what an NF dropped because its rules say so."""
    drop_mpps: float
    p95_us: float | None = None
    """95th percentile of latency; None where no packet arrived, or the host does not measure it."""


class ChainReading(Frozen):
    """Means of one chain. Figures in Mpps."""

    samples: int = Field(ge=1)
    offered_mpps: float
    carried_mpps: float
    drop_mpps: float
    variance: float
    """Of what it carried, from sample to sample."""
    drop_variance: float
    p95_us: float | None = None
    """Mean of the 95th percentiles of its samples; None where none has one."""


class Reading(Frozen):
    """Of one host."""

    at: datetime
    """Its newest sample, by its own clock."""
    provenance: Provenance | None = None
    chains: dict[Name, ChainReading] = Field(default_factory=dict)


def reading_of(at: datetime, provenance: Provenance | None, samples: Iterable[Sample]) -> Reading:
    """Of all samples that are given."""
    by_chain: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_chain[sample.chain].append(sample)
    chains = {name: _mean(found) for name, found in sorted(by_chain.items())}
    return Reading(at=at, provenance=provenance, chains=chains)


def _mean(found: list[Sample]) -> ChainReading:
    carried = [one.carried_mpps for one in found]
    latencies = [one.p95_us for one in found if one.p95_us is not None]
    return ChainReading(
        samples=len(found),
        offered_mpps=fmean(one.offered_mpps for one in found),
        carried_mpps=fmean(carried),
        drop_mpps=fmean(one.drop_mpps for one in found),
        variance=pvariance(carried),
        drop_variance=pvariance(one.drop_mpps for one in found),
        p95_us=fmean(latencies) if latencies else None,
    )


def dropped(samples: Iterable[Sample], before: ChainReading | None) -> int | None:
    """Packets of one chain lost in these samples beyond what it lost anyway, at their own load, and beyond the scatter
    of that; None where fewer than two say so: the first only says when the second began."""
    found = sorted(samples)
    if len(found) <= 1:
        return None
    packets, seconds = 0.0, 0.0
    for last, one in pairwise(found):
        took = min((one.ts - last.ts).total_seconds(), LONGEST_SAMPLE_S)
        packets += max(0.0, one.drop_mpps - _usual(one, before)) * took * 1e6
        seconds += took
    deviation = 0.0 if before is None else sqrt(before.drop_variance)
    scatter = SIGMAS * deviation * seconds / sqrt(len(found) - 1) * 1e6
    return max(0, round(packets - scatter))


def _usual(sample: Sample, before: ChainReading | None) -> float:
    """Mpps that the chain would have dropped all the same: where it carried all that it could before, what is offered
    beyond that."""
    if before is None:
        return 0.0
    was_full = before.drop_mpps > NEARLY_NONE * before.offered_mpps
    return max(before.drop_mpps, sample.offered_mpps - before.carried_mpps) if was_full else before.drop_mpps
