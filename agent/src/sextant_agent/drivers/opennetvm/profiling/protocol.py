"""The measurement of one NF on its rig: samples of fresh processes until the interval is narrow."""

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Literal

from sextant_domain.profiling.calibration import Calibration, Counters, CounterSource
from sextant_domain.profiling.profile import ProfileProgress, ProfileRequest, ProfileResult, ProfileSample
from sextant_domain.profiling.samples import half_width_percent, measured

from sextant_agent import __version__
from sextant_agent.contract.errors import CoreBusy
from sextant_agent.control.own_group import OwnGroup
from sextant_agent.drivers.opennetvm.profiling.beside import sample_beside
from sextant_agent.drivers.opennetvm.profiling.competitors import Competitors
from sextant_agent.drivers.opennetvm.profiling.giving_up import TRIES, NeverFull, give_up
from sextant_agent.drivers.opennetvm.profiling.periods import Period, PeriodFault, figures_of
from sextant_agent.drivers.opennetvm.profiling.rig import ProfilingRig
from sextant_agent.measuring.fingerprint import read_fingerprint
from sextant_agent.measuring.program import ResourcesChanged
from sextant_agent.measuring.results import not_measurable
from sextant_agent.measuring.watch import MeasurementWatch

OWN_SHARE = 0.97
"""Of its core, what a packet thread must have had in a period that counts: as the measuring protocol has it."""
PERIODS = 3
"""Of a sample, at least: a second each, between two writings."""
LEAST_SAMPLES = 3
COUNTERS = Counters(
    source=CounterSource.TSC, reason="OpenNetVM counts packets, and the kernel the CPU time of an NF's packet thread"
)
NOT_CALIBRATED = "distances between cores are not measured for NFs of OpenNetVM"


def measure(
    rig: ProfilingRig,
    request: ProfileRequest,
    watch: MeasurementWatch,
    own_share: float,
    root: Path,
    *,
    group: OwnGroup | None = None,
    others: Competitors | None = None,
) -> ProfileResult:
    """`watch.cancelled` may raise. `group`: what the NF has for itself of cache and memory. `others`: NFs beside it.
    Raises CoreBusy where other work is in the way, DriverError, and what a group raises."""
    watch.cancelled()
    _report(watch, request, (), "starting a manager of its own, the NF and the way out")
    rig.start()
    machine = _machine(rig, root)
    if others is not None:
        _report(watch, request, (), "starting competitors, each with a manager of its own")
        others.start()
    samples: list[ProfileSample] = []
    notes: dict[str, None] = {}
    void = 0

    def result(ended: Literal["narrow", "limit"]) -> ProfileResult:
        found = measured(request, samples, machine, COUNTERS, ended, agent_version=__version__)
        return found.model_copy(update={"notes": tuple(notes)})

    while True:
        try:
            if group is not None:
                group.place(*rig.thread)
            if others is None:
                sample = _sample(rig, request, machine.tsc_hz, own_share, watch.cancelled)
            else:
                sample, said = sample_beside(rig, others, request, machine.tsc_hz, watch.cancelled)
                notes.update(dict.fromkeys(said))
            if group is not None:
                group.check()
        except NeverFull as error:
            return not_measurable(request, str(error), machine, samples, 0)
        except ResourcesChanged as error:
            void += 1
            if void == TRIES:
                raise CoreBusy(f"{TRIES} tries for one sample were void, the last because {error}") from error
            rig.restart()
            continue
        samples.append(sample.model_copy(update={"void_tries": void}))
        void = 0
        width = half_width_percent(request, samples)
        _report(watch, request, samples, f"half width {width:.2g} %" if math.isfinite(width) else "")
        if len(samples) >= LEAST_SAMPLES and width <= request.half_width_percent:
            return result("narrow")
        if len(samples) == request.max_samples:
            return result("limit")
        watch.cancelled()
        rig.restart()
        if others is not None:
            others.restart()


def _report(watch: MeasurementWatch, request: ProfileRequest, samples: Sequence[ProfileSample], note: str) -> None:
    limit = request.max_samples
    watch.progress(ProfileProgress(stage="measuring", samples=len(samples), limit=limit, note=note))


def _machine(rig: ProfilingRig, root: Path) -> Calibration:
    return Calibration(
        fingerprint=read_fingerprint(root), taken_at=datetime.now(UTC), version=rig.program, tsc_hz=rig.tsc_hz,
        clocks=(), pairs=(), threshold_ns=None, threshold_reason=NOT_CALIBRATED, caches=(), memory_ns=None,
        counters=COUNTERS,
    )  # fmt: skip


def _sample(
    rig: ProfilingRig, request: ProfileRequest, tsc_hz: float, own_share: float, check: Callable[[], object]
) -> ProfileSample:
    """Of the processes that run now."""
    wanted, taken_at = max(PERIODS, math.ceil(request.seconds)), datetime.now(UTC)
    kept: list[Period] = []
    dropped: dict[PeriodFault, list[Period]] = {fault: [] for fault in PeriodFault}
    periods = pairwise(rig.writings(check))
    if request.has_resources:
        next(periods)  # it may have begun before the NF was given them, and what it held of the cache goes meanwhile
    for then, now in periods:
        period = Period(then, now)
        fault = period.fault(own_share)
        (kept if fault is None else dropped[fault]).append(period)
        if len(kept) == wanted:
            break
        if sum(map(len, dropped.values())) > TRIES * wanted:
            give_up(request.nf, dropped, own_share)
    return ProfileSample(
        taken_at=taken_at,
        counter_source=CounterSource.TSC,
        nf=figures_of(kept, tsc_hz),
        clean_slices=len(kept),
        starved_slices=len(dropped[PeriodFault.STARVED]),
        settling_slices=len(dropped[PeriodFault.NOT_FULL]),
    )
