"""The measurement of one NF on its rig: samples of fresh processes until the interval is narrow."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from sextant_domain.profiling.calibration import Calibration, Counters, CounterSource
from sextant_domain.profiling.profile import ProfileProgress, ProfileRequest, ProfileResult, ProfileSample
from sextant_domain.profiling.samples import half_width_percent, measured

from sextant_agent import __version__
from sextant_agent.contract.errors import CoreBusy
from sextant_agent.control.own_group import OwnGroup
from sextant_agent.drivers.opennetvm.profiling.periods import Period, PeriodFault, figures_of
from sextant_agent.drivers.opennetvm.profiling.rig import ProfilingRig
from sextant_agent.measuring.fingerprint import read_fingerprint
from sextant_agent.measuring.program import ResourcesChanged
from sextant_agent.measuring.results import not_measurable
from sextant_agent.measuring.watch import MeasurementWatch

OWN_SHARE = 0.97
"""Of its core, what a packet thread must have had in a period that counts: as the measuring protocol has it."""
PERIODS, TRIES = 3, 5
"""Of a sample, at least: a second each, between two writings. So many times as many are dropped, at most."""
LEAST_SAMPLES = 3
COUNTERS = Counters(
    source=CounterSource.TSC, reason="OpenNetVM counts packets, and the kernel the CPU time of an NF's packet thread"
)
NOT_CALIBRATED = "distances between cores are not measured for NFs that stand alone"


class _NeverFull(Exception):
    """The NF takes all that comes: this host cannot measure how much more it could take."""


def measure(
    rig: ProfilingRig,
    request: ProfileRequest,
    watch: MeasurementWatch,
    own_share: float,
    root: Path,
    *,
    group: OwnGroup | None = None,
) -> ProfileResult:
    """`watch.cancelled` may raise. `group`: what the NF has for itself of cache and memory. Raises CoreBusy where other
    work is in the way, DriverError, and what a group raises."""
    watch.cancelled()
    _report(watch, request, (), "starting a manager of its own, the NF and the way out")
    rig.start()
    machine = _machine(rig, root)
    samples: list[ProfileSample] = []
    void = 0
    while True:
        try:
            if group is not None:
                group.place(*rig.thread)
            sample = _sample(rig, request, machine.tsc_hz, own_share, watch.cancelled)
            if group is not None:
                group.check()
        except _NeverFull as error:
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
            return measured(request, samples, machine, COUNTERS, "narrow", agent_version=__version__)
        if len(samples) == request.max_samples:
            return measured(request, samples, machine, COUNTERS, "limit", agent_version=__version__)
        watch.cancelled()
        rig.restart()


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
            _give_up(request, dropped, own_share)
    return ProfileSample(
        taken_at=taken_at,
        counter_source=CounterSource.TSC,
        nf=figures_of(kept, tsc_hz),
        clean_slices=len(kept),
        starved_slices=len(dropped[PeriodFault.STARVED]),
        settling_slices=len(dropped[PeriodFault.NOT_FULL]),
    )


def _give_up(request: ProfileRequest, dropped: Mapping[PeriodFault, Sequence[Period]], own_share: float) -> NoReturn:
    """Raises CoreBusy or _NeverFull, whichever was seen more often."""
    nf, starved = request.nf, dropped[PeriodFault.STARVED]
    if len(starved) > len(dropped[PeriodFault.NOT_FULL]):
        share = sum(period.cpu_ns for period in starved) / sum(period.wall_ns for period in starved)
        raise CoreBusy(
            f"other work uses the cores: {nf.nf_type} had {100 * share:.0f} % of core {nf.core}, and"
            f" {100 * own_share:.0f} % are needed; end that work, or give the manager and its way out other CPUs"
        )
    most = max(period.arrived_mpps for period in dropped[PeriodFault.NOT_FULL])
    raise _NeverFull(
        f"its ring did not overflow: it takes the {most:.3g} Mpps that the manager's RX thread brings, and may carry"
        " more; give the manager's threads CPUs of their own (`cpus` in opennetvm.toml)"
    )
