"""A host of OpenNetVM, or of its double: its installation, drivers over it, and the end of all that ran."""

import json
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.contract.driver import Driver
from sextant_agent.control.running import Running
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.figures import InstanceFigures, ManagerFigures, read_figures
from sextant_agent.drivers.opennetvm.installation import OpenNetVmInstallation
from sextant_agent.drivers.opennetvm.opening import OpenNetVm
from sextant_agent.drivers.opennetvm.process_registry import ChainEntry, ManagerEntry, NfEntry, ProcessRegistry
from sextant_agent.drivers.opennetvm.processes import of_prefix

from .onvm_double.home import Home
from .onvm_double.home import Running as OnvmProcess
from .onvm_double.turn import turn
from .orders import HOST
from .waiting import wait_for

CPUS = sorted(os.sched_getaffinity(0))
FIRST, SECOND = CPUS[0], CPUS[-1]


def manager(side: str, nf_cpus: list[int], **fields: Any) -> dict[str, Any]:
    """An entry of opennetvm.toml, with one port. File prefixes are the machine's: tests of two runs differ in them."""
    threads = 4 if fields.get("shared") else 3
    return {
        "name": name_of(side), "cpus": [FIRST] * threads, "nf_cpus": nf_cpus, "port": f"{side}-0", "node": 0,
        "memory_mb": 128, "eal": ["--no-pci", "--vdev=net_null0"], **fields,
    }  # fmt: skip


def name_of(side: str) -> str:
    return f"{side}{os.getpid()}"


class OnvmHost:
    """One home and one state folder, with drivers one after the other."""

    def __init__(self, folder: Path, home: Path, huge_dir: Path, managers: Iterable[dict[str, Any]]) -> None:
        self.state = folder / "state"
        self.state.mkdir(mode=0o700)
        self.runtime_dir = folder / "runtime"
        self.huge_dir = huge_dir
        self.entries = {entry["name"]: entry for entry in managers}
        self.fields: dict[str, Any] = {}
        """More of opennetvm.toml, beside its managers."""
        self._onvm = home
        self._drivers: list[Driver] = []

    @property
    def installation(self) -> OpenNetVmInstallation:
        return OpenNetVmInstallation.model_validate({
            "home": self._onvm, "huge_dir": self.huge_dir, "runtime_dir": self.runtime_dir / "dpdk",
            "manager": list(self.entries.values()), "program": self.programs(), **self.fields,
        }, strict=False)  # fmt: skip

    def programs(self) -> dict[str, dict[str, Any]]:
        """Beside the stock ones."""
        return {}

    def driver(self, **options: Any) -> OpenNetVmDriver:
        """A new one each time: the agent was started again, and does not learn how processes end that the one
        before started."""
        self._close()
        driver = OpenNetVmDriver(HOST, self.state, self.installation, **options)
        self._drivers.append(driver)
        return driver

    def behind_its_registry(self) -> OpenNetVm:
        """The same as the agent starts it."""
        self._close()
        driver = OpenNetVm(HOST, self.state, self.installation)
        self._drivers.append(driver)
        return driver

    def _close(self) -> None:
        while self._drivers:
            self._drivers.pop().close()

    @property
    def registry(self) -> ProcessRegistry:
        """As it is on the disk."""
        return ProcessRegistry(self.state / "opennetvm" / "process_registry.json")

    def manager(self, side: str = "west") -> ManagerEntry:
        return self.registry.manager(name_of(side))

    def chain(self, name: str = "web") -> ChainEntry:
        return self.registry.chains[name]

    def nf(self, nf_id: str) -> NfEntry:
        return next(nf for chain in self.registry.chains.values() for nf in chain.nfs if nf.nf_id == nf_id)

    def web(self, side: str = "west") -> Path:
        """The folder that a manager writes into."""
        return self.state / "opennetvm" / name_of(side) / "onvm_web"

    def figures(self, side: str = "west") -> dict[int, InstanceFigures]:
        """What the manager takes for running, by instance."""

        def whole() -> ManagerFigures | None:
            text = (self.web(side) / "onvm_stats.txt").read_text()
            found = read_figures(text)
            return found if found.ports and text == (self.web(side) / "onvm_stats.txt").read_text() else None

        found = wait_for("whole figures", whole)
        return dict(found.nfs) if found else {}

    def events(self, side: str = "west") -> list[str]:
        """What the manager has reported of its NFs since it started."""

        def whole() -> list[str] | None:
            with suppress(ValueError):
                return [
                    event["message"] for event in json.loads((self.web(side) / "onvm_json_events.json").read_text())
                ]
            return None

        return wait_for("whole events", whole) or []

    def next_period(self, side: str = "west", *, begin: Callable[[], None] = lambda: None) -> None:
        """Until it has written whole figures once more, after `begin`."""
        before = self._written_at(side)
        begin()
        wait_for("another period", lambda: self._written_at(side) != before)

    def _written_at(self, side: str) -> int:
        """When the whole figures that are there were written: a manager empties the file first, which is no period."""
        path = self.web(side) / "onvm_stats.txt"

        def whole() -> int | None:
            at = path.stat().st_mtime_ns
            return at if read_figures(path.read_text()).ports and path.stat().st_mtime_ns == at else None

        return wait_for("whole figures", whole) or 0

    def processes(self, side: str = "west") -> list[Running]:
        """Of one prefix, alive."""
        return of_prefix(f"sextant-{name_of(side)}")

    def leftovers(self) -> list[Path]:
        """Files of DPDK's that are there."""
        prefixes = self.runtime_dir / "dpdk"
        return [*self.huge_dir.iterdir(), *(prefixes.iterdir() if prefixes.is_dir() else ())]

    def kill_all(self) -> None:
        """SIGKILL to whatever runs under its prefixes."""
        for name in self.entries:
            for running in of_prefix(f"sextant-{name}"):
                kill(running)

    def end(self) -> None:
        """Whatever runs, however it stands."""
        self._close()
        self.kill_all()


