"""The measuring protocol: gates around every sample, void ones repeated, samples until the interval is narrow."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol

from sextant_domain.profiling.calibration import Calibration, Counters
from sextant_domain.profiling.profile import ProfileMode, ProfileProgress, ProfileRequest, ProfileResult, ProfileSample
from sextant_domain.profiling.samples import half_width_percent, measured

from sextant_agent import __version__
from sextant_agent.measuring import gates, results
from sextant_agent.measuring.lines import ProgramLine
from sextant_agent.measuring.program import (
    CoresInUse,
    MeasureDisturbed,
    MeasureFailed,
    MeasureProgram,
    ResourcesChanged,
)
from sextant_agent.measuring.reading import TooBusy, read_sample
from sextant_agent.measuring.requests import program_request
from sextant_agent.measuring.watch import MeasurementWatch

MAX_TRIES = 5
"""Runs for one sample. If all are void the host is not as it was calibrated, or other work uses the cores, which is no
result: whoever asked waits, and asks again."""
LEAST_SAMPLES = {ProfileMode.SOLO: 3, ProfileMode.SHARED_CORE: 3, ProfileMode.COLOCATION: 2}
"""Fresh processes lay their tables out again each time, which shows only between samples. A sample of co-location
holds several ABBA blocks."""


Nodes = Mapping[int, int]
"""NUMA node by core."""
ONE_NODE: Nodes = {}


class Companion(Protocol):
    """Goes along with each run."""

    def place(self, pid: int) -> None:
        """The NF's process, while that warms up. What it raises ends the run: MeasureDisturbed makes it void, all else
        ends the measurement."""

    def check(self) -> None:
        """After the run. Likewise."""


class _Nobody:
    def place(self, pid: int) -> None:
        pass

    def check(self) -> None:
        pass


NOBODY: Companion = _Nobody()


class _AllVoid(Exception):
    """Gates did not hold in any try for a sample: the last one's reason."""


def profile(
    request: ProfileRequest,
    program: MeasureProgram,
    calibration: Calibration,
    watch: MeasurementWatch,
    check_cores: Callable[[], None] = lambda: None,
    *,
    nodes: Nodes = ONE_NODE,
    along: Companion = NOBODY,
) -> ProfileResult:
    """Measures one point. `check_cores` raises where a core is not free; asked before every run and after it. `nodes`:
    of the machine's cores. `along`: who goes along with each run.

    Raises MeasureFailed (CoresInUse where other work is in the way), Cancelled, and what `check_cores` raises.
    """
    reason = why_not_measurable(request, calibration, nodes)
    if reason is not None:
        return results.not_measurable(request, reason, calibration, (), 0)
    samples: list[ProfileSample] = []
    counters = calibration.counters
    watch.progress(ProfileProgress(stage="measuring", limit=request.max_samples))
    while len(samples) < request.max_samples:
        try:
            sample, counters = _sample(request, program, calibration, watch, check_cores, along=along)
        except _AllVoid as error:
            void = MAX_TRIES + sum(sample.void_tries for sample in samples)
            return results.not_measurable(request, str(error), calibration, samples, void)
        samples.append(sample)
        width = half_width_percent(request, samples)
        note = f"half width {width:.2g} %" if width != float("inf") else ""
        watch.progress(ProfileProgress(stage="measuring", samples=len(samples), limit=request.max_samples, note=note))
        if len(samples) >= LEAST_SAMPLES[request.mode] and width <= request.half_width_percent:
            return measured(request, samples, calibration, counters, "narrow", agent_version=__version__)
    return measured(request, samples, calibration, counters, "limit", agent_version=__version__)


def why_not_measurable(request: ProfileRequest, calibration: Calibration, nodes: Nodes = ONE_NODE) -> str | None:
    """What the host lacks for this point; None where it can be tried. A competitor on another NUMA node shares memory
    and the link with the NF, and no L3."""
    if request.mode is not ProfileMode.COLOCATION:
        return None
    shared = [pair for pair in calibration.pairs if pair.shares_llc]
    for other in request.others:
        if nodes.get(other.core, 0) != nodes.get(request.nf.core, 0):
            continue
        pair = calibration.pair(request.nf.core, other.core)
        if pair is not None and pair.shares_llc:
            continue
        if not shared and any(each.shares_llc is None for each in calibration.pairs):
            return f"co-location: it is not known which cores share an L3 ({calibration.threshold_reason})"
        if not shared:
            return f"co-location: no pair of offered cores shares an L3 ({calibration.threshold_reason})"
        apart = "an unknown time" if pair is None else f"{pair.ns:.0f} ns"
        which = ", ".join(f"{each.first}-{each.second}" for each in shared[:8])
        return (
            f"co-location: cores {request.nf.core} and {other.core} are {apart} apart and share no L3; "
            f"pairs that do: {which}"
        )
    return None


def _sample(
    request: ProfileRequest,
    program: MeasureProgram,
    calibration: Calibration,
    watch: MeasurementWatch,
    check_cores: Callable[[], None],
    *,
    along: Companion,
) -> tuple[ProfileSample, Counters]:
    def heard(line: ProgramLine) -> None:
        if line.started is not None and line.started.pids:
            along.place(line.started.pids[0])

    reason, in_use = "", False
    for void in range(MAX_TRIES):
        check_cores()
        taken_at = datetime.now(UTC)
        try:
            lines = program.run(program_request(request), watch.cancelled, heard)
            check_cores()
            along.check()
            counters = _counters(lines)
            found = gates.fault([line.gate for line in lines if line.gate is not None], calibration)
            if found is None:
                return read_sample(lines, request, counters, taken_at, void), counters
            reason, in_use = f"{found}; calibrate again", False
        except ResourcesChanged as error:
            in_use, reason = True, str(error)
        except (TooBusy, MeasureDisturbed) as error:
            in_use = True
            reason = f"other work uses the cores: {error}; give it other cores, or wait until it has ended"
        watch.progress(ProfileProgress(stage="measuring", limit=request.max_samples, note=f"sample void: {reason}"))
    reported = f"{MAX_TRIES} tries for one sample were void, the last because {reason}"
    raise CoresInUse(reported) if in_use else _AllVoid(reported)


def _counters(lines: Sequence[ProgramLine]) -> Counters:
    summary = lines[-1].summary
    if summary is None:
        raise MeasureFailed("sextant-measure ended without a summary")
    return summary.counters
