"""What a driver is: five methods between the agent and whatever moves packets on its host.

A driver never assumes: `sample` reports what was found, `apply` works by difference and may be repeated,
`inventory` says what the host cannot do and why. Drivers never import each other.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.desired import DesiredChain, HostContent
from sextant_domain.hosts.fault import ActiveFault, Fault
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.packet_capture import CapturedPacket
from sextant_domain.profiling.profile import ProfileRequest, ProfileResult
from sextant_engine.control.srv6.reroute import RerouteSettings

from sextant_agent.contract.sample import HostSample, NfCpu, NfResources
from sextant_agent.measuring.watch import MeasurementWatch


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one chain or NF could not be brought to what was ordered."""

    message: str
    permanent: bool = False


@dataclass(frozen=True, slots=True)
class ApplyReport:
    """What `apply` did, and what it could not do; failures are keyed by chain name or NF id."""

    done: tuple[str, ...] = ()
    failures: Mapping[str, Failure] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HostOffer:
    """What a host has, and which NF types its data plane can run."""

    host: HostInventory
    nf_types: frozenset[str] | None
    """None while the data plane has not said."""
    traffic_core: int | None = None
    """Where the data plane itself works on packets of every chain; None where no core that is offered does."""


NO_SECRETS: SecretValues = MappingProxyType({})


class Driver(Protocol):
    """The five methods. `tests/driver_contract.py` is run against every implementation."""

    name: str

    def inventory(self) -> HostOffer:
        """The machine as it is now. Raises nothing: what is missing is reported as a capability with its reason."""

    def apply(
        self, content: HostContent, hold: frozenset[str] = frozenset(), secrets: SecretValues = NO_SECRETS
    ) -> ApplyReport:
        """Bring the host to `content` by difference; whatever already runs as ordered is not touched.

        `hold`: chain names and NF ids to leave as they are this time. One chain's failure stops no other.
        `secrets`: what references in `content` stand for; for the NFs' processes alone.
        Raises DataPlaneDown where nothing could be done at all.
        """

    def sample(self) -> HostSample:
        """Counters and states as found. Raises DataPlaneDown."""

    def profile(self, request: ProfileRequest, watch: MeasurementWatch) -> ProfileResult:
        """Measure one point; takes seconds to minutes, while chains run on other cores.

        What this host cannot measure is a result, with the reason. Raises NotSupported where the inventory says so,
        CoreBusy where a core runs NFs, DriverError where the measurement failed, Cancelled where `watch` asks for it.
        """

    def close(self) -> None:
        """Let go of connections. What runs goes on running."""


@runtime_checkable
class ReportsExits(Protocol):
    """What a driver offers besides the five methods if it learns at once when a process of its data plane ends."""

    def call_at_exits(self, call: Callable[[], None]) -> None:
        """Each time, from any thread; what has ended, the next sample shows."""


@dataclass(frozen=True, slots=True)
class CpuGiven:
    """What the process of an NF gets of its core."""

    weight: int
    quota_percent: float | None


@runtime_checkable
class SharesCores(Protocol):
    """What a driver offers besides the five methods if CPU shares of its NFs can be set many times a second."""

    def queues(self) -> HostSample:
        """As `sample`, of what rings and CPU shares need, and cheaper: LLC ways and memory bandwidth are not read, and
        peaks of rings are left to the next sample. Where an NF drops what its own ring has no room for, `ring_drops`
        says so; else whoever hands on to it does. Raises DataPlaneDown."""

    def give_cpu(self, given: Mapping[str, CpuGiven]) -> None:
        """By NF that runs; all of them, or it raises DriverError with the reason."""


@dataclass(frozen=True, slots=True)
class NfTimes:
    """How long an NF has its packets, as these say."""

    window: int | None
    """Number of the last one that was closed: after 1500 packets, or after 20 ms with at least 20; None: none was."""
    p95_us: float
    """Of that window."""
    oldest_us: float
    """How long, at least, the oldest packet that it still has has been there."""
    life: Hashable
    """Windows of two lives are not compared."""


@dataclass(frozen=True, slots=True)
class NfCpuTime:
    """What an NF has of its core, and what it used of it."""

    cpu: NfCpu
    cpu_ns: int | None
    """Cumulative since its group was made; None where nobody counts it."""


