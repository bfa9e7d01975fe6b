"""The five methods over programs in the kernel, which a root daemon keeps, and processes on packet sockets."""

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import assert_never

from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.desired import DesiredChain, HostContent, NfState
from sextant_domain.hosts.packet_capture import CapturedPacket
from sextant_domain.profiling.profile import ProfileRequest, ProfileResult

from sextant_agent.contract.driver import (
    NO_SECRETS,
    ApplyReport,
    CpuGiven,
    Failure,
    HostOffer,
    MemoryOffer,
    NfCpuTime,
    NfTimes,
    PortFound,
    WayFound,
)
from sextant_agent.contract.errors import DataPlaneDown, DriverError, NotSupported
from sextant_agent.contract.sample import ChainCounters, HostSample, NfCounters, NfResources
from sextant_agent.control.cpu_control import CpuControl, cpu_of
from sextant_agent.control.differences import Difference, Kind, differences
from sextant_agent.control.helper_client import HelperClient, NfGroup
from sextant_agent.control.nf_memory import NfMemory
from sextant_agent.control.resource_control import ResourceControl, ResourceReading
from sextant_agent.control.running import how_it_ended, let_go
from sextant_agent.control.socket_folder import socket_folder
from sextant_agent.drivers.srv6.answers import (
    DaemonHello,
    DaemonRead,
    DaemonWindows,
    NfFigures,
    ProcessHello,
    SinkFigures,
    SourceFigures,
)
from sextant_agent.drivers.srv6.capture import captured
from sextant_agent.drivers.srv6.chains import Chains
from sextant_agent.drivers.srv6.inventory import (
    NAME,
    NF_TYPES,
    NOT_MEASURED,
    inventory_of,
    kernel_nfs,
    quota_bounds,
)  # fmt: skip
from sextant_agent.drivers.srv6.kernel_nfs import KernelNfs
from sextant_agent.drivers.srv6.measured import Measured
from sextant_agent.drivers.srv6.nf_figures import NfQuestions
from sextant_agent.drivers.srv6.passed import PassedPackets
from sextant_agent.drivers.srv6.place import Srv6Place
from sextant_agent.drivers.srv6.processes import ProcessFolder, cores_of, threads_of
from sextant_agent.drivers.srv6.record import ChainEntry, NfEntry, ProcessEntry, Srv6Record
from sextant_agent.drivers.srv6.ways import Ways
from sextant_agent.kit.line_client import Answer, LineAnswer, LineClient, LineError
from sextant_agent.machine.inventory import CoreSharing
from sextant_agent.machine.machine import read_machine
from sextant_agent.measuring.watch import MeasurementWatch

LONGEST_SOCKET = "9999999999.sock"
DAEMON_UID = 0


