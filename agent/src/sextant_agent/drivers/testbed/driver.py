"""The testbed driver: real NFs on this machine's cores, moved and supervised through the runner's control socket."""

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from sextant_domain.chains.cpu_bounds import RATE_COST_CAPABILITY
from sextant_domain.chains.lane import LANES
from sextant_domain.chains.match import IPV6
from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.desired import HostContent, NfState
from sextant_domain.hosts.host import SHARE_LINES, SHARED_SLOTS, Capability, HostInventory, traffic_core
from sextant_domain.profiling.profile import ProfileRequest, ProfileResult

from sextant_agent.contract.driver import NO_SECRETS, ApplyReport, CpuGiven, Failure, HostOffer, ResourcesGiven
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.sample import ChainCounters, CoreUse, HostSample, NfCounters
from sextant_agent.control.cpu_control import CpuControl, cpu_of
from sextant_agent.control.differences import Kind, differences
from sextant_agent.control.helper_client import HelperClient, NfGroup
from sextant_agent.control.own_group import profiling_resources, profiling_resources_remote
from sextant_agent.control.resource_control import ResourceControl, ResourceReading
from sextant_agent.control.socket_folder import socket_folder
from sextant_agent.drivers.testbed.profile import BEHIND_RINGS, BINARY_NAME, TestbedProfiler
from sextant_agent.drivers.testbed.record import TestbedRecord
from sextant_agent.drivers.testbed.repair import ChainRepair
from sextant_agent.drivers.testbed.runner_client import RunnerClient, RunnerError
from sextant_agent.drivers.testbed.runner_messages import NfAnswer, QueryAnswer
from sextant_agent.drivers.testbed.runner_process import RunnerProcess
from sextant_agent.machine.inventory import CoreSharing, build_inventory, exclusive_cores
from sextant_agent.machine.machine import read_machine
from sextant_agent.machine.proc import pinned_core
from sextant_agent.measuring.watch import MeasurementWatch

EXECUTION = Capability(
    name="run-to-completion", available=True, reason="NFs of a chain on one core can share a process of the runner"
)
PAUSE = Capability(name="pause", available=True, reason="the runner makes the packets itself, and can stop making them")
SLOTS = Capability(
    name=SHARED_SLOTS, available=True, reason="NFs sleep while they have no packets, and the kernel divides their core"
)
LANE = Capability(name=LANES, available=True, reason="the runner can send the flows of one lane of a chain alone")
IPV6_MATCH = Capability(name=IPV6, available=True, reason="the runner makes packets of IPv6, and its NFs read them")
LINES = Capability(
    name=SHARE_LINES, available=True, reason="cores are divided from the measured shares that orders hold"
)
RATE_COST = Capability(
    name=RATE_COST_CAPABILITY, available=True, reason="cores can be divided by what packets cost as well"
)
CONFIGURE = Capability(
    name="configure", available=True, reason="the runner changes a load balancer's backends while packets flow"
)


