"""Reports between those of every second: NFs have become overloaded, or have recovered, where they share cores.

Ten looks a second at rings, by the same question as those that divide cores; on hosts where every NF has a core of its
own nothing is looked at. The sampler's own counting is not touched: what is said here it says again with its second.
"""

from collections import deque
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass

import structlog
from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.early_report import LEAST_GAP_S, EarlyReport, OverloadedNf
from sextant_engine.control.overload_edges import LOOKS, EdgeReport, EdgeState, step

from sextant_agent.contract.driver import Driver, SharesCores
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.sample import CpuTime, HostSample
from sextant_agent.reporting.core_time import core_busy, core_samples, own_percent
from sextant_agent.reporting.telemetry import rates, read_cpu_times

LOOK_S = 0.1
IDLE_LOOK_S = 1.0
"""While no core holds more than one NF, or nobody can say how full rings are."""

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
        cpus: Callable[[], Mapping[int, CpuTime]] = read_cpu_times,
    ) -> None:
        """`deliver`: must not wait. `measured`: cores on which an NF type is measured now."""
        self._host_id, self._cores, self._driver = host_id, cores, driver
        self._deliver, self._restarts, self._measured, self._cpus = deliver, restarts, measured, cpus
        self._looks: deque[_Look] = deque(maxlen=LOOKS)
        self._state = EdgeState()
        self._followed: tuple[HostContent, bool] | None = None
        """An order, and whether it has cores that NFs share."""

    def look(self, content: HostContent) -> float:
        """Report if there is news; seconds until the next look."""
        driver = self._driver
        if not isinstance(driver, SharesCores) or not (self._shared(content) or self._state.reported):
            self._forget()
            return IDLE_LOOK_S
        try:
            now = _Look(driver.queues(), self._cpus())
        except DataPlaneDown:
            self._forget()
            return IDLE_LOOK_S
        if self._looks and self._looks[-1].found.epoch != now.found.epoch:
            self._looks.clear()
        self._looks.append(now)
        if len(self._looks) < LOOKS:
            return LOOK_S
        fill = {name: nf.ring_used / nf.ring_size for name, nf in now.found.nfs.items() if nf.ring_size}
        self._state, report = step(self._state, fill, now.found.taken_ns, LEAST_GAP_S)
        if report is not None:
            self._report(report)
        return LOOK_S

    def _report(self, edge: EdgeReport) -> None:
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
