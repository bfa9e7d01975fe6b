"""The agent put together: ledger, driver, reconciler, sampler, reporter, and the certificates they use."""

import fcntl
import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import structlog
from sextant_domain.artefact import HeldArtefacts, digests_of
from sextant_domain.desired import ActualState, DesiredHostConfig, DesiredStateOrder, Health, HostContent
from sextant_domain.host import HostInventory

from sextant_agent import __version__, metrics
from sextant_agent.applied import AppliedGeneration
from sextant_agent.artefacts import Arrival, ArtefactStore
from sextant_agent.driver import Driver
from sextant_agent.ledger import Ledger
from sextant_agent.loop import ReconcilerLoop
from sextant_agent.orders import check_files, check_order
from sextant_agent.reporter import FleetClient, Reporter
from sextant_agent.sampler import Sampler
from sextant_agent.settings import AgentSettings
from sextant_agent.tls import CertificateProblem, Credentials

WATCH_CERTIFICATES_S = 2.0

log = structlog.get_logger()


class StateFolderTaken(Exception):
    """Another agent works on this state folder."""


def lock_state_folder(state_dir: Path) -> int:
    """One agent a folder; the lock ends with the process, however it ends. Raises StateFolderTaken."""
    state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(state_dir / "agent.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise StateFolderTaken(
            f"another agent works on {state_dir}; end it, or set another SEXTANT_AGENT_STATE_DIR"
        ) from error
    return descriptor


class Agent:
    """What the routes of `api.py` talk to."""

    def __init__(self, settings: AgentSettings, driver: Driver, credentials: Credentials, agent_url: str) -> None:
        self._host_id = settings.host_id
        self._driver = driver
        self._credentials = credentials
        self._started_at = datetime.now(UTC)
        self._ledger = Ledger(settings.state_dir / "ledger.json", settings.host_id)
        if self._ledger.damage:
            log.error("ledger damaged", cause=self._ledger.damage)
        named = frozenset[str]() if self._ledger.damage else digests_of(self._ledger.desired.content)
        self._artefacts = ArtefactStore(settings.state_dir, named)
        self._loop = ReconcilerLoop(
            settings.host_id,
            driver,
            self._ledger,
            AppliedGeneration(settings.state_dir / "applied-generation"),
            converged=self._artefacts.forget_unnamed,
        )
        self._reporter: Reporter | None = None
        if settings.fleet_url:
            client = FleetClient(settings.fleet_url, credentials)
            self._reporter = Reporter(client, self.inventory, agent_url)
        else:
            log.warning("no fleet listener", next_step="set SEXTANT_AGENT_FLEET_URL to report telemetry")
        cores = tuple(core.id for core in driver.inventory().host.cores)
        deliver = self._reporter.deliver if self._reporter else None
        self._sampler = Sampler(settings.host_id, driver, self._loop, cores=cores, deliver=deliver)
        self._stopping = threading.Event()
        self._watcher = threading.Thread(target=self._watch_certificates, name="certificates", daemon=True)
        self._certificate_trouble: str | None = None

    def start(self) -> None:
        """Converge to the ledger at once; start to report."""
        metrics.CERTIFICATE_END.set(self._credentials.not_after)
        self._loop.start()
        self._sampler.start()
        if self._reporter:
            self._reporter.start()
        self._watcher.start()

    def stop(self) -> None:
        """End the agent's threads; what runs on the host goes on."""
        self._stopping.set()
        self._sampler.stop()
        self._loop.stop()
        if self._reporter:
            self._reporter.stop()
        self._driver.close()

    def health(self) -> Health:
        """Ready means: an order would be taken and carried out."""
        problems = [text for text in (self._ledger.damage, self._loop.trouble, self._certificate_trouble) if text]
        ready = not problems
        if self._reporter and self._reporter.trouble:
            problems.append(self._reporter.trouble)
        return Health(
            host_id=self._host_id,
            agent_version=__version__,
            driver=self._driver.name,
            ready=ready,
            problems=tuple(problems),
            started_at=self._started_at,
            ledger_generation=0 if self._ledger.damage else self._ledger.desired.generation,
            ledger_fence=self._ledger.fence,
        )

    def inventory(self) -> HostInventory:
        """Read now."""
        return self._driver.inventory().host

    def desired(self) -> DesiredHostConfig:
        """Raises LedgerDamaged."""
        return self._ledger.desired

    def accept(self, order: DesiredStateOrder) -> ActualState:
        """Check the order, make it durable, wake the reconciler. Raises a problem that says why not."""
        offer = self._driver.inventory()

        def check(content: HostContent) -> None:
            check_order(content, offer)
            check_files(content, self._artefacts.held())

        with self._artefacts.lock:
            new = self._ledger.accept(order, check)
            if new:
                self._artefacts.ordered(digests_of(order.desired.content))
        if new:
            log.info("order accepted", generation=order.desired.generation, operation=order.operation_id)
            self._loop.wake()
        else:
            self._loop.hurry()
        return self._loop.actual()

    def artefacts(self) -> HeldArtefacts:
        """The files that are here and whole."""
        return HeldArtefacts(digests=tuple(sorted(self._artefacts.held())))

    def receive(self, digest: str, fence: int, declared: int | None) -> Arrival:
        """A place for a file that an order will name. Raises a problem that says why not."""
        self._ledger.check_fence(fence)
        return self._artefacts.receive(digest, declared)

    def actual(self) -> ActualState:
        """What runs now, against the order in force."""
        return self._loop.actual()

    def _watch_certificates(self) -> None:
        while not self._stopping.wait(WATCH_CERTIFICATES_S):
            try:
                if self._credentials.refresh():
                    metrics.CERTIFICATE_END.set(self._credentials.not_after)
                    log.info("certificate renewed")
                    if self._reporter:
                        self._reporter.register_again()
                self._certificate_trouble = None
            except CertificateProblem as problem:
                if str(problem) != self._certificate_trouble:
                    log.error("certificate not usable", cause=str(problem))
                self._certificate_trouble = str(problem)
