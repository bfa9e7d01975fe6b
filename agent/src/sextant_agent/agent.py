"""The agent of one machine put together: its service, and the threads that reconcile, sample and report."""

import fcntl
import os
from pathlib import Path

import structlog
from sextant_domain.hosts.desired import Health

from sextant_agent.api.service import HostService
from sextant_agent.contract.driver import Driver, ReportsExits
from sextant_agent.control.decision_metrics import show_decision
from sextant_agent.control.loop import ReconcilerLoop
from sextant_agent.controllers.look_loop import LookLoop
from sextant_agent.controllers.shares_loop import SharesLoop
from sextant_agent.identity.certificate_watch import CertificateWatch
from sextant_agent.identity.fleet_client import FleetClient
from sextant_agent.identity.tls import TlsCredentials
from sextant_agent.kit import metrics
from sextant_agent.reporting.early import IDLE_LOOK_S, EarlyReports
from sextant_agent.reporting.reporter import Reporter
from sextant_agent.reporting.sampler import Sampler
from sextant_agent.reporting.sampling import Sampling
from sextant_agent.settings import AgentSettings

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


class HostAgent(HostService):
    """One host with threads of its own."""

    def __init__(self, settings: AgentSettings, driver: Driver, credentials: TlsCredentials, agent_url: str) -> None:
        super().__init__(settings.host_id, settings.state_dir, driver, report=show_decision)
        self._credentials = credentials
        self._loop = ReconcilerLoop(self.reconciliation)
        if isinstance(driver, ReportsExits):
            driver.call_at_exits(self._loop.wake)
        self._reporter: Reporter | None = None
        if settings.fleet_url:
            client = FleetClient(settings.fleet_url, credentials)
            self._reporter = Reporter(client, self.inventory, agent_url, self.laws.allowed)
        else:
            log.warning("no fleet listener", next_step="set SEXTANT_AGENT_FLEET_URL to report telemetry")
        cores = tuple(core.id for core in driver.inventory().host.cores)
        sampling = Sampling(settings.host_id, cores)
        deliver = self._reporter.deliver if self._reporter else None
        self._sampler = Sampler(
            driver,
            self.reconciliation,
            self._loop,
            sampling,
            deliver,
            laws=self,
            measured=self.measured_cores,
        )
        self._early: EarlyReports | None = None
        if self._reporter:
            self._early = EarlyReports(
                settings.host_id,
                cores,
                driver,
                self._reporter.deliver_early,
                restarts=self.reconciliation.restarts,
                measured=self.measured_cores,
                bounded=self.nf_quotas.standing,
            )
        self._edges = LookLoop("early-reports", self._report_early)
        self._shares = SharesLoop(lambda: (self,))
        self._quotas = LookLoop("nf-quotas", self.set_quotas)
        self._ways = LookLoop("chain-ways", self.lead_chains)
        self._certificates = CertificateWatch(credentials, self._certificates_renewed)

    def start(self) -> None:
        """Converge to the ledger at once; start to report."""
        metrics.CERTIFICATE_END.set(self._credentials.not_after)
        self._loop.start()
        self._sampler.start()
        self._shares.start()
        self._edges.start()
        self._quotas.start()
        self._ways.start()
        if self._reporter:
            self._reporter.start()
        self._certificates.start()

    def stop(self) -> None:
        """End the agent's threads; what runs on the host goes on."""
        self._certificates.stop()
        self.end_measuring()
        self._ways.stop()
        self._quotas.stop()
        self._edges.stop()
        self._shares.stop()
        self._sampler.stop()
        self._loop.stop()
        if self._reporter:
            self._reporter.stop()
        self._driver.close()

    def wake(self) -> None:
        """Of the reconciler's thread."""
        self._loop.wake()

    def health(self) -> Health:
        """Ready means: an order would be taken and carried out."""
        return self._health([self._certificates.trouble], [self._reporter.trouble if self._reporter else None])

    def _report_early(self) -> float:
        if self._early is None or self._ledger.damage:
            return IDLE_LOOK_S
        return self._early.look(self._ledger.desired.content)

    def _certificates_renewed(self) -> None:
        metrics.CERTIFICATE_END.set(self._credentials.not_after)
        if self._reporter:
            self._reporter.register_again()
