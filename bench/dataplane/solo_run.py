"""One run of sextant-measure, one NF alone: its figures, repeated while other work has the core."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from setting import MATCH, NotMeasured, Setting
from sextant_agent.measuring.program import MeasureDisturbed, MeasureFailed
from sextant_agent.measuring.reading import LEAST_SLICES
from sextant_agent.measuring.statistics import Slice, median_cycles, median_mpps

TRIES = 5

IMIX = {"sizes": {"kind": "imix"}}


@dataclass(frozen=True)
class Figures:
    """Medians over clean slices."""

    mpps: float
    """Frames written included."""
    cycles: float
    """Inside the NF, a packet."""
    writing_ns: float
    """The rest: writing the frame, a packet. The same work whatever the NF's tables are and wherever they lie."""


def run_solo(
    setting: Setting,
    kind: str,
    config: dict[str, Any],
    *,
    seconds: float,
    work: str = "nf",
    flows: int = 1000,
    more: dict[str, Any] | None = None,
) -> Figures:
    """`more`: of the source. Raises NotMeasured."""
    source = {"packet_bytes": 64, "flows": flows, "match": MATCH, **(more or {})}
    nf = {"type": kind, "config": config, "core": setting.nf_core, "source": source}
    request = {"mode": "solo", "nf": nf, "seconds": seconds, "work": work}
    reason = ""
    for _ in range(TRIES):
        try:
            lines = setting.program.run(request)
        except MeasureDisturbed as error:
            reason = str(error)
            continue
        except MeasureFailed as error:
            raise NotMeasured(str(error)) from error
        slices = [Slice(*each) for line in lines if line.sample is not None for each in line.sample.slices]
        if len(slices) >= LEAST_SLICES:
            return _figures(slices, next(line.summary.tsc_hz for line in lines if line.summary is not None))
        reason = f"only {len(slices)} milliseconds in which other work left it the core"
    raise NotMeasured(f"{TRIES} tries, the last: {reason}")


def _figures(slices: Sequence[Slice], tsc_hz: float) -> Figures:
    writing = median((each.wall_ns - each.nf_cycles * 1e9 / tsc_hz) / each.packets for each in slices)
    return Figures(median_mpps(slices), median_cycles(slices), writing)