class TestbedDriver:
    """Five methods over one runner. Safe for several threads: applying and sampling use a connection each."""

    __test__ = False  # pytest: not a test class
    name = "testbed"

    def __init__(
        self, host_id: str, state_dir: Path, runner: Path, *,
        cores: tuple[int, ...] | None = None, sharing: CoreSharing = "small-hosts",
        socket_dir: Path | None = None, helper_socket: Path | None = None, root: Path = Path("/"),
    ) -> None:  # fmt: skip
        """`root`: where the machine's /sys and /proc are read."""
        self._host_id = host_id
        self._cores, self._sharing = cores, sharing
        self._root = root
        folder = socket_folder(state_dir, socket_dir)
        helper = HelperClient(helper_socket or folder / "helper.sock")
        self._cpu = CpuControl(helper, host_id, (runner, runner.with_name(BINARY_NAME)))
        self._resources = ResourceControl(helper, self._cpu.start, root)
        self._profiler = TestbedProfiler(runner, state_dir, folder, self._found, helper=helper, root=root)
        host = self._host()
        offered = [core.id for core in host.cores]
        self._runner = RunnerProcess(runner, state_dir, folder, offered, traffic_core(host.cores))
        self._record = TestbedRecord(state_dir / "given.json")
        self._applying = threading.Lock()
        self._clients = threading.Lock()
        self._orders: RunnerClient | None = None
        self._reads: RunnerClient | None = None
        self._rings: RunnerClient | None = None
        self._nf_types: frozenset[str] | None = None
        self._pauses: Counter[str] = Counter()

    def inventory(self) -> HostOffer:
        """This machine from sysfs, the testbed's own ports, and the runner's NF types."""
        host = self._host().model_copy(update={"cpu_budget_percent": self._cpu.budget()})
        return HostOffer(host=host, nf_types=self._nf_types, traffic_core=host.traffic_core)

    def apply(
        self, content: HostContent, hold: frozenset[str] = frozenset(), secrets: SecretValues = NO_SECRETS
    ) -> ApplyReport:
        """By difference; a chain with other NFs or configuration is removed and added."""
        with self._applying:
            try:
                self._open()
                found = self._sample(self._client(reads=False), keep_peaks=True)
                return self._repair(content, found, hold, secrets)
            except RunnerError as error:
                raise self._down(error) from error

    def sample(self) -> HostSample:
        """One `query`; cores are read from the threads' affinity here, not believed."""
        try:
            return self._sample(self._client(reads=True), keep_peaks=False)
        except RunnerError as error:
            raise self._down(error) from error

    def queues(self) -> HostSample:
        """One `query` on a connection of its own, which no long apply and no sample holds up."""
        with self._clients:
            self._rings = self._rings or self._runner.new_client()
            client = self._rings
        try:
            return self._sample(client, keep_peaks=True, resources=False)
        except RunnerError as error:
            raise self._down(error) from error

    def give_cpu(self, given: Mapping[str, CpuGiven]) -> None:
        """Through the root helper."""
        self._cpu.give(given)

    def give_resources(self, given: Sequence[ResourcesGiven], found: HostSample) -> None:
        """Through the root helper."""
        self._resources.give(given, found, self._applying)

    def profile(self, request: ProfileRequest, watch: MeasurementWatch) -> ProfileResult:
        """On cores without NFs, by the measuring protocol."""
        return self._profiler.profile(request, self._host(), watch)

    def close(self) -> None:
        """Let go of the connections; runner and NFs go on, for a successor to adopt."""
        with self._clients:
            for client in (self._orders, self._reads, self._rings):
                if client is not None:
                    client.close()
            self._orders = self._reads = self._rings = None
        self._cpu.close()

    def _host(self) -> HostInventory:
        machine = read_machine(self._root, self._cores)
        profiling = self._profiler.capabilities(machine, self._sharing)
        resources = self._resources.capabilities()
        remote = (profiling_resources_remote(BEHIND_RINGS),) if len(machine.node_memory_bytes) > 1 else ()
        levels = (profiling_resources((*profiling, *resources), "process"), *remote)
        helpers = (self._cpu.capability(), *resources, *levels)
        cores = (exclusive_cores(machine, self._sharing), SLOTS)
        extra = (*helpers, *profiling, *cores, EXECUTION, PAUSE, CONFIGURE, IPV6_MATCH, LANE, LINES, RATE_COST)
        return build_inventory(machine, self._host_id, self.name, extra, self._sharing)

    def _found(self) -> HostSample | None:
        """What runs now; None where no runner does. Raises DataPlaneDown where one runs and does not answer."""
        try:
            return self.sample()
        except DataPlaneDown:
            if not self._runner.is_alive():
                return None
        with self._applying:  # held by whoever starts it, until it answers
            try:
                return self.sample()
            except DataPlaneDown:
                if self._runner.is_alive():
                    raise
                return None

    def _open(self) -> None:
        """Our runner runs, and we are connected to it."""
        before = self._runner.epoch
        self._runner.ensure()
        if self._runner.epoch != before:
            self.close()
        hello = self._client(reads=False).connect()
        self._nf_types = frozenset(hello.nf_types)
        self._record.open(self._runner.epoch)

    def _client(self, *, reads: bool) -> RunnerClient:
        with self._clients:
            if reads:
                self._reads = self._reads or self._runner.new_client()
                return self._reads
            self._orders = self._orders or self._runner.new_client()
            return self._orders

    def _down(self, error: RunnerError) -> DataPlaneDown:
        if not self._runner.is_alive():
            return DataPlaneDown(f"the runner has ended ({error})")
        return DataPlaneDown(f"the runner does not answer: {error}; if it stays so, end it with `stop-runner`")

    def _sample(self, client: RunnerClient, *, keep_peaks: bool, resources: bool = True) -> HostSample:
        """`keep_peaks`: one before an apply takes none of them from the next sample. `resources`: with LLC ways and
        memory bandwidth."""
        taken_ns, taken_at = time.monotonic_ns(), datetime.now(UTC)
        hello = client.connect()
        has_peaks = "set_execution" in hello.operations  # an adopted runner may be older than they are
        answer = client.request(QueryAnswer, "query", **({"keep_peaks": True} if keep_peaks and has_peaks else {}))
        entries = {chain.chain: self._record.get(chain.chain) for chain in answer.chains}
        groups, no_cpu_control = self._cpu.read_groups()
        memory = self._resources.read() if resources else ResourceReading({}, None)
        return HostSample(
            taken_ns=taken_ns,
            taken_at=taken_at,
            epoch=self._runner.epoch,
            note=self._runner.note,
            latency_bounds_ns=hello.latency_bounds_ns,
            chains={
                chain.chain: ChainCounters(
                    chain=chain.chain,
                    fingerprint=entry.fingerprint if (entry := entries[chain.chain]) else None,
                    instance=entry.instance if entry else 0,
                    offered=chain.offered,
                    sent=chain.sent,
                    delivered=chain.delivered,
                    source_drops=chain.source_drops,
                    unmatched=chain.unmatched,
                    malformed=chain.malformed,
                    latency_counts=chain.latency_counts,
                    delivered_bytes=chain.delivered_bytes,
                    execution=chain.execution,
                    paused=chain.paused,
                    pauses=self._pauses[chain.chain],
                )
                for chain in answer.chains
            },
            nfs={nf.nf: self._resources.reported(memory, _counters(nf, groups.get(nf.nf))) for nf in answer.nfs},
            no_cpu_control=no_cpu_control,
            no_resource_control=memory.why_not,
            traffic=None if (used := answer.traffic_cpu_ns) is None else CoreUse(hello.traffic_core, used),
        )

    def _repair(
        self, content: HostContent, found: HostSample, hold: frozenset[str], secrets: SecretValues
    ) -> ApplyReport:
        repairer = ChainRepair(self._client(reads=False), self._record, secrets)
        wanted = {chain.chain: chain for chain in content.chains}
        done: list[str] = []
        failures: dict[str, Failure] = {}
        for gap in differences(content, found):
            if gap.kind in {Kind.CPU, Kind.RESOURCES} or gap.keys & hold or gap.chain in failures:
                continue
            self._pauses[gap.chain] += gap.kind is Kind.PAUSE
            result = repairer.repair(gap, wanted, found)
            if isinstance(result, Failure):
                failures[gap.key] = result
            else:
                done.append(result)
        if done:  # by now there are other processes
            found = self._sample(self._client(reads=False), keep_peaks=True)
            self._cpu.forget_ended()
            self._resources.forget_ended()
        for control in (self._cpu, self._resources):
            given, refused = control.repair(content, found, hold.union(failures))
            done, failures = [*done, *given], failures | refused
        return ApplyReport(done=tuple(done), failures=failures)


def _counters(nf: NfAnswer, group: NfGroup | None) -> NfCounters:
    running = nf.state == "running"
    return NfCounters(
        nf_id=nf.nf,
        chain=nf.chain,
        nf_type=nf.type,
        state=NfState.RUNNING if running else NfState.CRASHED,
        pid=nf.pid,
        core=pinned_core(nf.pid) if running and nf.pid is not None else None,
        last_core=nf.core,
        starts=nf.starts,
        exit=nf.exit,
        rx=nf.rx,
        tx=nf.tx,
        drops=nf.drops,
        filtered=nf.filtered,
        cycles=nf.cycles,
        cpu_ns=nf.cpu_ns,
        busy_ns=nf.busy_ns,
        ring_used=nf.ring_used,
        ring_size=nf.ring_size,
        ring_peak=nf.ring_peak,
        group=nf.group,
        cpu=cpu_of(nf.pid, group) if running else None,
        thread=nf.pid if running else None,  # it works in its process's first thread
    )
