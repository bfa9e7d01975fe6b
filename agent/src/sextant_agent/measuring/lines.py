"""What sextant-measure prints (docs/measuring.md), checked like everything that comes from outside."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from sextant_domain.profiling.calibration import Counters

Count = Annotated[int, Field(ge=0)]
Time = Annotated[float, Field(gt=0)]


class _Line(BaseModel):
    """Fields that this agent does not know are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class StartedLine(_Line):
    """The NFs' processes."""

    pids: tuple[Count, ...] = Field(max_length=64)


class ClockLine(_Line):
    """One core's clock; `hz` in calibrations only."""

    core: Count
    imul_ns: Time
    hz: float = Field(default=0, ge=0)


class PairLine(_Line):
    """One hand-over of a cache line."""

    cores: tuple[Count, Count]
    ns: Time


class ChaseLine(_Line):
    """One load of a buffer that large."""

    bytes: int = Field(gt=0)
    ns: Time


class GateLine(_Line):
    """Taken just before and just after the slices."""

    when: str
    clocks: tuple[ClockLine, ...] = Field(max_length=64)
    pairs: tuple[PairLine, ...] = Field(max_length=64)


class SampleLine(_Line):
    """One phase of one NF."""

    phase: Count
    nf: Count
    against: str
    settling: Count
    starved: Count
    packets: Count
    wall_ns: Count
    cpu_ns: Count
    counts: dict[str, float] = Field(default_factory=dict, max_length=16)
    slices: tuple[tuple[Count, Count, Annotated[int, Field(gt=0)]], ...] = Field(max_length=65536)
    """Clean ones: packets, ticks inside the NF, ns. Only of a competitor with a rate may some be without packets."""


class SummaryLine(_Line):
    """The last one."""

    mode: str
    version: str = Field(max_length=64)
    tsc_hz: float = Field(default=0, ge=0)
    nf_types: tuple[str, ...] = Field(default=(), max_length=256)
    cores: tuple[Count, ...] = ()
    counters: Counters


class ErrorLine(_Line):
    """The last one of a refused request."""

    code: str
    field: str
    message: str


class ProgramLine(_Line):
    """One line: exactly one of these."""

    started: StartedLine | None = None
    gate: GateLine | None = None
    sample: SampleLine | None = None
    clock: ClockLine | None = None
    pair: PairLine | None = None
    chase: ChaseLine | None = None
    summary: SummaryLine | None = None
    error: ErrorLine | None = None
