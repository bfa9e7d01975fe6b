"""`onvm_mgr`: threads on its lcores, one loop that answers NFs and writes figures once a period, and its end."""

import getopt
import os
import resource
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from .eal import EalRefused, parse, says, split, start_primary
from .kernel import Semaphore, SleepFlag, look_like, sleeping_thread
from .memory import MAGIC, MAX_NFS
from .nf_control import NfControl
from .reports import Object, Reports, events_before_the_first, nf_source
from .settings import read_settings
from .telemetry import Telemetry
from .traffic import Port, Road, Worker, stand_still, step

INIT_S, FIRST_PAUSE_S = 0.25, 5.0
SHUTDOWN_PERIODS = 10
WAKE_S = 0.02
"""Between two checks of sleeping NFs, in real time."""
AUXILIARY, RX = 1, 1
"""Threads beside those that transmit."""
_USAGE = "[EAL options] -- -p PORTMASK [-r NUM_SERVICES] [-d DEFAULT_SERVICE] [-s STATS_OUTPUT]"


class UsageRefused(Exception):
    """The manager ends with 255."""


@dataclass
class Options:
    ports: list[int] = field(default_factory=list)
    cores: int = 0
    """Mask."""
    web: bool = False
    verbosity: int = 1
    period: int = 1
    time_to_live: int = 0
    shared: bool = False