class DoubleHost(OnvmHost):
    """Of the double: twice as fast again as its tests, and with programs for what orders of the contract say beyond
    stock NFs."""

    def __init__(self, folder: Path, *managers: dict[str, Any], **settings: Any) -> None:
        self.home = Home(folder / "home", **{"runtime_dir": None, "time": 0.02, **settings})
        super().__init__(folder, self.home.folder, self.home.huge_dir, managers)
        self._by_hand: list[OnvmProcess] = []
        self._turn = ExitStack()
        if any(entry.get("shared") for entry in managers):
            self._turn.enter_context(turn())

    def programs(self) -> dict[str, dict[str, Any]]:
        forward = {"args": ["-d", "{next}"]}
        return {
            "simple-forward": {"path": self.home.example("simple_forward"), **forward},
            "router": {"path": self.home.example("flow_tracker"), **forward},
        }

    def step(self, number: int) -> None:
        """One writing more, and none after it; numbers rise from 1."""
        self.next_period(begin=lambda: self.home.set(step=number))

    def start(self, program: str, *words: str, side: str = "west", lcore: str = f"90@{FIRST}") -> OnvmProcess:
        """By hand, under the prefix of a manager; options of the library, `--`, its own."""
        eal = ["--lcores", lcore, f"--file-prefix=sextant-{name_of(side)}", f"--huge-dir={self.huge_dir}"]
        return self._start(self.home.example(program), *eal, "--proc-type=secondary", "--", *words)

    def start_foreign(self, *words: str) -> OnvmProcess:
        """A DPDK program that has nothing to do with OpenNetVM."""
        return self._start(self.home.foreign, *words)

    def start_manager(self, side: str, *words: str, threads: int = 3) -> OnvmProcess:
        """By hand, without a port."""
        lcores = ",".join(f"{lcore}@{FIRST}" for lcore in range(100, 100 + threads))
        eal = ["--lcores", lcores, f"--file-prefix=sextant-{name_of(side)}", f"--huge-dir={self.huge_dir}"]
        return self._start(self.home.manager, *eal, "--proc-type=primary", "--", "-n", "1", "-s", "web", *words)

    def _start(self, binary: Path, *words: str) -> OnvmProcess:
        folder = self.home.folder / f"hand{len(self._by_hand)}"
        self.runtime_dir.mkdir(exist_ok=True)
        os.environ["RUNTIME_DIRECTORY"] = str(self.runtime_dir)
        try:
            self._by_hand.append(OnvmProcess(binary, folder, *words))
        finally:
            del os.environ["RUNTIME_DIRECTORY"]
        return self._by_hand[-1]

    def end(self) -> None:
        super().end()
        for process in self._by_hand:
            process.end()
        self._turn.close()


@contextmanager
def double_host(folder: Path, *managers: dict[str, Any], **settings: Any) -> Iterator[DoubleHost]:
    """Until the end of the block; then nothing of it runs, and it was not used in a way that OpenNetVM would punish."""
    host = DoubleHost(folder, *managers, **settings)
    try:
        yield host
    finally:
        host.end()
    assert host.home.complaints == []


def needs_two_cpus() -> None:
    """Of NFs that poll each has one to itself."""
    if FIRST == SECOND:
        pytest.skip("a chain of two NFs that poll needs two CPUs")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """One port, whose chain has two CPUs for NFs that poll."""
    needs_two_cpus()
    with double_host(tmp_path, manager("west", [FIRST, SECOND])) as host:
        yield host


@pytest.fixture
def driver(host: DoubleHost) -> OpenNetVmDriver:
    """Of the host that the test has."""
    return host.driver()


def kill(running: Running | None) -> None:
    """SIGKILL, and until it is gone."""
    assert running is not None
    with suppress(ProcessLookupError):
        os.kill(running.pid, signal.SIGKILL)
    wait_for("its end", lambda: not running.alive)
