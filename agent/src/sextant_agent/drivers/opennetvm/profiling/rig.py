"""A manager for one measurement: its port plays a capture, its only chain is the NF that is measured.

It is no manager of opennetvm.toml: it has another file prefix, and a folder and a registry of its own, which nobody
reads after it. Of one in opennetvm.toml it has the first three CPUs and the huge pages, and none of the cards.
"""

import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf
from sextant_domain.profiling.profile import ProfiledNf

from sextant_agent.contract.errors import DriverError
from sextant_agent.control.running import Running
from sextant_agent.drivers.opennetvm.chains import Chains
from sextant_agent.drivers.opennetvm.counting import Counting
from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation
from sextant_agent.drivers.opennetvm.leftovers import clear
from sextant_agent.drivers.opennetvm.manager import Manager
from sextant_agent.drivers.opennetvm.process_registry import ProcessRegistry
from sextant_agent.drivers.opennetvm.processes import cpu_time_ns, of_prefix, packet_thread, pause, stop
from sextant_agent.drivers.opennetvm.profiling.capture import capture
from sextant_agent.drivers.opennetvm.profiling.periods import Writing
from sextant_agent.drivers.opennetvm.programs import program_of
from sextant_agent.kit.hashing import short_hash

CAPTURE = "packets.pcap"
"""In the manager's working folder, so that no path has to stand in an option of DPDK."""
EAL = ("--no-pci", "--log-level=lib.eal:debug", f"--vdev=net_pcap0,rx_pcap={CAPTURE},infinite_rx=1")
"""What is received is played without end, what is sent is dropped. Only at this level EAL logs the counter's rate."""
THREADS = 3
"""Of the manager: master, RX, TX. A capture has one TX queue, so one TX thread."""
CHAIN = "profile"
POLL_S = 0.01
_TSC = re.compile(r"TSC frequency is ~(\d+) KHz")


def profiling_places(installation: OpenNetVmInstallation) -> tuple[ManagerPlace, ...]:
    """A manager for measurements in the place of each of opennetvm.toml, under a name that no other has."""
    taken = {place.name for place in installation.manager}
    found = []
    for place in installation.manager:
        name = next(name for letter in "pqrstuvwx" if (name := f"{letter}{place.name}"[:12]) not in taken)
        taken.add(name)
        changes = {"name": name, "cpus": place.cpus[:THREADS], "eal": EAL, "shared": False, "port_mask": 1}
        found.append(place.model_copy(update=changes))
    return tuple(found)


def end_leftovers(installation: OpenNetVmInstallation) -> None:
    """Of measurements: processes and files of DPDK's. Raises DriverError."""
    for place in profiling_places(installation):
        _end(installation, place)


def _end(installation: OpenNetVmInstallation, place: ManagerPlace) -> None:
    for running in of_prefix(place.prefix):
        stop(running, 0.0)
    clear(installation, place)