@runtime_checkable
class TimesNfs(Protocol):
    """What a driver offers besides the five methods if packets say how long each NF has them."""

    def nf_times(self) -> Mapping[str, NfTimes]:
        """By NF that runs; cheap, to be asked many times a second. Raises DataPlaneDown."""

    def nf_cpu(self) -> Mapping[str, NfCpuTime]:
        """By NF that has a CPU group. Raises DriverError where none can be set, with the reason."""

    def cpu_budget(self) -> float | None:
        """What all NFs of this host may use together, in percent of a core; None: no limit is known."""

    def counted(self) -> HostSample:
        """As `sample`, without what packets measure, which goes on until then; to be asked a few times a second."""

    def give_cpu(self, given: Mapping[str, CpuGiven]) -> None:
        """As `SharesCores` does, in this order."""


@dataclass(frozen=True, slots=True)
class MemoryOffer:
    """What NFs have of last-level caches (LLC) and of memory bandwidth, and what their host has to give."""

    nfs: Mapping[str, NfResources]
    """By NF that runs: of its own."""
    caches: Mapping[str, int]
    """By such an NF: the id of its core's LLC; it is left out where the machine names none."""
    held: Mapping[int, Mapping[str, int]]
    """By LLC: ways that somebody has of his own, by NF id or name of a chain."""
    ways: int
    """Of an LLC; `least_ways` of them at least stay for all who share."""
    least_ways: int
    """That whoever has some of his own has at least."""
    steps: tuple[int, ...]
    """Percentages to which bandwidth can be limited, rising."""
    no_ways: str | None
    """Why none are given here; None where they are."""
    no_bandwidth: str | None


@runtime_checkable
class GivesMemory(Protocol):
    """What a driver offers besides the five methods if NFs that run can be given LLC ways and memory bandwidth of their
    own, one by one."""

    def memory_offer(self) -> MemoryOffer:
        """As it stands now; to be asked once a second."""

    def give_memory(self, given: Mapping[str, NfResources]) -> Mapping[str, str]:
        """By NF that runs; who gives ways back comes first. Those that were refused, with why; they have what they had,
        as far as the kernel lets."""


@dataclass(frozen=True, slots=True)
class PortFound:
    """A port to other hosts."""

    up: bool
    """It is set up, and has a carrier."""
    queue_packets: int | None
    """That wait to go out now; None where that cannot be read."""


@dataclass(frozen=True, slots=True)
class WayFound:
    """Where a chain goes on from here to another host."""

    chain: str
    sid: str
    nf_id: str | None
    """Whose segment that is; None: packets leave there."""
    ports: tuple[str, ...]
    """That lead there, the preferred one first."""
    port: str | None
    """The one that packets take; None: one that is gone."""


@runtime_checkable
class LeadsChains(Protocol):
    """What a driver offers besides the five methods if chains go on to other hosts by links that it may choose from."""

    rerouting: RerouteSettings

    def expected_ways(self) -> Sequence[WayFound]:
        """Where chains go on to another host, without the port that they take: asks nobody."""

    def await_ports(self, known: frozenset[str] | None, wait_s: float) -> Mapping[str, PortFound]:
        """Ports to other hosts, once others are up than those, or so many seconds are over. None: at once. Raises
        DataPlaneDown."""

    def chain_ways(self) -> Sequence[WayFound]:
        """Of all chains here, as packets take them. Raises DataPlaneDown."""

    def lead(self, way: WayFound, port: str) -> bool:
        """Packets take this one of its ports from now on, and none is lost by that; False: the chain has gone
        meanwhile. Raises DriverError."""


@runtime_checkable
class CapturesPackets(Protocol):
    """What a driver offers besides the five methods if packets bear measurements that can be looked at."""

    def capture(self, chain: str, packets: int) -> tuple[CapturedPacket, ...]:
        """The next so many that leave a chain here, or as many as leave within `WAIT_S`. Raises DriverError."""


@dataclass(frozen=True, slots=True)
class ResourcesGiven:
    """What a chain gets of its node."""

    chain: DesiredChain
    """As ordered; its own `resources` do not count."""
    shall: NfResources
    """All of its NFs together."""


@runtime_checkable
class GivesResources(Protocol):
    """What a driver offers besides the five methods if chains that run can be given other ways and bandwidth at once,
    without comparing all of an order with all that runs."""

    def give_resources(self, given: Sequence[ResourcesGiven], found: HostSample) -> None:
        """`found`: a sample just taken. Raises DriverError where more is to be done than that, or it is refused; what
        was given until then stays, and `apply` does the rest."""


@runtime_checkable
class FaultInjector(Protocol):
    """What a driver of simulated hosts offers beside the five methods; its inventory has the capability `faults`."""

    def inject(self, fault: Fault) -> None:
        """Make it happen now. Raises FaultRefused."""

    def faults(self) -> tuple[ActiveFault, ...]:
        """Those that are not over, oldest first."""
