"""Reports between those of every second: NFs have become overloaded, or have recovered, where they share cores; or they
have become saturated within their quota bounds, or are so no more.

Ten looks a second at rings, by the same question as those that divide cores, and at how the law of quota bounds stands
with its NFs; on hosts where every NF has a core of its own and none has bounds nothing is looked at. The sampler's own
counting is not touched: what is said here it says again with its second.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from math import inf

import structlog
from sextant_domain.base import Provenance
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaState
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.early_report import LEAST_GAP_S, EarlyReport, OverloadedNf
from sextant_engine.control.overload_edges import LOOKS, EdgeReport, EdgeState, step

from sextant_agent.contract.driver import Driver, SharesCores, TimesNfs
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.sample import CpuTime, HostSample
from sextant_agent.reporting.core_time import core_busy, core_samples, own_percent
from sextant_agent.reporting.telemetry import rates, read_cpu_times

LOOK_S = 0.1
IDLE_LOOK_S = 1.0
"""While no core holds more than one NF, or nobody can say how full rings are, and none has quota bounds."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Look:
    found: HostSample
    cpus: Mapping[int, CpuTime]


class EarlyReports:
    """Of one host and one thread."""

    def __init__(
        self,
        host_id: str,
        cores: tuple[int, ...],
        driver: Driver,
        deliver: Callable[[EarlyReport], None],
        *,
        restarts: Callable[[], Mapping[str, int]],
        measured: Callable[[], Set[int]] = frozenset,
        bounded: Callable[[], tuple[BoundedNf, ...]] = tuple,
        cpus: Callable[[], Mapping[int, CpuTime]] = read_cpu_times,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """`deliver`: must not wait. `measured`: cores on which an NF type is measured now. `bounded`: how it stands
        with NFs that have quota bounds."""
        self._host_id, self._cores, self._driver = host_id, cores, driver
        self._deliver, self._restarts, self._measured, self._cpus = deliver, restarts, measured, cpus
        self._bounded, self._clock_ns = bounded, clock_ns
        self._looks: deque[_Look] = deque(maxlen=LOOKS)
        self._state = EdgeState()
        self._followed: tuple[HostContent, bool] | None = None
        """An order, and whether it has cores that NFs share."""

    def look(self, content: HostContent) -> float:
        """Report if there is news; seconds until the next look."""
        driver, reported = self._driver, self._state.reported
        try:
            if isinstance(driver, SharesCores) and (self._shared(content) or reported):
                self._look_at_rings(driver)
                return LOOK_S
            bounded = self._bounded()
            if isinstance(driver, TimesNfs) and (bounded or reported):
                self._look_at_bounds(driver, bounded)
                return LOOK_S
        except DataPlaneDown:
            pass
        self._forget()
        return IDLE_LOOK_S

    def _look_at_rings(self, driver: SharesCores) -> None:
        self._count(driver.queues())
        found = self._looks[-1].found
        if len(self._looks) < LOOKS:
            return
        fill = {name: nf.ring_used / nf.ring_size for name, nf in found.nfs.items() if nf.ring_size}
        self._state, report = step(self._state, fill, found.taken_ns, LEAST_GAP_S)
        if report is not None:
            self._report(report)

    def _look_at_bounds(self, driver: TimesNfs, bounded: tuple[BoundedNf, ...]) -> None:
        """Packets are counted only while there may soon be news: that asks every process."""
        saturated = {one.nf_id for one in bounded if one.state is QuotaState.SATURATED}
        if saturated == self._state.reported:
            self._looks.clear()
        else:
            self._count(driver.counted())
        fill = {one.nf_id: float(one.nf_id in saturated) for one in bounded}
        least_gap_s = LEAST_GAP_S if len(self._looks) == LOOKS else inf
        self._state, report = step(self._state, fill, self._clock_ns(), least_gap_s)
        if report is not None:
            self._report(report, bounded)

    def _count(self, found: HostSample) -> None:
        if self._looks and self._looks[-1].found.epoch != found.epoch:
            self._looks.clear()
        self._looks.append(_Look(found, self._cpus()))

    def _report(self, edge: EdgeReport, bounded: tuple[BoundedNf, ...] = ()) -> None:
        before, now = self._looks[0], self._looks[-1]
        log.info(
            "overload edge",
            host_id=self._host_id,
            taken_at=now.found.taken_at.isoformat(),
            stood_s={name: round(seconds, 3) for name, seconds in edge.stood_s.items()},
            well_s={name: round(seconds, 3) for name, seconds in edge.well_s.items()},
        )
        busy = core_busy(before.cpus, now.cpus, self._cores)
        rated = rates(before.found, now.found, self._restarts(), busy)
        own = own_percent(before.found, now.found, rated.nfs)
        self._deliver(
            EarlyReport(
                host_id=self._host_id,
                taken_at=now.found.taken_at,
                interval_s=(now.found.taken_ns - before.found.taken_ns) / 1e9,
                provenance=Provenance.MEASURED,
                nfs=rated.nfs,
                chains=rated.chains,
                cores=core_samples(busy, own, self._measured()),
                overloaded=tuple(OverloadedNf(nf_id=name, stood_s=stood) for name, stood in edge.stood_s.items()),
                bounded_nfs=bounded,
            )
        )

    def _shared(self, content: HostContent) -> bool:
        """Worked out once an order."""
        if self._followed is None or self._followed[0] is not content:
            cores = [nf.core for chain in content.chains if not chain.paused for nf in chain.nfs]
            self._followed = content, len(set(cores)) < len(cores)
        return self._followed[1]

    def _forget(self) -> None:
        """What was seen before says nothing of the time after; what was reported is kept, so that it is taken back."""
        self._looks.clear()
        self._state = EdgeState(
            reported=self._state.reported,
            reported_ns=self._state.reported_ns,
            budget=self._state.budget,
            filled_ns=self._state.filled_ns,
        )
