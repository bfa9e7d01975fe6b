"""The driver behind its registry: while nobody knows what this host's managers and NFs are, nothing is done to them.

Without the registry, the NFs of an order cannot be distinguished from what an agent that died had just started, and
only ending all traffic would be safe. So nothing is touched and no order is carried out, until the file can be read
again or no process that it could name is running: then it is put aside, and a new one is begun.
"""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import structlog
from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.host import PROFILING, Capability
from sextant_domain.profiling.profile import ProfileRequest, ProfileResult

from sextant_agent.contract.driver import NO_SECRETS, ApplyReport, Driver, HostOffer
from sextant_agent.contract.errors import DataPlaneDown, DriverError
from sextant_agent.contract.sample import HostSample
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.file_watch import FileWatch
from sextant_agent.drivers.opennetvm.installation import BadInstallation, OpenNetVmInstallation, read_installation
from sextant_agent.drivers.opennetvm.inventory import NAME, inventory_of
from sextant_agent.drivers.opennetvm.process_registry import RegistryDamaged, RegistryUnreadable, settled_path
from sextant_agent.drivers.opennetvm.processes import of_prefix
from sextant_agent.drivers.opennetvm.programs import runnable_types
from sextant_agent.machine.machine import read_machine
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_agent.settings import AgentSettings

MAX_REPORTED = 8
UNKNOWN = Capability(
    name=PROFILING, available=False, reason="what runs on this host is not known: its process registry cannot be read"
)

log = structlog.get_logger()


class OpenNetVm:
    """Opened at once where that can be, else at the first look that finds it possible. Safe for several threads."""

    name = NAME

    def __init__(
        self, host_id: str, state_dir: Path, installation: OpenNetVmInstallation, *,
        cores: tuple[int, ...] | None = None, root: Path = Path("/"), **options: Any,
    ) -> None:  # fmt: skip
        """As `OpenNetVmDriver`."""
        self._host_id, self._installation, self._cores, self._root = host_id, installation, cores, root
        self._registry = settled_path(state_dir / NAME)
        self._open: Callable[[], OpenNetVmDriver] = lambda: OpenNetVmDriver(
            host_id, state_dir, installation, cores=cores, root=root, **options
        )
        self._driver: OpenNetVmDriver | None = None
        self._reported_exits: Callable[[], None] = lambda: None
        self._opening = threading.Lock()
        try:
            self._opened()
        except DataPlaneDown as down:
            log.error("nothing is touched, and no order carried out", cause=str(down))

    def inventory(self) -> HostOffer:
        """The machine; what its helper can do, once the driver is open."""
        if self._driver is not None:
            return self._driver.inventory()
        machine = read_machine(self._root, self._cores)
        host = inventory_of(self._installation, machine, self._host_id, (UNKNOWN,))
        return HostOffer(host=host, nf_types=runnable_types(self._installation))

    def apply(
        self, content: HostContent, hold: frozenset[str] = frozenset(), secrets: SecretValues = NO_SECRETS
    ) -> ApplyReport:
        """Raises DataPlaneDown while the registry cannot be relied on."""
        return self._opened().apply(content, hold, secrets)

    def sample(self) -> HostSample:
        """Raises DataPlaneDown while the registry cannot be relied on."""
        return self._opened().sample()

    def profile(self, request: ProfileRequest, watch: MeasurementWatch) -> ProfileResult:
        """Raises DataPlaneDown while the registry cannot be relied on: nobody knows what runs."""
        return self._opened().profile(request, watch)

    def call_at_exits(self, call: Callable[[], None]) -> None:
        """As `OpenNetVmDriver`."""
        self._reported_exits = call

    def close(self) -> None:
        """What runs goes on running."""
        if self._driver is not None:
            self._driver.close()

    def _opened(self) -> OpenNetVmDriver:
        with self._opening:
            if self._driver is None:
                self._driver = self._open_or_start_again()
                self._driver.call_at_exits(self._hear)
            return self._driver

    def _hear(self) -> None:
        self._reported_exits()

    def _open_or_start_again(self) -> OpenNetVmDriver:
        try:
            return self._open()
        except RegistryUnreadable as why:
            raise RegistryUnreadable(
                f"{why}: what runs goes on untouched, and no order is carried out until it can be read", permanent=True
            ) from why
        except RegistryDamaged as why:
            living = [one for place in self._installation.manager for one in of_prefix(place.prefix)]
            if living:
                raise RegistryDamaged(in_doubt(str(why), [running.pid for running in living]), permanent=True) from why
            self._put_aside(str(why))
        return self._open()

    def _put_aside(self, why: str) -> None:
        aside = self._registry.with_suffix(".damaged")
        try:
            self._registry.replace(aside)
        except OSError as error:
            raise RegistryUnreadable(f"{why}; it cannot be put aside: {error.strerror}", permanent=True) from error
        log.error("a new registry is begun: nothing runs that the damaged one could name", cause=why, kept=str(aside))


def open_driver(settings: AgentSettings) -> Driver:
    """By opennetvm.toml. Raises DriverError."""
    try:
        installation = read_installation(settings.opennetvm)
    except BadInstallation as error:
        raise DriverError(str(error), permanent=True) from error
    return OpenNetVm(
        settings.host_id, settings.state_dir, installation, cores=settings.cores,
        helper_socket=settings.helper_socket, news=FileWatch(settings.opennetvm, installation).news,
    )  # fmt: skip


def in_doubt(why: str, pids: Sequence[int]) -> str:
    """Of a damaged registry and processes that it may name, for a person."""
    more = f" and {len(pids) - MAX_REPORTED} more" if len(pids) > MAX_REPORTED else ""
    reported = " ".join(map(str, pids[:MAX_REPORTED]))
    return (
        f"{why}. Processes of its managers and NFs keep running ({reported}{more}), and no order is carried out:"
        " restore the file, or the agent version that wrote it; or give up what is running (`sextant-agent doctor`"
        " shows the command), and the agent starts what is ordered"
    )
