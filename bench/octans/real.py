"""What this machine can measure with real packets: NFs alone, and NFs that share a core, beside time sharing's figures.

Octans' model is of NFs on cores of their own that share an L3. Where no pair of cores does, nothing of it can be
measured, and the table says so in the calibration's words.
"""

import os
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import inf
from pathlib import Path
from typing import Any

import accuracy
import page
import psutil
from sextant_agent.measuring.calibration import calibrate
from sextant_agent.measuring.fingerprint import read_fingerprint
from sextant_agent.measuring.program import MeasureFailed, MeasureProgram
from sextant_agent.measuring.protocol import profile, why_not_measurable
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.profiling.calibration import Calibration
from sextant_domain.profiling.estimates import estimate
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest, ProfileResult, ProfileTraffic
from sextant_domain.studies.summary import shown
from sextant_engine.planning.time_sharing import ScheduledPart, SharingChain, filled

PROGRAM = Path(__file__).resolve().parents[2] / "dataplane" / "build" / "sextant-measure"
KINDS: Mapping[str, Mapping[str, Any]] = {
    "firewall": {"synthetic_rules": 5000},
    "nat": {},
    "nids": {},
    "router": {"synthetic_routes": 1000},
}
SAMPLES = 5
"""Of a second each, at most."""
WATCHED_S = 3.0
TRIES, BETWEEN_S = 10, 3.0
"""To find two cores that share an L3."""
Tables = Iterator[tuple[str, Iterator[str]]]


def tables() -> Tables:
    """Marked measured; each says why where it cannot be."""
    yield "real", _measured()


def _measured() -> Iterator[str]:
    cores = sorted(os.sched_getaffinity(0))
    if not PROGRAM.exists():
        yield f"Not measured: {PROGRAM.name} is not built (make setup)."
        return
    program = MeasureProgram(PROGRAM)
    try:
        calibration, reason = _calibrated(program, cores)
    except MeasureFailed as error:
        yield f"Not measured: the machine cannot be calibrated: {error}."
        return
    yield _machine(calibration)
    yield ""
    if reason is None:
        yield from accuracy.one_competitor(program, calibration, cores[-1], cores[0], len(cores))
    else:
        yield f"**No test is possible here** of drops, and so of what Octans predicts: {reason} ({TRIES} calibrations)."
    yield ""
    yield from _pairs(program, calibration, cores[-1])


def _calibrated(program: MeasureProgram, cores: Sequence[int]) -> tuple[Calibration, str | None]:
    """And why co-location cannot be measured. The processors of a virtual machine wander: now two of them share an L3,
    now they do not, and each sample is void where they no longer stand as they were calibrated."""
    for attempt in range(TRIES):
        if attempt:
            time.sleep(BETWEEN_S)
        calibration = calibrate(program, cores, read_fingerprint(Path("/")))
        reason = _why_no_colocation(calibration, cores)
        if reason is None or len(cores) < 2:
            break
    return calibration, reason


def _machine(found: Calibration) -> str:
    clocks = ", ".join(f"{clock.hz / 1e9:.2f}" for clock in found.clocks)
    # The load average counts this run's own earlier tables, too.
    others = psutil.cpu_percent(interval=WATCHED_S)
    return (
        f"Measured on {found.fingerprint.cpu_model}, Linux {platform.release()}, cores at {clocks} GHz. In the"
        f" {WATCHED_S:.0f} s before it began other work took {others:.0f} % of the cores; slices in which an NF lacked"
        " its core are dropped."
    )


def _why_no_colocation(calibration: Calibration, cores: Sequence[int]) -> str | None:
    if len(cores) < 2:
        return "it has one core"
    beside = (_nf("nat", cores[0]),)
    return why_not_measurable(
        ProfileRequest(mode=ProfileMode.COLOCATION, nf=_nf("router", cores[-1]), others=beside), calibration
    )


def _pairs(program: MeasureProgram, calibration: Calibration, core: int) -> Iterator[str]:
    """Each NF alone, then each pair on one core. What other work took of the core is taken out: figures are over the
    CPU time that the two got together."""
    alone = {kind: found.nf.mpps for kind in KINDS if (found := _asked(program, calibration, core, kind)) and found.nf}
    yield from page.head("on one core (measured)", "alone, Mpps", "together, Mpps", "time sharing predicts", "off by %")
    off = []
    for pair in combinations(KINDS, 2):
        found = _asked(program, calibration, core, *pair)
        if found is None or found.nf is None or not set(pair) <= alone.keys():
            yield page.line(" and ".join(pair), "-", "not measured", "-", "-")
            continue
        both = (found.nf, *found.others)
        got = sum(each.cpu_percent.value for each in both) / 100
        predicted = _predicted({kind: alone[kind].value for kind in pair})
        for kind, each in zip(pair, both, strict=True):
            together = each.mpps.value / got
            off.append(100 * abs(predicted[kind] / together - 1))
            other = next(name for name in pair if name != kind)
            figures = shown(alone[kind], 2), f"{together:.2f}", f"{predicted[kind]:.2f}", f"{off[-1]:.1f}"
            yield page.line(f"{kind} beside {other}", *figures)
    if off:
        yield page.line("mean", "", "", "", shown(estimate(off)))


def _predicted(ideals: Mapping[str, float]) -> dict[str, float]:
    """Chains of one NF each, on one core with equal weights."""
    return filled([SharingChain(name, inf, (ScheduledPart(0, 0, ideal, 100, 1.0),)) for name, ideal in ideals.items()])


def _asked(
    program: MeasureProgram, calibration: Calibration, core: int, kind: str, other: str | None = None
) -> ProfileResult | None:
    """None where the program cannot."""
    request = ProfileRequest(
        mode=ProfileMode.SOLO if other is None else ProfileMode.SHARED_CORE,
        nf=_nf(kind, core),
        others=() if other is None else (_nf(other, core),),
        half_width_percent=2.0,
        max_samples=SAMPLES,
    )
    try:
        return profile(request, program, calibration, MeasurementWatch())
    except MeasureFailed:
        return None


def _nf(kind: str, core: int) -> ProfiledNf:
    return ProfiledNf(nf_type=kind, core=core, config=dict(KINDS[kind]), traffic=ProfileTraffic())
