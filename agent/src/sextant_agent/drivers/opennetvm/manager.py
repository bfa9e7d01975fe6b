"""One manager's life: started in a folder of its own, adopted, stopped, and started again before it wears out."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import structlog

from sextant_agent.contract.errors import DriverError
from sextant_agent.control.running import Running, how_it_ended, start
from sextant_agent.drivers.opennetvm.figures import ManagerFigures
from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation, prefix_of
from sextant_agent.drivers.opennetvm.launching import manager_command
from sextant_agent.drivers.opennetvm.leftovers import clear
from sextant_agent.drivers.opennetvm.limits import (
    MANAGER_START_S,
    MANAGER_STOP_S,
    MAX_DEAD,
    MAX_INSTANCE,
    MAX_STARTS,
    NF_STOP_S,
    REPORTED_S,
    STALE_S,
)
from sextant_agent.drivers.opennetvm.packet_watch import PacketWatch
from sextant_agent.drivers.opennetvm.patience import ThreadPatience
from sextant_agent.drivers.opennetvm.port_telemetry import PortLosses, PortTelemetry
from sextant_agent.drivers.opennetvm.process_registry import ManagerEntry, NfEntry, ProcessRegistry
from sextant_agent.drivers.opennetvm.processes import of_prefix, stop, trim_log
from sextant_agent.drivers.opennetvm.start_failures import failure_text, tail
from sextant_agent.drivers.opennetvm.start_settings import changes, read_settings
from sextant_agent.drivers.opennetvm.statistics import Statistics
from sextant_agent.kit import metrics

log = structlog.get_logger()


class ManagerFailed(DriverError):
    """It does not come up."""


class Manager:
    """Not safe for several threads, but for what only looks."""

    def __init__(
        self, name: str, described: OpenNetVmInstallation | None, folder: Path, registry: ProcessRegistry
    ) -> None:
        """`described`: of it alone, by opennetvm.toml; None where that names it no more, and the registry
        knows a life."""
        self.name = name
        self.folder = folder
        self._described = described
        self._registry = registry
        self.statistics = Statistics(folder / "onvm_web", lambda: self.entry.pid)
        self._telemetry = PortTelemetry()
        self.packets = PacketWatch(folder, lambda: self.entry)

    @property
    def entry(self) -> ManagerEntry:
        """What is written down of it."""
        return self._registry.manager(self.name)

    @property
    def settings(self) -> OpenNetVmInstallation:
        """Those of its present life; without one, of the next."""
        lived = read_settings(self.entry.settings)
        found = lived if lived is not None and self.alive else self._described or lived
        if found is None:
            raise ManagerFailed(f"manager {self.name} is no longer in opennetvm.toml", permanent=True)
        return found

    @property
    def place(self) -> ManagerPlace:
        """See `settings`."""
        return self.settings.manager[0]

    def changes(self, nf_types: Iterable[str]) -> tuple[str, ...]:
        """What of opennetvm.toml is another than what it and NFs of these types were started by."""
        lived = read_settings(self.entry.settings)
        return changes(lived, self._described, nf_types) if lived is not None and self.alive else ()

    @property
    def pids(self) -> tuple[int, ...]:
        """Of its process, as `ThreadPatience` takes them; none where it was never started."""
        pid = self.entry.pid
        return () if pid is None else (pid,)

    @property
    def alive(self) -> bool:
        """Its process lives."""
        return self.entry.alive

    @property
    def port_numbers(self) -> tuple[int, ...]:
        """Its ports, as its figures number them."""
        return tuple(bit for bit in range(8) if self.place.port_mask >> bit & 1)

    def figures(self) -> ManagerFigures:
        """The last there are of its present life, or of one that ended by itself."""
        running = self.entry.running
        return ManagerFigures() if running is None else self.statistics.figures(alive=running.alive)

    def serves(self, service: int) -> bool:
        """By its own word some NF runs there, alive or not. Where its last figures say so, those that it writes from
        now on decide: an NF that has said goodbye a moment ago is still in the last."""
        if not _lists(self.figures(), service):
            return False
        before = self.statistics.written_ns()

        def gone() -> bool:
            found = self.statistics.newer(before)
            return found is not None and not _lists(found, service)

        return not ThreadPatience(REPORTED_S, *self.pids).wait_until(gone)

    def port_losses(self) -> PortLosses:
        """Packets that the cards of its ports dropped before it took them, in its present life, or in one that ended by
        itself."""
        running = self.entry.running
        if running is None:
            return PortLosses(0, 0)
        return self._telemetry.losses(self.settings.runtime_dir / self.place.prefix, running, self.port_numbers)

    @property
    def losses_trouble(self) -> str | None:
        """Why it does not report what its ports lose; None where it does, or none lives."""
        return self._telemetry.trouble if self.alive else None

    def is_worn(self, starts: int) -> bool:
        """It must be started again before so many NFs more."""
        entry = self.entry
        used = entry.starts + starts
        return entry.suspect or entry.dead > MAX_DEAD or used > MAX_STARTS

    @property
    def writes(self) -> bool:
        """Its figures are of a few seconds ago, and others will come."""
        return self.alive and (self.statistics.silent_s() or 0.0) <= STALE_S

    def hangs(self) -> bool:
        """It lives and writes nothing, though it could, or packets stand still under it: it must be ended, and nothing
        under it is waited for."""
        return self.alive and (self.statistics.is_stale() or self.packets.why is not None)

    def hang(self) -> str:
        """How it hangs, for a person."""
        why = self.packets.why
        return "hangs" if why is None else f"is stuck: {why}"

    def watch(self, figures: ManagerFigures, nfs: Iterable[NfEntry]) -> None:
        """Look whether packets stand still under it; about once a second. `nfs`: of its chain."""
        if self.alive:
            self.packets.take(self.statistics.written_ns(), figures, self.port_losses().missed, nfs)

    def ensure(self) -> None:
        """It runs and writes figures of its ports. Raises DriverError."""
        if self.alive:
            return
        self._end_all()
        self._clear()
        settings = self.settings
        fresh = ManagerEntry(name=self.name, note=self.entry.note, settings=settings.model_dump_json())
        self._registry.put_manager(fresh, ahead=True)
        try:
            self.statistics.clear()
            settings.runtime_dir.mkdir(mode=0o700, parents=True, exist_ok=True)  # EAL makes no parents
        except OSError as error:
            raise ManagerFailed(f"{error.filename}: {error.strerror}; free space or fix the folder") from error
        cwd = self.folder / "manager"
        running = start(manager_command(settings, settings.manager[0]), cwd, settings.environment)
        self._registry.put_manager(self.entry.model_copy(update={"pid": running.pid, "start_time": running.start_time}))
        ThreadPatience(MANAGER_START_S, running.pid).wait_until(lambda: not running.alive or self._has_ports())
        if not running.alive or not self._has_ports():
            why = self._why_not(running)
            stop(running, 1.0)
            running.forget()
            raise ManagerFailed(f"the manager of {self.place.port} does not start: {why}")
        metrics.DATA_PLANE_STARTS.inc()
        log.info("manager started", manager=self.name, pid=running.pid)

    def stop(self) -> None:
        """After its NFs. Its exit status says nothing, and it may hang. The registry still has it: see `ended`. Raises
        DriverError where another user's process has its prefix."""
        running = self.entry.running
        if running is not None:
            stop(running, 0.0 if self.entry.dead or self.hangs() else MANAGER_STOP_S)  # it waits for the dead for 10 s
        self._end_all()

    def end(self, note: str | None = None) -> None:
        """Stopped, cleared away and forgotten. Where no chain counts packets by it."""
        self.stop()
        self._registry.put_manager(self.ended(note))
        self._clear()
        log.info("manager ended", manager=self.name, note=note)

    def ended(self, note: str | None = None) -> ManagerEntry:
        """What is written down of it once it was stopped."""
        if (running := self.entry.running) is not None:
            running.forget()
        return ManagerEntry(
            name=self.name, note=note, settings=self.entry.settings
        )  # by which `_clear` finds its files

    def exit_reason(self) -> str | None:
        """How it ended; None while it lives or where it was never started."""
        running = self.entry.running
        return None if running is None or running.alive else f"its manager is gone: {how_it_ended(running)}"

    def give_instance(self) -> int:
        """A number that no NF of this manager has had: one that failed with an id poisons it for the next, and of one
        that somebody started by hand it would be believed that it is ours. Raises DriverError."""
        taken = self.statistics.ready() | self.figures().nfs.keys()
        free = (number for number in range(self.entry.starts + 1, MAX_INSTANCE + 1) if number not in taken)
        number = next(free, None)
        if number is None:
            self.suspect()
            raise DriverError(
                f"the manager of {self.place.port} has no instance id left for an NF: {len(taken)} are held, also by"
                " NFs that Sextant did not start; the manager is started again"
            )
        return self._registry.put_manager(self.entry.model_copy(update={"starts": number}), ahead=True).starts

    def count_dead(self) -> None:
        """One more NF has ended without notifying it."""
        entry = self.entry
        self._registry.put_manager(entry.model_copy(update={"dead": entry.dead + 1}))

    def suspect(self) -> None:
        """Start it again before the next NF."""
        self._registry.put_manager(self.entry.model_copy(update={"suspect": True}))

    def trim_log(self) -> None:
        """See `processes.trim_log`."""
        trim_log(self.folder / "manager")

    def end_strangers(self, ours: Sequence[int]) -> None:
        """Processes of its prefix that the registry does not name: their agent died before it had written them down.
        What another user started there is left running, and logged: an agent starts all the same."""
        for running in of_prefix(prefix_of(self.name)):
            if running.pid in ours or running.pid == self.entry.pid:
                continue
            try:
                reported = stop(running, NF_STOP_S if self.alive else 0.0)
            except DriverError as error:
                log.warning("a stranger is left", cause=str(error), manager=self.name)
                continue
            log.warning("ended a process that no entry names", pid=running.pid, manager=self.name)
            if not reported:
                self.count_dead()

    def _end_all(self) -> None:
        """Raises DriverError naming one that is another user's, once all others are ended."""
        left: DriverError | None = None
        for running in of_prefix(prefix_of(self.name)):
            try:
                stop(running, 0.0)
            except DriverError as error:
                left = error
        if left is not None:
            raise DriverError(f"{left}; its file prefix is that of the manager of {self.place.port}") from left

    def _clear(self) -> None:
        """Where its last life left files, and where the next would find some. Raises DriverError."""
        for settings in (read_settings(self.entry.settings), self._described):
            if settings is not None:
                clear(settings, settings.manager[0])

    def _has_ports(self) -> bool:
        return self.statistics.figures(alive=True).ports.keys() >= set(self.port_numbers)

    def _why_not(self, running: Running) -> str:
        """It has ended, or lives without figures of all of its ports."""
        silent = self.statistics.silent_s()
        if not running.alive or silent is None:
            log = self.folder / "manager" / "log"
            return f"{failure_text(tail(log), running.exit_code).message} (all that it said: {log})"
        if self.statistics.is_empty():
            return f"it writes empty files into {self.folder}: is the disk full?"
        ports = ", ".join(map(str, self.statistics.figures(alive=True).ports)) or "none"
        return (
            f"it has not all ports of port_mask {self.place.port_mask:#x} (those it has: {ports}): bind the card to"
            " vfio-pci, and name it in `eal` of opennetvm.toml"
        )


def _lists(figures: ManagerFigures, service: int) -> bool:
    return any(nf.service == service for nf in figures.nfs.values())