class ProfilingRig:
    """One NF under a manager of its own. `end` whatever happened."""

    def __init__(
        self, installation: OpenNetVmInstallation, place: ManagerPlace, folder: Path, node_of: Mapping[int, int],
        nf: ProfiledNf,
    ) -> None:  # fmt: skip
        """`place`: of `profiling_places`. `folder` is emptied: it holds logs of the measurement before. `node_of`: by
        CPU."""
        self._installation = installation.model_copy(update={"manager": (place,)})
        self._folder, self._nf = folder, nf
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        registry = ProcessRegistry(folder / "process_registry.json")
        self._manager = Manager(place.name, self._installation, folder / place.name, registry)
        managers = {place.name: self._manager}
        self._registry = registry
        self._chains = Chains(self._installation, managers, registry, Counting(registry, managers), node_of)
        self._last: int | None = None

    def start(self) -> None:
        """The manager, the NF and the way out. Raises DriverError."""
        cwd = self._manager.folder / "manager"
        try:
            cwd.mkdir(mode=0o700, parents=True, exist_ok=True)
            (cwd / CAPTURE).write_bytes(capture(self._nf.traffic))
        except OSError as error:
            raise DriverError(f"{error.filename}: {error.strerror}; free space or fix the folder") from error
        self._chains.add(self._chain)

    def restart(self) -> None:
        """Fresh processes under the same manager: each lays its tables out anew. Raises DriverError."""
        self._chains.replace(self._chain)

    def pause(self) -> None:
        """All of it, the manager's threads included: nothing of it uses a CPU, cache or memory until `resume`.
        Raises DriverError."""
        pause(self._processes())

    def resume(self) -> None:
        """It goes on where it was paused; does nothing where it runs."""
        for running in self._processes():
            running.signal(signal.SIGCONT)

    def _processes(self) -> list[Running]:
        nfs = self._registry.chains[CHAIN].nfs if CHAIN in self._registry.chains else ()
        found = (self._manager.entry.running, *(nf.running for nf in nfs))
        return [running for running in found if running is not None]

    def end(self) -> None:
        """Its processes and files of DPDK's; logs stay. Raises DriverError."""
        try:
            self.resume()  # what is stopped hears no request to end
            if CHAIN in self._registry.chains:
                self._chains.remove(CHAIN)
        finally:
            _end(self._installation, self._installation.manager[0])

    @property
    def thread(self) -> tuple[int, int]:
        """Process of the NF, and the thread of it that works on packets. Raises DriverError."""
        entry = self._registry.chains[CHAIN].nfs[0]
        thread = packet_thread(entry.pid) if entry.pid is not None and entry.alive else None
        if thread is None or entry.pid is None:
            raise DriverError(f"{self._nf.nf_type} ended before it was measured; measure it again")
        return entry.pid, thread

    @property
    def program(self) -> str:
        """The NF's binary by its content."""
        binary = program_of(self._chain.nfs[0], self._installation, last=True).binary
        return f"{binary.name} {short_hash(binary.read_bytes())}"

    @property
    def tsc_hz(self) -> float:
        """Of the time-stamp counter, by the manager's DPDK. Raises DriverError."""
        log = self._manager.folder / "manager" / "log"
        found = _TSC.search(log.read_text(errors="replace")) if log.is_file() else None
        if found is None:
            raise DriverError("the manager's DPDK does not tell how fast the time-stamp counter runs", permanent=True)
        return 1000.0 * int(found[1])

    def writings(self, check: Callable[[], object]) -> Iterator[Writing]:
        """One after the other, as they come, from the one that is there. `check` is called all the time, and may raise.
        Raises DriverError where something has ended, or nothing is written any more."""
        self._last = None
        while True:
            check()
            found = self.look()
            if found is not None:
                yield found
            time.sleep(POLL_S)

    def look(self) -> Writing | None:
        """The newest writing; None where it was seen already. Raises DriverError as `writings`."""
        entry = self._registry.chains[CHAIN].nfs[0]
        found = self._manager.figures()
        thread = packet_thread(entry.pid) if entry.pid is not None and entry.alive else None
        if thread is None or entry.pid is None or not self._manager.alive or self._manager.hangs():
            raise DriverError(f"{self._nf.nf_type} or its manager ended while it was measured; measure it again")
        figures = found.nfs.get(entry.instance)
        if figures is None or found.written_ns is None or found.written_ns == self._last:
            return None
        self._last = found.written_ns
        return Writing(found.written_ns, time.monotonic_ns(), figures, cpu_time_ns(entry.pid, thread))

    @property
    def place(self) -> ManagerPlace:
        """Of its manager."""
        return self._manager.place

    @property
    def nf(self) -> ProfiledNf:
        """The NF under it."""
        return self._nf

    @property
    def _chain(self) -> DesiredChain:
        nf = self._nf
        desired = DesiredNf(
            nf_id=f"{CHAIN}.{nf.nf_type}", nf_type=nf.nf_type, nf_version=nf.nf_version, config=nf.config,
            core=nf.core, implementation=nf.implementation,
        )  # fmt: skip
        traffic = Traffic(rate_mpps=0, packet_bytes=nf.traffic.packet_bytes, flows=nf.traffic.flows)
        return DesiredChain(
            chain=CHAIN, nfs=(desired,), ingress=Ingress(match=nf.traffic.match), egress=Egress(), traffic=traffic
        )
