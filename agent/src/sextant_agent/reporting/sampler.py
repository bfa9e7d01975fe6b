"""The once-a-second thread: looks at the data plane, works out rates, hands the batch on."""

from collections.abc import Callable, Mapping, Set
from typing import Protocol

import structlog
from sextant_domain.hosts.telemetry import TelemetryBatch

from sextant_agent.contract.driver import Driver
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.rates import ChainRates
from sextant_agent.contract.sample import HostSample
from sextant_agent.control.loop import ReconcilerLoop
from sextant_agent.control.reconciliation import Reconciliation
from sextant_agent.kit import metrics
from sextant_agent.kit.beat import Beat
from sextant_agent.reporting.sampling import Sampling

PERIOD_S = 1.0


class HostWithLaws(Protocol):
    """What the thread asks of a host's laws."""

    def run_laws(self, found: HostSample, rates: Callable[[], Mapping[str, ChainRates]]) -> bool:
        """Let them act on a sample."""

    def with_laws(self, batch: TelemetryBatch) -> TelemetryBatch:
        """What was measured with what they did about it."""

    def save_laws(self) -> None:
        """Keep what they gave."""


log = structlog.get_logger()


class Sampler:
    """Runs in a thread of its own between `start` and `stop`."""

    def __init__(
        self,
        driver: Driver,
        host: Reconciliation,
        loop: ReconcilerLoop,
        sampling: Sampling,
        deliver: Callable[[TelemetryBatch], None] | None,
        *,
        laws: HostWithLaws,
        measured: Callable[[], Set[int]],
    ) -> None:
        """`measured`: cores on which NF types are measured now."""
        self._driver = driver
        self._host = host
        self._loop = loop
        self._deliver = deliver
        self._sampling = sampling
        self._measured = measured
        self._laws = laws
        self._beat = Beat("sampler", self._turn, first_s=PERIOD_S)

    def start(self) -> None:
        """Take a batch every second."""
        self._beat.start()

    def stop(self) -> None:
        """End after the batch in work."""
        self._beat.stop()

    def _turn(self) -> float:
        try:
            batch = self.take()
            if self._deliver:
                self._deliver(batch)
        except Exception:
            log.exception("telemetry error", next_step="it goes on with the next interval")
        return PERIOD_S

    def take(self) -> TelemetryBatch:
        """One batch, from a fresh sample. Laws act on it before all else; then the reconciler is shown it, so that it
        applies at once what they gave."""
        found = self._sample()
        try:
            if isinstance(found, HostSample):
                self._laws.run_laws(found, lambda: self._sampling.chain_rates(found))
        finally:
            if isinstance(found, HostSample):
                self._loop.offer(found)
        batch = self._sampling.batch(found, self._host.progress(), self._host.restarts(), self._measured())
        if isinstance(found, HostSample):
            batch = self._laws.with_laws(batch)
        self._laws.save_laws()
        metrics.show_nfs((batch,))
        return batch

    def _sample(self) -> HostSample | DataPlaneDown:
        try:
            return self._driver.sample()
        except DataPlaneDown as down:
            self._loop.wake()
            return down
