"""What a machine really is, as measured: which cores share a cache, how large caches are, how fast cores run."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from sextant_domain.base import Frozen


class CounterSource(StrEnum):
    """Where the counts of a sample come from."""

    PERF = "perf"
    """Hardware counters, by perf_event_open."""
    TSC = "tsc"
    """The time-stamp counter alone: the machine shows no hardware counters, or does not allow them."""


class Counters(Frozen):
    """What can be counted on a machine."""

    source: CounterSource
    events: tuple[str, ...] = Field(default=(), max_length=16)
    """instructions, cycles, llc-misses, stalled-cycles: those there are."""
    reason: str = Field(default="", max_length=400)
    """Why some are missing."""


class MachineFingerprint(Frozen):
    """Equal fingerprints: the same machine since the same start. A calibration holds for one fingerprint."""

    cpu_model: str
    microcode: str
    hypervisor: str
    """Empty on bare metal."""
    boot_id: str
    """Changes with every start of the kernel: a virtual machine may stand on other hardware then."""


class CorePair(Frozen):
    """The distance between two cores."""

    first: int = Field(ge=0)
    second: int = Field(ge=0)
    ns: float = Field(gt=0)
    """One hand-over of a cache line."""
    shares_llc: bool | None
    """None where it cannot be determined."""


class CacheLevel(Frozen):
    """One level of the hierarchy, seen from one core."""

    level: int = Field(ge=1, le=4)
    size_bytes: int = Field(gt=0)
    """Up to here loads keep this level's latency."""
    load_ns: float = Field(gt=0)


class LoadLatency(Frozen):
    """One step of the sweep that `caches` are read from."""

    size_bytes: int = Field(gt=0)
    ns: float = Field(gt=0)


class CoreClock(Frozen):
    """How fast a core runs."""

    core: int = Field(ge=0)
    imul_ns: float = Field(gt=0)
    """One dependent multiplication: the clock's yardstick."""
    hz: float = Field(ge=0)
    """0 where the latency of a multiplication is not known (no x86-64)."""


class Calibration(Frozen):
    """Measured before any NF is, stored, and compared with before and after every sample."""

    fingerprint: MachineFingerprint
    taken_at: datetime
    version: str
    """Of sextant-measure."""
    tsc_hz: float = Field(gt=0)
    clocks: tuple[CoreClock, ...]
    pairs: tuple[CorePair, ...]
    threshold_ns: float | None
    """Pairs below it share a last-level cache; None where it cannot be determined."""
    threshold_reason: str
    """How the threshold was found, or why it was not."""
    caches: tuple[CacheLevel, ...]
    memory_ns: float | None
    """A load from memory; None where the sweep did not reach beyond the caches."""
    sweep: tuple[LoadLatency, ...] = Field(default=(), max_length=128)
    counters: Counters

    @property
    def cores(self) -> frozenset[int]:
        """Those it speaks of."""
        return frozenset(clock.core for clock in self.clocks)

    def pair(self, first: int, second: int) -> CorePair | None:
        """In any order; None where the two were not measured."""
        wanted = {first, second}
        return next((pair for pair in self.pairs if {pair.first, pair.second} == wanted), None)