class Srv6Driver:
    """Safe for several threads: sampling goes on while an order is carried out."""

    name = NAME

    def __init__(
        self, host_id: str, state_dir: Path, place: Srv6Place, *,
        cores: tuple[int, ...] | None = None, sharing: CoreSharing = "small-hosts", socket_dir: Path | None = None,
        helper_socket: Path | None = None, root: Path = Path("/"),
    ) -> None:  # fmt: skip
        """`root`: where the machine's /sys and /proc are read. What an earlier agent started goes on."""
        self._host_id, self._place = host_id, place
        self._cores, self._sharing, self._root = cores, sharing, root
        folder = state_dir / NAME
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sockets = socket_folder(folder, socket_dir, LONGEST_SOCKET)
        self._daemon = LineClient(place.daemon, "sextant-srv6", DAEMON_UID)
        self._record = Srv6Record(folder / "record.json")
        self._folder = ProcessFolder(folder, sockets)
        self._ways = Ways(place, self._record, self._daemon, DAEMON_UID)
        self.rerouting = place.rerouting
        helper = HelperClient(helper_socket or sockets / "helper.sock")
        self._cpu = CpuControl(helper, host_id, [place.program("nf")])
        self._resources = ResourceControl(helper, self._cpu.start, root)
        self._memory = NfMemory(helper, self._resources, root)
        self._applying = threading.Lock()
        self._opened = False
        self._last: dict[int, NfFigures] = {}
        """By number of an NF's process: what it said last."""
        self._questions = NfQuestions(self._folder)
        self._measured: Measured | None = None
        """What the daemon said last."""
        self._kernel_nfs = KernelNfs(self._daemon)
        self._passed = PassedPackets()
        self._bounds: tuple[int, ...] = ()
        """Of latencies, as sinks count them."""

    def inventory(self) -> HostOffer:
        """This machine, and whether packets can be carried now."""
        machine = read_machine(self._root, self._cores)
        (why_not, no_firewalls), cpu, place = self._why_not(), self._cpu.capability(), self._place.reported
        memory = self._resources.capabilities()
        extra = [cpu, *memory, quota_bounds(why_not, cpu), kernel_nfs(why_not or no_firewalls)]
        host = inventory_of(machine, self._host_id, self._sharing, place, why_not, extra, self._cpu.budget())
        types = frozenset(kind for kind in NF_TYPES if not host.cannot_run(kind))
        return HostOffer(host=host, nf_types=types, traffic_core=host.traffic_core)

    def apply(
        self, content: HostContent, hold: frozenset[str] = frozenset(), secrets: SecretValues = NO_SECRETS
    ) -> ApplyReport:
        """By difference; a chain with other NFs or configuration is removed and added."""
        with self._applying:
            chains = Chains(self._place, self._daemon, self._record, self._folder, self._ways, secrets=secrets)
            self._open(chains)
            found = self._sample()
            wanted = {chain.chain: chain for chain in content.chains}
            done: list[str] = []
            failures: dict[str, Failure] = {}
            for gap in differences(content, found):
                if gap.kind in {Kind.CPU, Kind.RESOURCES} or gap.keys & hold or gap.chain in failures:
                    continue
                try:
                    done.append(self._repair(chains, gap, wanted))
                except DriverError as error:
                    failures[gap.key] = Failure(str(error), permanent=error.permanent)
                except LineError as error:
                    failures[gap.key] = Failure(str(error))
            if done:  # by now there are other processes
                found = self._sample()
                self._forget_ended()
            for control in (self._cpu, self._resources):
                given, refused = control.repair(content, found, hold.union(failures))
                done, failures = [*done, *given], failures | refused
            return ApplyReport(done=tuple(done), failures=failures)

    def sample(self) -> HostSample:
        """Each process is asked, the kernel where it may run, and the daemon what packets have measured."""
        measured = None
        with suppress(LineError):
            measured = Measured.of(self._daemon.ask(DaemonRead, "read"))
        remark = None if measured is None else measured.remark(self._measured)
        self._measured = measured or self._measured
        return self._sample(measured, remark)

    def nf_times(self) -> Mapping[str, NfTimes]:
        """By one question to the daemon, which keeps the windows."""
        try:
            found = {nf.nf_id: nf for nf in self._daemon.ask(DaemonWindows, "windows").nfs}
        except LineError as error:
            raise DataPlaneDown(str(error)) from error
        return {
            nf.nf_id: found[nf.nf_id].times((self._record.epoch, nf.process.number), owes=not nf.in_kernel)
            for entry in list(self._record.chains.values())
            for nf in entry.nfs
            if nf.nf_id in found and (nf.in_kernel or nf.process.alive)
        }

    def nf_cpu(self) -> Mapping[str, NfCpuTime]:
        """Of groups that hold the NF's process."""
        groups, why_not = self._cpu.read_groups()
        if why_not is not None:
            raise DriverError(why_not)
        return {
            nf.nf_id: NfCpuTime(cpu, group.cpu_ns)
            for entry in list(self._record.chains.values())
            for nf in entry.nfs
            if (group := groups.get(nf.nf_id)) is not None and (cpu := cpu_of(nf.process.pid, group)) is not None
        }

    def cpu_budget(self) -> float | None:
        """As the root helper was started."""
        return self._cpu.budget()

    def counted(self) -> HostSample:
        """The daemon is not asked: that would begin a new interval."""
        return self._sample()

    def give_cpu(self, given: Mapping[str, CpuGiven]) -> None:
        """Through the root helper."""
        self._cpu.give(given)

    def memory_offer(self) -> MemoryOffer:
        """By resctrl, as the root helper reads it."""
        return self._memory.offer(threads_of(self._record.chains.values()))

    def give_memory(self, given: Mapping[str, NfResources]) -> Mapping[str, str]:
        """Through the root helper."""
        return self._memory.give(given, threads_of(self._record.chains.values()), self._applying)

    def expected_ways(self) -> Sequence[WayFound]:
        """By the record."""
        return self._ways.expected()

    def await_ports(self, known: frozenset[str] | None, wait_s: float) -> Mapping[str, PortFound]:
        """The daemon waits."""
        return self._ways.await_ports(known, wait_s)

    def chain_ways(self) -> Sequence[WayFound]:
        """As the kernel has them."""
        return self._ways.found()

    def lead(self, way: WayFound, port: str) -> bool:
        """By one update of a map."""
        return self._ways.lead(way, port)

    def capture(self, chain: str, packets: int) -> tuple[CapturedPacket, ...]:
        """Over a connection of its own: nothing else waits meanwhile."""
        entry = self._record.chains.get(chain)
        if entry is None:
            raise DriverError(f"{chain} does not run here", permanent=True)
        daemon = LineClient(self._place.daemon, "sextant-srv6", DAEMON_UID)
        with closing(daemon):
            return captured(daemon, self._place.program("decode"), entry.path, packets)

    def profile(self, request: ProfileRequest, watch: MeasurementWatch) -> ProfileResult:
        """Not with this driver."""
        del request, watch
        raise NotSupported(NOT_MEASURED)

    def close(self) -> None:
        """Programs and processes go on, for a successor to adopt."""
        self._daemon.close()
        self._ways.close()
        self._cpu.close()
        let_go()

    def _why_not(self) -> tuple[str | None, str | None]:
        """Why packets cannot be carried now, and why there can be no NFs in the kernel."""
        try:
            hello = self._daemon.ask(DaemonHello, "hello")
        except LineError as error:
            return str(error), str(error)
        return hello.reason, hello.no_firewalls

    def _open(self, chains: Chains) -> None:
        """The daemon answers and knows this host; what no entry names is gone. Raises DataPlaneDown."""
        try:
            if (reason := self._daemon.ask(DaemonHello, "hello").reason) is not None:
                raise DataPlaneDown(f"packets cannot be carried here: {reason}")
            place = self._place
            self._daemon.ask(
                LineAnswer, "set_host", own=[str(place.locator)], others=sorted(map(str, place.others)),
                sources=sorted(map(str, {place.source, *place.sources})),
            )  # fmt: skip
            for link in place.link:
                self._daemon.ask(LineAnswer, "attach", port=link.port, kind="core")
            if not self._opened:
                self._folder.end_strangers([one for entry in self._record.chains.values() for one in entry.processes])
                read = self._daemon.ask(DaemonRead, "read")
                ends = {end.chain for end in (*read.edges, *read.exits)}
                chains.clear({"nfs": {nf.nf_id for nf in read.nfs}, "chains": ends})
                self._forget_ended()
                self._opened = True
        except LineError as error:
            raise DataPlaneDown(f"{error}; start it as root: sextant-srv6 --help") from error

    def _forget_ended(self) -> None:
        """Groups of NFs that are gone: by an earlier agent, too."""
        self._cpu.forget_ended()
        self._resources.forget_ended()

    def _repair(self, chains: Chains, gap: Difference, wanted: Mapping[str, DesiredChain]) -> str:
        match gap.kind:
            case Kind.REMOVE:
                return chains.remove(gap.chain)
            case Kind.ADD:
                return chains.add(wanted[gap.chain])
            case Kind.REPLACE:
                return f"{chains.remove(gap.chain)}; {chains.add(wanted[gap.chain])}"
            case Kind.RESTART | Kind.MOVE | Kind.CONFIGURE:
                return self._repair_nf(chains, gap, wanted[gap.chain])
            case Kind.SOURCE:
                return chains.set_source(wanted[gap.chain])
            case Kind.PAUSE | Kind.RESUME:
                return chains.pause(gap.chain, paused=gap.kind is Kind.PAUSE)
            case Kind.EXECUTION:
                raise DriverError("every NF of this host has a process of its own", permanent=True)
            case Kind.START | Kind.CPU | Kind.RESOURCES:
                raise ValueError(f"{gap.kind} is not repaired here")
            case _:
                assert_never(gap.kind)

    def _repair_nf(self, chains: Chains, gap: Difference, chain: DesiredChain) -> str:
        nf = next(nf for nf in chain.nfs if nf.nf_id == gap.key)
        if gap.kind is Kind.MOVE:
            return chains.move(chain.chain, nf.nf_id, nf.core)
        if gap.kind is Kind.CONFIGURE:
            return chains.configure(chain, nf)
        held = next(one for one in self._record.chains[chain.chain].nfs if one.nf_id == nf.nf_id)
        last = self._kernel_nfs.last(held) if held.in_kernel else self._last.get(held.process.number, NfFigures())
        return chains.restart(chain, nf.nf_id, last)

    def _sample(self, measured: Measured | None = None, remark: str | None = None) -> HostSample:
        """`measured`: asking the daemon begins a new interval, so none before an order is carried out."""
        taken_ns, taken_at = time.monotonic_ns(), datetime.now(UTC)
        entries = list(self._record.chains.values())
        groups, no_cpu_control = self._cpu.read_groups()
        memory = self._resources.read()
        living = {nf.process.number for entry in entries for nf in entry.nfs}
        self._last = {number: figures for number, figures in self._last.items() if number in living}
        self._questions.keep(living)
        self._passed.count(entries, measured, taken_ns)
        self._kernel_nfs.look(entries)
        why_not, _ = self._why_not()
        return HostSample(
            taken_ns=taken_ns,
            taken_at=taken_at,
            epoch=self._record.epoch,
            note=remark if why_not is None else f"packets go on, and nothing can be changed: {why_not}",
            latency_bounds_ns=self._latency_bounds(entries),
            chains={entry.chain: self._chain(entry, measured) for entry in entries},
            nfs={nf.nf_id: self._nf(entry, nf, groups.get(nf.nf_id), memory) for entry in entries for nf in entry.nfs},
            no_cpu_control=no_cpu_control,
            no_resource_control=memory.why_not,
        )

    def _latency_bounds(self, entries: list[ChainEntry]) -> tuple[int, ...]:
        for entry in entries:
            if not self._bounds and (hello := self._ask(entry.sink, ProcessHello, "hello")) is not None:
                self._bounds = hello.latency_bounds_ns
        return self._bounds if entries else ()

    def _chain(self, entry: ChainEntry, measured: Measured | None) -> ChainCounters:
        """What an edge refuses has not entered: it is what the source lost."""
        source = self._ask(entry.packet_source, SourceFigures, "query")
        sink = self._ask(entry.sink, SinkFigures, "query")
        missing = (source is None and entry.path.enters) or (sink is None and entry.path.leaves)
        source, sink = source or SourceFigures(), sink or SinkFigures()
        path, passed = entry.path, self._passed.of(entry)
        whole = path.enters and path.leaves
        came, went = (passed.came, passed.went) if passed is not None else (0, 0)
        return ChainCounters(
            chain=entry.chain,
            fingerprint=None if missing else entry.fingerprint,
            instance=entry.instance if whole or passed is not None else -entry.instance,  # nothing is counted yet
            offered=source.offered if path.enters else came,
            sent=source.sent if path.enters else came,
            delivered=sink.delivered if path.leaves else went,
            source_drops=source.source_drops + source.unsent,
            latency_counts=sink.latency_counts,
            delivered_bytes=sink.delivered_bytes if path.leaves else None,
            counted_ns=None if whole or passed is None else passed.counted_ns,
            paused=entry.paused,
            path=None if measured is None else measured.hops(self._host_id, entry.nfs),
            transits=() if measured is None or not path.leaves else measured.transits(path),
        )

    def _nf(self, entry: ChainEntry, nf: NfEntry, group: NfGroup | None, memory: ResourceReading) -> NfCounters:
        if nf.in_kernel:
            return self._kernel_nfs.counters(entry.chain, nf)
        running = nf.process.running
        alive = running is not None and running.alive
        if alive and (now := self._questions.figures(nf.process)) is not None:
            self._last[nf.process.number] = now
        total = nf.before + self._last.get(nf.process.number, NfFigures())
        pid = nf.process.pid if alive else None
        cores = cores_of(pid) if pid is not None else set()
        ended = nf.exit if alive or running is None else how_it_ended(running)
        found = NfCounters(
            nf_id=nf.nf_id,
            chain=entry.chain,
            nf_type=nf.nf_type,
            state=NfState.RUNNING if alive else NfState.CRASHED,
            pid=pid,
            core=next(iter(cores)) if len(cores) == 1 else None,
            last_core=nf.core,
            starts=nf.starts,
            exit=ended,
            rx=total.rx,
            tx=total.tx,
            drops=total.drops,
            filtered=total.filtered,
            cycles=total.cycles,
            cpu_ns=total.cpu_ns,
            busy_ns=total.busy_ns,
            sleeps=True,
            cpu=cpu_of(pid, group),
            thread=pid,  # it works in its process's first thread
        )
        return self._resources.reported(memory, found)

    def _ask(self, process: ProcessEntry | None, answer: type[Answer], op: str) -> Answer | None:
        """None where it is not here, or does not answer."""
        with suppress(LineError):
            return self._folder.ask(process, answer, op) if process is not None and process.alive else None
        return None
