"""The five methods over OpenNetVM: managers and NFs as processes of this host, watched by their pids."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import assert_never

from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.desired import DesiredChain, HostContent, NfState
from sextant_domain.profiling.profile import ProfileRequest, ProfileResult

from sextant_agent.contract.driver import NO_SECRETS, ApplyReport, HostOffer, ResourcesGiven
from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.fingerprint import Fingerprint
from sextant_agent.contract.sample import ChainCounters, HostSample, NfCounters
from sextant_agent.control.cpu_control import CpuControl, cpu_of
from sextant_agent.control.differences import Difference, Kind, differences
from sextant_agent.control.helper_client import HelperClient, NfGroup
from sextant_agent.control.own_group import profiling_resources, profiling_resources_remote
from sextant_agent.control.resource_control import ResourceControl
from sextant_agent.control.running import how_it_ended, let_go
from sextant_agent.drivers.opennetvm.adoption import adopt, unnamed
from sextant_agent.drivers.opennetvm.chains import Chains
from sextant_agent.drivers.opennetvm.counting import Counting
from sextant_agent.drivers.opennetvm.ends import Ends
from sextant_agent.drivers.opennetvm.figures import ManagerFigures
from sextant_agent.drivers.opennetvm.installation import OpenNetVmInstallation
from sextant_agent.drivers.opennetvm.inventory import NAME, inventory_of, port_losses
from sextant_agent.drivers.opennetvm.limits import STALE_S
from sextant_agent.drivers.opennetvm.manager import Manager
from sextant_agent.drivers.opennetvm.nf_process import nf_folder
from sextant_agent.drivers.opennetvm.placing import WAY_OUT_ID
from sextant_agent.drivers.opennetvm.process_registry import ChainEntry, NfEntry, ProcessRegistry, settled_path
from sextant_agent.drivers.opennetvm.processes import cpu_of_thread, packet_thread, trim_log
from sextant_agent.drivers.opennetvm.profiling.profiler import BESIDE_ITS_MANAGER, OpenNetVmProfiler
from sextant_agent.drivers.opennetvm.profiling.protocol import OWN_SHARE
from sextant_agent.drivers.opennetvm.programs import programs, runnable_types
from sextant_agent.drivers.opennetvm.sightings import Remembered, reader_is_apart
from sextant_agent.drivers.opennetvm.start_settings import hash_of, runs_by_others, settings_of
from sextant_agent.drivers.opennetvm.take_over import TakeOver
from sextant_agent.drivers.opennetvm.turns import Turns
from sextant_agent.machine.machine import read_machine
from sextant_agent.measuring.watch import MeasurementWatch

_ENDING = {Kind.REMOVE, Kind.REPLACE, Kind.RESTART}
"""What ends processes first, which may not hear of it."""


class OpenNetVmDriver:
    """Applying and sampling may go on at once: a manager takes seconds to start, and others must be seen meanwhile."""

    name = NAME

    def __init__(
        self, host_id: str, state_dir: Path, installation: OpenNetVmInstallation, *,
        cores: tuple[int, ...] | None = None, helper_socket: Path | None = None,
        root: Path = Path("/"), news: Callable[[], str | None] = lambda: None, own_share: float = OWN_SHARE,
    ) -> None:  # fmt: skip
        """`root`: where the machine's /sys and /proc are read. `news`: of opennetvm.toml since `installation` was read
        from it. `own_share`: see `Period.fault`. Whatever an earlier agent started goes on, but for measurements."""
        self._host_id = host_id
        self._root = root
        self._news = news
        self._installation = installation
        self._cores = cores
        folder = state_dir / NAME
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._registry = ProcessRegistry(settled_path(folder))
        self._registry.describe(hash_of(installation))
        names = [*(place.name for place in installation.manager), *unnamed(installation, self._registry)]
        self._managers = {
            name: Manager(name, settings_of(installation, name), folder / name, self._registry) for name in names
        }
        self._counting = Counting(self._registry, self._managers)
        self._remembered = Remembered()
        helper = HelperClient(helper_socket or state_dir / "helper.sock")
        running = (manager.settings for manager in self._managers.values())
        binaries = {path: None for settings in (installation, *running) for path in programs(settings)}
        self._cpu = CpuControl(helper, host_id, tuple(binaries))
        self._resources = ResourceControl(helper, self._cpu.start, root)
        self._take_over = TakeOver(folder)
        self._applying = threading.Lock()
        self._in_work: dict[str, Difference] = {}
        """By chain whose processes are being changed: why."""
        self._ended = threading.Event()
        self._reported_exits: Callable[[], None] = lambda: None
        self._ends = Ends(self._hear)
        adopt(installation, self._managers, self._registry)
        self._profiler = OpenNetVmProfiler(
            installation, folder / "profiling", self._registry, helper, own_share=own_share, root=root
        )

    def inventory(self) -> HostOffer:
        """This machine, less what managers take; NF types whose programs are built."""
        machine = read_machine(self._root, self._cores)
        losses = port_losses(manager.losses_trouble for manager in self._managers.values())
        profiling, resources = self._profiler.capabilities(), self._resources.capabilities()
        remote = (profiling_resources_remote(BESIDE_ITS_MANAGER),) if len(machine.node_memory_bytes) > 1 else ()
        levels = (profiling_resources((*profiling, *resources), "packet thread"), *remote)
        extra = (self._cpu.capability(), *resources, *levels, losses, *profiling)
        host = inventory_of(self._installation, machine, self._host_id, extra)
        host = host.model_copy(update={"cpu_budget_percent": self._cpu.budget()})
        return HostOffer(host=host, nf_types=runnable_types(self._installation))

    def apply(
        self, content: HostContent, hold: frozenset[str] = frozenset(), secrets: SecretValues = NO_SECRETS
    ) -> ApplyReport:
        """By difference. A chain's manager is started with its first NF, and ended after its last. No stock NF takes
        a secret: its arguments stand on a command line, for all to read."""
        del secrets
        with self._applying, self._profiler.standing_aside() if content.chains else nullcontext():
            host = self.inventory().host
            chains = Chains(
                self._installation, self._managers, self._registry, self._counting,
                {core.id: core.node for core in host.cores},
            )  # fmt: skip
            wanted = {chain.chain: chain for chain in content.chains}

            def find_gaps() -> list[Difference]:
                gaps = differences(content, self._sample())
                return [gap for gap in gaps if gap.kind not in {Kind.CPU, Kind.RESOURCES} and not gap.keys & hold]

            def repair(gap: Difference) -> str | None:
                self._in_work[gap.chain] = gap
                try:
                    return _repair(chains, gap, wanted)
                finally:
                    self._in_work.pop(gap.chain, None)

            outcome = Turns(find_gaps, repair, self._ended).take()
            done, failures, found = outcome.done, outcome.failures, self._sample()
            if done:  # by now there are other processes
                self._cpu.forget_ended()
                self._resources.forget_ended()
            for control in (self._cpu, self._resources):
                given, refused = control.repair(content, found, hold.union(failures))
                done, failures = [*done, *given], failures | refused
            return ApplyReport(done=tuple(done), failures=failures)

    def sample(self) -> HostSample:
        """Processes by the kernel's word, packets by the managers'."""
        return self._sample()

    def give_resources(self, given: Sequence[ResourcesGiven], found: HostSample) -> None:
        """Through the root helper."""
        self._resources.give(given, found, self._applying)

    def profile(self, request: ProfileRequest, watch: MeasurementWatch) -> ProfileResult:
        """An NF alone, while this host carries no chain."""
        host = self.inventory().host
        offered = [core.id for core in host.cores if core.slots]
        return self._profiler.profile(request, offered, {core.id: core.node for core in host.cores}, watch)

    def close(self) -> None:
        """Processes lead sessions of their own, and go on."""
        self._ends.close()
        self._cpu.close()
        let_go()

    def call_at_exits(self, call: Callable[[], None]) -> None:
        """Of managers and NFs, whoever started them; from a thread of its own."""
        self._reported_exits = call

    def _hear(self) -> None:
        self._ended.set()
        self._reported_exits()

    def _sample(self) -> HostSample:
        taken_ns, taken_at = time.monotonic_ns(), datetime.now(UTC)
        self._follow()
        entries = [entry for entry in self._registry.chains.values() if entry.manager in self._managers]
        self._remembered.keep({nf.nf_id for entry in entries for nf in entry.nfs})
        for entry in entries:
            self._trim(entry)
        groups, no_cpu_control = self._cpu.read_groups()
        resources = self._resources.read()
        figures = {name: self._managers[name].figures() for name in {entry.manager for entry in entries}}
        for entry in entries:
            self._managers[entry.manager].watch(figures[entry.manager], entry.nfs)
        nfs = [
            self._resources.reported(resources, self._nf(entry, nf, groups.get(nf.nf_id), figures[entry.manager]))
            for entry in entries
            for nf in entry.nfs
            if nf.nf_id != WAY_OUT_ID
        ]
        return HostSample(
            taken_ns=taken_ns,
            taken_at=taken_at,
            epoch=self._registry.epoch,
            note="; ".join(self._notes(entries)) or None,
            busy=", ".join(gap.text for gap in list(self._in_work.values()) if gap.kind in _ENDING) or None,
            chains={entry.chain: self._chain(entry, figures[entry.manager]) for entry in entries},
            nfs={nf.nf_id: nf for nf in nfs},
            no_cpu_control=no_cpu_control,
            no_resource_control=resources.why_not,
        )

    def _follow(self) -> None:
        """All that the registry names and that lives."""
        named = [
            *self._registry.managers.values(),
            *(nf for entry in self._registry.chains.values() for nf in entry.nfs),
        ]
        self._ends.follow({entry.running for entry in named if entry.running is not None and entry.alive})

    def _notes(self, entries: Iterable[ChainEntry]) -> Iterator[str]:
        for manager in self._managers.values():
            silent = manager.statistics.silent_s() or 0.0
            written = f"the manager of {manager.place.port} has written nothing for {silent:.0f} s"
            if manager.alive and manager.packets.why is not None:
                yield f"the manager of {manager.place.port} {manager.hang()}"
            elif manager.hangs():
                yield written
            elif manager.alive and silent > STALE_S:
                yield f"{written}: this host has no CPU or disk for it"
            elif manager.entry.note:
                yield manager.entry.note
        for entry in entries:
            if changed := self._changes(entry):
                yield runs_by_others(entry.chain, changed)
        if news := self._news():
            yield news

    def _changes(self, entry: ChainEntry) -> tuple[str, ...]:
        return self._managers[entry.manager].changes(nf.nf_type for nf in entry.nfs)

    def _is_asked_for(self, entry: ChainEntry) -> bool:
        """Somebody wants it to run by what opennetvm.toml says now, and it does not."""
        if not self._take_over.is_asked(entry.chain):
            return False
        if self._changes(entry):
            return True
        self._take_over.done(entry.chain)
        return False

    def _trim(self, entry: ChainEntry) -> None:
        manager = self._managers[entry.manager]
        manager.trim_log()
        for nf in entry.nfs:
            trim_log(nf_folder(manager, nf))

    def _chain(self, entry: ChainEntry, figures: ManagerFigures) -> ChainCounters:
        """What arrived at its port is offered; what OpenNetVM received of it has entered, and the rest is lost to its
        card; what the port sent has arrived."""
        port = self._counting.port(entry, figures)
        whole = (entry.structure and entry.nfs[-1].nf_id != WAY_OUT_ID) or self._way_out_lives(entry)
        return ChainCounters(
            chain=entry.chain,
            fingerprint=Fingerprint(entry.structure, entry.source) if whole and not self._is_asked_for(entry) else None,
            instance=entry.instance,
            offered=port.received + port.lost,
            sent=port.received,
            delivered=min(port.sent, port.received),
            source_drops=port.lost,
            counted_ns=figures.written_ns if self._managers[entry.manager].writes else None,
        )

    def _way_out_lives(self, entry: ChainEntry) -> bool:
        return bool(entry.structure) and (entry.nfs[-1].alive or not self._managers[entry.manager].alive)

    def _nf(self, entry: ChainEntry, nf: NfEntry, group: NfGroup | None, figures: ManagerFigures) -> NfCounters:
        manager, total = self._managers[entry.manager], self._counting.of(entry, nf, figures)
        state, ended = self._state(manager, nf)
        if state is NfState.CRASHED and entry.chain in self._in_work:
            state = NfState.STARTING
        thread = packet_thread(nf.pid) if nf.pid is not None and state is NfState.RUNNING else None
        core = cpu_of_thread(thread) if thread is not None else None
        seen = self._remembered.of(nf, core, total.cpu_ns, figures)
        return NfCounters(
            nf_id=nf.nf_id,
            chain=entry.chain,
            nf_type=nf.nf_type,
            state=state,
            pid=nf.pid if nf.alive else None,
            core=core,
            last_core=nf.cpu,
            starts=nf.starts,
            exit=ended,
            rx=total.rx,
            tx=total.tx,
            drops=total.drops + self._failed_to_hand_on(entry, nf, figures),
            filtered=total.filtered,
            cpu_ns=total.cpu_ns,
            sleeps=manager.place.shared,
            sightings=seen if reader_is_apart(manager.place, entry, nf) else None,
            ring_drops=total.ring_drops,
            cpu=cpu_of(nf.pid, group) if state is NfState.RUNNING else None,
            thread=thread,
        )

    def _failed_to_hand_on(self, entry: ChainEntry, nf: NfEntry, figures: ManagerFigures) -> int:
        """To the way out, which nobody knows: what its full ring refuses is a loss of the last that was ordered."""
        *_, before, last = (None, *entry.nfs)
        return self._counting.of(entry, last, figures).drops if last.nf_id == WAY_OUT_ID and nf == before else 0

    def _state(self, manager: Manager, nf: NfEntry) -> tuple[NfState, str | None]:
        if nf.running is None:
            return NfState.CRASHED, "it did not start"
        if not nf.alive:
            return NfState.CRASHED, how_it_ended(nf.running)
        gone = manager.exit_reason()
        if gone is not None:
            return NfState.CRASHED, gone
        if manager.hangs():
            return NfState.CRASHED, f"its manager {manager.hang()}"
        return (NfState.RUNNING if nf.ready else NfState.STARTING), nf.exit


def _repair(chains: Chains, gap: Difference, wanted: Mapping[str, DesiredChain]) -> str | None:
    match gap.kind:
        case Kind.REMOVE:
            return chains.remove(gap.chain)
        case Kind.ADD:
            return chains.add(wanted[gap.chain])
        case Kind.REPLACE:
            return chains.replace(wanted[gap.chain])
        case Kind.SOURCE:
            return chains.note_traffic(wanted[gap.chain])
        case Kind.RESTART:
            return chains.restart(wanted[gap.chain], gap.key)
        case Kind.MOVE:
            chain = wanted[gap.chain]
            return chains.move(chain, gap.key, next(nf.core for nf in chain.nfs if nf.nf_id == gap.key))
        case Kind.EXECUTION | Kind.PAUSE | Kind.RESUME | Kind.CONFIGURE | Kind.RESOURCES | Kind.CPU | Kind.START:
            raise DriverError(f"{gap.text}: this driver cannot do that", permanent=True)
        case _:
            assert_never(gap.kind)
