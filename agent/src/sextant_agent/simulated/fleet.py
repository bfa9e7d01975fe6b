"""All simulated hosts of one process put together: time, telemetry, reconciling, reporting, certificates."""

import time
from pathlib import Path

import structlog
from starlette.requests import Request

from sextant_agent.api.peer import HOST
from sextant_agent.controllers.shares_loop import SharesLoop
from sextant_agent.drivers.twin.driver import TwinDriver
from sextant_agent.drivers.twin.world import SimulatedWorld
from sextant_agent.identity.certificate_watch import CertificateWatch
from sextant_agent.identity.fleet_client import FleetClient
from sextant_agent.identity.renewal import Renewable, Renewer
from sextant_agent.kit import metrics
from sextant_agent.orders.problems import HostWithoutPower, NoSuchHost
from sextant_agent.simulated.credentials import FleetCredentials
from sextant_agent.simulated.hosts import HostedService, Workers
from sextant_agent.simulated.identity import FleetIdentity
from sextant_agent.simulated.reporter import FleetReporter
from sextant_agent.simulated.settings import SimulatedSettings

log = structlog.get_logger()


class SimulatedFleet:
    """What a process serves: whose host a request is about, it knows by the connection."""

    def __init__(self, settings: SimulatedSettings) -> None:
        """Raises CertificateProblem, BadTwinInput of the twin, OSError."""
        host_ids = frozenset(host.host_id for host in settings.hosts)
        self.credentials = FleetCredentials(settings.pki_dir, host_ids, self._is_down)
        self._settings = settings
        self._world = SimulatedWorld(settings.seed, settings.period_s)
        self._workers = Workers()
        self._reporter: FleetReporter | None = None
        self._renewer: Renewer | None = None
        self._hosts = {
            host.host_id: HostedService(
                _folder(settings.state_dir, host.host_id),
                TwinDriver(self._world, host.host_id, host.machine, backpressure=settings.backpressure),
                self._workers,
                self._trouble_of,
            )
            for host in settings.hosts
        }
        self._shares = SharesLoop(self._hosts.values)
        self._certificates = CertificateWatch(self.credentials, self._certificates_renewed)

    def start(self, url: str) -> None:
        """Let time pass, converge to the ledgers, and report from `url`."""
        if self._settings.fleet_url:
            inventories = {host_id: host.reported for host_id, host in self._hosts.items()}
            client = FleetClient(self._settings.fleet_url, self.credentials)
            self._reporter = FleetReporter(client, inventories, url, self._allowed)
            self._reporter.start()
            identity = FleetIdentity(self._settings.pki_dir)
            renewable = Renewable(identity.gateway, identity.key, identity.renew)
            self._renewer = Renewer(renewable, FleetClient(self._settings.fleet_url, self.credentials))
            self._renewer.start()
        else:
            log.warning("no fleet listener", next_step="set SEXTANT_AGENT_FLEET_URL to report telemetry")
        self._certificates.start()
        self._world.start(self._second)
        self._shares.start()

    def stop(self) -> None:
        """End all threads, and with them the simulated hosts: the next process begins from their ledgers."""
        self._certificates.stop()
        for host in self._hosts.values():
            host.end_measuring()
        self._shares.stop()
        self._world.stop()
        self._workers.stop()
        if self._renewer:
            self._renewer.stop()
        if self._reporter:
            self._reporter.stop()

    def of(self, request: Request) -> HostedService:
        """The host that a request is about. Raises NoSuchHost, HostWithoutPower."""
        host = self._hosts.get(request.scope.get(HOST) or "")
        if host is None:
            raise NoSuchHost("The connection asked for no host of this process. Nothing was read or changed.")
        if host.driver.is_down:  # on a connection of before: a new one is not answered at all
            raise HostWithoutPower(f"{host.host_id} has no power: somebody ordered that fault. Nothing changed.")
        return host

    def _second(self) -> None:
        now = time.monotonic()
        batches = [batch for host in self._hosts.values() if (batch := host.second(now)) is not None]
        metrics.SIMULATED_HOSTS_UP.set(len(batches))
        metrics.show_nfs(batches)
        if self._reporter and batches:
            self._reporter.deliver(batches)

    def _allowed(self, host_id: str, stopped: str | None) -> None:
        self._hosts[host_id].laws.allowed(stopped)

    def _is_down(self, host_id: str) -> bool:
        return self._hosts[host_id].driver.is_down

    def _trouble_of(self, host_id: str) -> str | None:
        return self._certificates.trouble or (self._reporter.trouble_of(host_id) if self._reporter else None)

    def _certificates_renewed(self) -> None:
        if self._reporter:
            self._reporter.register_again()


def _folder(state_dir: Path, host_id: str) -> Path:
    folder = state_dir / "hosts" / host_id
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
