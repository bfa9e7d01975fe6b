"""Measurements on the tests' agent: its contract's rules (docs/contracts/agent.md), with figures that are made up and
ends that a test decides."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime

from sextant_domain.base import Provenance
from sextant_domain.hosts.artefact import digests_of_request
from sextant_domain.profiling.calibration import CounterSource
from sextant_domain.profiling.job import ProfileOrder, ProfileRun, ProfileRunState
from sextant_domain.profiling.profile import (
    Estimate,
    NfEstimates,
    NfFigures,
    ProfileProgress,
    ProfileRequest,
    ProfileResult,
    ProfileSample,
)


class Measurements:
    """One at a time; each ends at once, unless `hold` keeps it running until it is cleared."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.runs: dict[str, ProfileRun] = {}
        self.requests: dict[str, ProfileRequest] = {}
        self.begun: list[str] = []
        """Keys in the order in which they were measured; one twice would be measured twice."""
        self.cancelled: list[str] = []
        self.hold = False
        self.deaf = False
        """It goes on although it is asked to stop."""
        self.fails: list[ProfileRun] = []
        """How the next ones end instead."""
        self.busy: str | None = None
        """Why nothing is begun."""
        self.not_measurable: str | None = None
        self.notes: tuple[str, ...] = ()
        """Of those that are measured."""
        self.carries: Callable[[ProfileRequest], float] | None = None
        """Mpps of an NF alone; 10 where nothing is said."""
        self.takes: Callable[[ProfileRequest], float] = lambda _: 100.0
        """Percent of its core."""
        self.delays: Callable[[ProfileRequest], float] = lambda _: 5.0
        """Microseconds of a hop."""
        self.files: set[str] = set()

    def restart(self) -> None:
        """The agent is started anew: what ran is gone, and so is the memory of it."""
        with self.lock:
            self.runs.clear()

    def order(self, order: ProfileOrder, files: set[str]) -> ProfileRun | str:
        """The run, or the kind of the refusal."""
        with self.lock:
            if order.key in self.runs:
                return self.runs[order.key]
            if self.busy is not None or self._running():
                return "profile-busy"
            if digests_of_request(order.request) - files:
                return "artefact-missing"
            self.begun.append(order.key)
            self.requests[order.key] = order.request
            progress = ProfileProgress(stage="measuring", samples=1, limit=order.request.max_samples)
            self.runs[order.key] = ProfileRun(key=order.key, state=ProfileRunState.RUNNING, progress=progress)
            self._end(order.key)
            return self.runs[order.key]

    def get(self, key: str) -> ProfileRun | str:
        with self.lock:
            if key not in self.runs:
                return "no-such-profile"
            self._end(key)
            return self.runs[key]

    def cancel(self, key: str) -> ProfileRun | str:
        with self.lock:
            self.cancelled.append(key)
            if not self.deaf and self.runs[key].state is ProfileRunState.RUNNING:
                self.runs[key] = ProfileRun(key=key, state=ProfileRunState.CANCELLED)
            return self.runs[key]

    def _running(self) -> bool:
        return any(run.state is ProfileRunState.RUNNING for run in self.runs.values())

    def _end(self, key: str) -> None:
        if self.hold or self.runs[key].state is not ProfileRunState.RUNNING:
            return
        if self.fails:
            self.runs[key] = self.fails.pop(0).model_copy(update={"key": key})
            return
        request = self.requests[key]
        alone = 10.0 if self.carries is None else self.carries(request)
        result = a_result(request, self.not_measurable, alone, self.takes(request))
        if request.hop is not None and result.nf is not None:
            handed_on = result.nf.model_copy(update={"delay_us": _estimate(self.delays(request))})
            result = result.model_copy(update={"nf": handed_on})
        result = result.model_copy(update={"notes": self.notes})
        self.runs[key] = ProfileRun(key=key, state=ProfileRunState.DONE, result=result)


def a_failure(reason: str, *, kind: str = "failed", permanent: bool = False) -> ProfileRun:
    """How a measurement may end."""
    return ProfileRun(key="-", state=ProfileRunState.FAILED, reason=reason, kind=kind, permanent=permanent)


def a_result(
    request: ProfileRequest, not_measurable: str | None = None, alone: float = 10.0, percent: float = 100.0
) -> ProfileResult:
    """`alone`: Mpps; each competitor takes 5 %. `percent`: of its core that it takes."""
    if not_measurable is not None:
        return ProfileResult(
            request=request, provenance=Provenance.MEASURED, ended="not-measurable", not_measurable=not_measurable
        )
    drop = 5.0 * len(request.others)
    beside = _estimates(alone * (1 - drop / 100)) if request.others else None
    sample = ProfileSample(
        taken_at=datetime(2026, 1, 2, tzinfo=UTC),
        counter_source=CounterSource.TSC,
        nf=NfFigures(mpps=alone, cycles_per_packet=200.0, cpu_percent=100.0),
        clean_slices=900,
        starved_slices=0,
        settling_slices=0,
    )
    return ProfileResult(
        request=request,
        provenance=Provenance.MEASURED,
        ended="narrow",
        nf=_estimates(alone, percent),
        beside=beside,
        throughput_drop_percent=_estimate(drop) if request.others else None,
        samples=(sample,) * 3,
    )


def _estimates(mpps: float, percent: float = 100.0) -> NfEstimates:
    return NfEstimates(mpps=_estimate(mpps), cycles_per_packet=_estimate(2000 / mpps), cpu_percent=_estimate(percent))


def _estimate(value: float) -> Estimate:
    return Estimate(value=value, standard_error=0.1, half_width=0.2, count=3)
