"""The once-a-second thread: looks at the data plane, works out rates, hands the batch on. Also the heartbeat."""

import secrets
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

import structlog
from sextant_domain.base import Provenance
from sextant_domain.telemetry import TelemetryBatch

from sextant_agent.driver import DataPlaneDown, Driver, HostSample
from sextant_agent.loop import ReconcilerLoop
from sextant_agent.telemetry import Rates, core_samples, rates, read_cpu_times

PERIOD_S = 1.0

log = structlog.get_logger()


class Sampler:
    """Runs in a thread of its own between `start` and `stop`. `epoch` is new with every agent."""

    def __init__(
        self,
        host_id: str,
        driver: Driver,
        loop: ReconcilerLoop,
        *,
        cores: tuple[int, ...],
        deliver: Callable[[TelemetryBatch], None] | None,
    ) -> None:
        self._host_id = host_id
        self._driver = driver
        self._loop = loop
        self._cores = cores
        self._deliver = deliver
        self._epoch = secrets.token_hex(8)
        self._sequence = 0
        self._before: HostSample | None = None
        self._cpu_before = read_cpu_times()
        self._last = time.monotonic()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)

    def start(self) -> None:
        """Take a batch every second."""
        self._thread.start()

    def stop(self) -> None:
        """End after the batch in work."""
        self._stopping.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        due = time.monotonic() + PERIOD_S
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            try:
                batch = self.take()
                if self._deliver:
                    self._deliver(batch)
            except Exception:
                log.exception("telemetry error", next_step="it goes on with the next interval")
            due = max(due + PERIOD_S, time.monotonic())  # what was missed is not made up for

    def take(self) -> TelemetryBatch:
        """One batch. A host whose data plane is down still reports its cores: silence would mean a dead agent."""
        found, measured = self._look()
        cpu, moment = read_cpu_times(), time.monotonic()
        state = self._loop.actual()
        batch = TelemetryBatch(
            host_id=self._host_id,
            epoch=self._epoch,
            sequence=self._sequence,
            taken_at=found.taken_at if found else datetime.now(UTC),
            interval_s=max(1e-6, moment - self._last),
            provenance=Provenance.MEASURED,
            applied_generation=state.applied_generation,
            phase=state.phase.value,
            nfs=measured.nfs,
            chains=measured.chains,
            cores=core_samples(self._cpu_before, cpu, self._cores),
        )
        self._sequence, self._cpu_before, self._last = self._sequence + 1, cpu, moment
        return batch

    def _look(self) -> tuple[HostSample | None, Rates]:
        try:
            found = self._driver.sample()
        except DataPlaneDown:
            self._before = None
            self._loop.wake()
            return None, Rates()
        self._loop.offer(found)
        measured = rates(self._before, found, self._loop.restarts()) if self._before else Rates()
        self._before = found
        return found, measured
