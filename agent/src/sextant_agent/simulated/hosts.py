"""One simulated host as this process keeps it: its service, its telemetry, and when it has to be reconciled."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import structlog
from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import Health
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.telemetry import TelemetryBatch

from sextant_agent.api.service import HostService
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.sample import HostSample
from sextant_agent.drivers.twin.driver import TwinDriver
from sextant_agent.reporting.sampling import Sampling

WORKERS = 32
"""Most hosts that are reconciled at once: each waits for its simulated NFs to start, so that few threads suffice."""

log = structlog.get_logger()


class Workers:
    """Reconciles hosts, each in one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(WORKERS, thread_name_prefix="reconciler")
        self._busy: set[str] = set()
        self._again: set[str] = set()
        self._stopping = threading.Event()

    def submit(self, host: "HostedService") -> None:
        """Reconcile it soon; where that is under way, once more afterwards."""
        with self._lock:
            if self._stopping.is_set():
                return
            if host.host_id in self._busy:
                self._again.add(host.host_id)
                return
            self._busy.add(host.host_id)
            self._threads.submit(self._run, host)

    def stop(self) -> None:
        """End after what is under way."""
        with self._lock:
            self._stopping.set()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _run(self, host: "HostedService") -> None:
        try:
            host.reconciliation.converge(self._stopping.is_set)
        except Exception:
            log.exception("reconciler error", host_id=host.host_id, next_step="it goes on at the next change")
        with self._lock:
            self._busy.discard(host.host_id)
            again = host.host_id in self._again
            self._again.discard(host.host_id)
        if again:
            self.submit(host)


class HostedService(HostService):
    """One host among many."""

    def __init__(
        self, state_dir: Path, driver: TwinDriver, workers: Workers, reporting_trouble: Callable[[str], str | None]
    ) -> None:
        """`reporting_trouble`: why nothing of a host is delivered; None while all goes well."""
        self.host_id = driver.host_id
        super().__init__(self.host_id, state_dir, driver)
        self.driver = driver
        self._workers = workers
        self._reporting_trouble = reporting_trouble
        cores = tuple(core.id for core in driver.inventory().host.cores)
        self._sampling = Sampling(self.host_id, cores, Provenance.SIMULATED)
        self._reconciled = -1

    def wake(self) -> None:
        """Into the workers' queue."""
        self._workers.submit(self)

    def health(self) -> Health:
        """Ready means: an order would be taken and carried out."""
        return self._health(light=[self._reporting_trouble(self.host_id)])

    def reported(self) -> HostInventory | None:
        """Its inventory, to be reported to the fleet listener; None while it has no power."""
        return None if self.driver.is_down else self.inventory()

    def second(self, now: float) -> TelemetryBatch | None:
        """A second has passed (monotonic, in seconds): look, and reconcile if something changed. None where the host
        has no power, and so is silent, or where we made a mistake, which must not silence the others."""
        try:
            return self._second(self.driver.sample(), now)
        except DataPlaneDown:
            return None
        except Exception:
            log.exception("telemetry error", host_id=self.host_id, next_step="it goes on with the next second")
            return None

    def _second(self, found: HostSample, now: float) -> TelemetryBatch:
        given = False
        try:  # before all else
            given = self.run_laws(found, lambda: self._sampling.chain_rates(found))
        finally:
            self._offer(found, now, anew=given)
        batch = self._sampling.batch(found, self.reconciliation.progress(), self.reconciliation.restarts())
        batch = self.with_laws(batch)
        self.laws.save()
        return batch

    def _offer(self, found: HostSample, now: float, *, anew: bool) -> None:
        """Reconcile if something changed. `anew`: laws gave something."""
        self.reconciliation.offer(found)
        wake_at, revision = self.reconciliation.wake_at, self.driver.revision
        if anew or revision != self._reconciled or (wake_at is not None and wake_at <= now):
            self._reconciled = revision
            self.wake()