class Manager:
    """One process. Its steps are those of `main`."""

    def __init__(self, home: Path, binary: str, words: list[str]) -> None:
        self.home, self.binary = home, binary
        self.settings = read_settings(home)
        self.asked_to_end = False
        self.eal_words, self.app_words = split(words)
        self.reports: Reports | None = None
        self.wakers: dict[int, tuple[Semaphore, SleepFlag]] = {}
        self.spins = threading.Event()

    def main(self) -> NoReturn:
        try:
            self.eal, self.memory = start_primary(self.settings, parse(self.binary, self.eal_words))
        except EalRefused:
            _end(255)
        self.control = NfControl(self.memory, self._nf_event)
        lcores = self.eal.options.lcores
        present = len(self.eal.options.vdevs) + self.settings.nics
        try:
            self.options = self._parse(present)
        except UsageRefused:
            _end(255)
        self.road = Road({number: Port() for number in self.options.ports})
        threads = len(lcores) - AUXILIARY - RX - int(self.options.shared)
        if self.options.shared:
            if threads < 1:
                says("APP: Not enough cores to enabled shared core support")
                _end(255)
            self._make_wakers()
        self._open(list(lcores))
        self._threads()
        self._sleep(INIT_S)
        for signum in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signum, self._signalled)
        self._run(list(lcores))
        self._shut_down()

    def _parse(self, present: int) -> Options:
        options = Options()
        try:
            given, _ = getopt.getopt(self.app_words, "p:r:n:d:s:t:l:z:v:cj")
        except getopt.GetoptError as error:
            problem = "option requires an argument" if "requires" in error.msg else "invalid option"
            says(f"{self.binary}: {problem} -- '{error.opt}'")
            print("ERROR: Unknown option '?'")
            self._refuse()
        for option, value in given:
            if option == "-p":
                options.ports = _ports(value, present)
            elif option == "-n":
                options.cores = self._cores(value)
            elif option == "-s":
                if value not in {"stdout", "stderr", "web"}:
                    self._refuse()
                options.web = value == "web"
            elif option in {"-r", "-d", "-t", "-l", "-z", "-v"}:
                if not value.isdigit() or int(value) == 0:
                    self._refuse()
                if option in _NUMBERS:
                    setattr(options, _NUMBERS[option], int(value))
            elif option == "-c":
                options.shared = True
        return options

    def _refuse(self) -> NoReturn:
        print(f"{self.binary} {_USAGE}")
        raise UsageRefused

    def _cores(self, text: str) -> int:
        try:
            mask = int(text, 16)
        except ValueError:
            mask = 0
        if not mask:
            print("WARNING: No NF cores are being used.")
            print("         Restart onvm_mgr with a valid coremask to run NFs.")
            return 0
        here = [core for core in range(os.cpu_count() or 1) if mask >> core & 1]
        print(f"Registered {len(here)} cores for NFs: {', '.join(map(str, here))}")
        return sum(1 << core for core in here)

    def _open(self, lcores: list[int]) -> None:
        """The memory is a manager's from here on."""
        shared = self.memory.shared
        if self.options.web:
            try:
                self.reports = Reports()
            except OSError:
                self.eal.exit_failed("Error opening stats files", 255)
            for message, source in events_before_the_first(self.options.ports, lcores):
                self.reports.event(message, source)
        shared.enabled, shared.shared_cores = self.options.cores, int(self.options.shared)
        shared.manager_pid, shared.magic = os.getpid(), MAGIC
        for lcore in lcores:
            shared.manager_lcores[lcore] = 1

    def _make_wakers(self) -> None:
        for number in range(MAX_NFS):
            self.wakers[number] = Semaphore(number, create=True), SleepFlag(number, create=True)

    def _threads(self) -> None:
        lcores = self.eal.options.lcores
        main = set(lcores[self.eal.options.main_lcore])
        os.sched_setaffinity(0, main)
        for name in ("eal-intr-thread", "rte_mp_handle"):
            sleeping_thread(name, main)
        for lcore, cpus in list(lcores.items())[1:]:
            sleeping_thread(f"rte-worker-{lcore}", set(cpus), self.spins)
        Telemetry(self.eal, self.app_words, self.road.ports, lambda: self.settings.telemetry_silent)
        if self.options.shared:
            threading.Thread(target=self._wake, daemon=True).start()

    def _wake(self) -> None:
        while True:
            for number in self.memory.running():
                slot, (semaphore, flag) = self.memory.slots[number], self.wakers[number]
                if flag.sleeps and (slot.needs or slot.stop):
                    slot.wakeups += 1
                    flag.sleeps = False
                    semaphore.post()
            time.sleep(WAKE_S)

    def _run(self, lcores: list[int]) -> None:
        says("APP: Finished Process Init.")
        says(f"APP: Socket 0, Core {lcores[0]}: Running master thread")
        says(f"APP: Stats verbosity level = {self.options.verbosity}")
        began = time.monotonic()
        self._sleep(FIRST_PAUSE_S)
        uncounted = round(FIRST_PAUSE_S)
        stepped = 0
        while not self.asked_to_end:
            self._sleep(self.options.period)
            self.settings = read_settings(self.home)
            if self.settings.step and self.settings.step == stepped:
                continue
            stepped = self.settings.step
            self.control.take_messages()
            self._move_packets(self.options.period + uncounted)
            uncounted = 0
            self._report()
            if any(self.memory.slots[number].overwritten for number in self.memory.running()):
                _crash()
            if self.options.time_to_live and time.monotonic() - began >= self.options.time_to_live * self.settings.time:
                print("Time to live exceeded, shutting down")
                break

    def _move_packets(self, seconds: float) -> None:
        running = self.memory.running()
        cpus = {number: _cpu(self.memory.slots[number].thread) for number in running}
        sharing = [cpu for cpu in cpus.values() if cpu is not None]
        workers = [
            Worker(self.memory.slots[number], 0.0 if cpu is None else 1.0 / sharing.count(cpu))
            for number, cpu in cpus.items()
        ]
        offered = {int(port): rate for port, rate in self.settings.packets_per_second.items()} | self._endless()
        if self._is_wedged(running):
            stand_still(self.road, workers, offered, seconds, self.settings.wedge)
            return
        self.road.able_out = {int(port): rate for port, rate in self.settings.tx_packets_per_second.items()}
        self.road.able = {int(port): rate for port, rate in self.settings.rx_packets_per_second.items()}
        step(self.road, workers, offered, seconds, rss=self.settings.rss)

    def _endless(self) -> dict[int, int]:
        """Ports that play a capture without end bring what the RX thread can take."""
        vdevs = enumerate(self.eal.options.vdevs, self.settings.nics)
        return {port: self.settings.endless_packets_per_second for port, name in vdevs if "infinite_rx=1" in name}

    def _is_wedged(self, running: list[int]) -> bool:
        """Since an NF was killed while it had packets."""
        slots = [self.memory.slots[number] for number in running]
        if self.settings.wedge and any(slot.waiting + slot.needs and not _lives(slot.pid) for slot in slots):
            self.memory.shared.wedged = 1
            self.spins.set()
        return bool(self.memory.shared.wedged)

    def _report(self) -> None:
        if self.reports is None:
            return
        nfs = [
            (number, self.memory.slots[number], number in self.wakers and self.wakers[number][1].sleeps)
            for number in self.memory.running()
        ]
        self.reports.write(self.road.ports, nfs, self.options.period, self.settings)

    def _nf_event(self, message: str, instance: int) -> None:
        if self.reports is None:
            return
        if message == "NF Stopping":
            self.reports.event(message, Object([("type", "NF"), ("instance_id", instance)]))
        else:
            self.reports.event(message, nf_source(self.memory.slots[instance], instance))

    def _shut_down(self) -> NoReturn:
        """NFs are notified, and those that are dead are waited for in vain. It ends by a fault of its own."""
        if self.settings.hang_at_exit or self.memory.shared.wedged:
            threading.Event().wait()
        if self.reports is not None:
            self.reports.close()
            self.reports = None
        main = self.eal.options.main_lcore
        says(f"APP: Socket 0, Core {main}: Initiating shutdown sequence")
        for number in self.memory.running():
            says(f"APP: Socket 0, Core {main}: Notifying NF {number} to shut down")
            self.memory.slots[number].stop = 1
        for _ in range(SHUTDOWN_PERIODS):
            self.control.take_messages()
            if not self.control.running:
                break
            says(f"APP: Socket 0, Core {main}: Waiting for {self.control.running} NFs to exit")
            self._sleep(self.options.period)
        if self.control.running:
            still = f"Up to {self.control.running} NFs may still be running and must be killed manually"
            says(f"APP: Socket 0, Core {main}: {still}")
        for semaphore, _ in self.wakers.values():
            semaphore.remove()
        says(f"APP: Socket 0, Core {main}: Master thread done")
        _crash()

    def _signalled(self, *_: object) -> None:
        self.asked_to_end = True

    def _sleep(self, seconds: float) -> None:
        """A signal ends it early, as C's."""
        until = time.monotonic() + seconds * self.settings.time
        was = self.asked_to_end
        while time.monotonic() < until and self.asked_to_end == was:
            time.sleep(min(0.01, max(0.0, until - time.monotonic())))


_NUMBERS = {"-z": "period", "-t": "time_to_live", "-v": "verbosity"}
"""Others have no effect."""


def _ports(text: str, present: int) -> list[int]:
    try:
        mask = int(text, 16)
    except ValueError:
        mask = 0
    if not mask:
        print("WARNING: No ports are being used.")
    wanted = [port for port in range(mask.bit_length()) if mask >> port & 1]
    for port in wanted:
        if port >= present:
            print(f"WARNING: requested port {port} not present - ignoring")
    return [port for port in wanted if port < present]


def _cpu(thread: int) -> int | None:
    """Where it runs; None where it is gone or stopped."""
    try:
        state = Path(f"/proc/{thread}/stat").read_text().rpartition(")")[2].split()[0]
        return None if state in "TZX" else min(os.sched_getaffinity(thread))
    except OSError:
        return None


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _crash() -> NoReturn:
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGSEGV)
    threading.Event().wait()
    raise AssertionError


def _end(status: int) -> NoReturn:
    sys.stdout.flush()
    os._exit(status)


def run(home: str) -> NoReturn:
    """What the program of the manager calls."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    look_like(sys.argv[0], sys.argv[1:])
    Manager(Path(home), sys.argv[0], sys.argv[1:]).main()
