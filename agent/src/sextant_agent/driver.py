"""What a driver is: five methods between the agent and whatever moves packets on its host.

A driver never assumes: `sample` reports what was found, `apply` works by difference and may be repeated,
`inventory` says what the host cannot do and why. Drivers never import each other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable

from sextant_domain.base import canonical_json
from sextant_domain.chains.chain import Execution, NfSettings
from sextant_domain.chains.nf import changeable_of
from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent, NfState
from sextant_domain.hosts.fault import ActiveFault, Fault
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.profile import ProfileRequest, ProfileResult

from sextant_agent.hashing import short_hash
from sextant_agent.measuring.watch import Watch


class DriverError(Exception):
    """Something the driver could not do: cause, then next step."""

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        """`permanent`: trying again cannot help until an order or an operator changes something."""
        super().__init__(message)
        self.permanent = permanent


class DataPlaneDown(DriverError):
    """Nothing can be asked or ordered: the process that moves packets is not there or not ours."""


class NotSupported(DriverError):
    """A method this driver does not offer; the inventory's capability of the same name gives the reason."""

    def __init__(self, message: str) -> None:
        super().__init__(message, permanent=True)


class CoreBusy(DriverError):
    """A core that is to be measured holds NFs: it may become free by itself."""


class FaultRefused(Exception):
    """A fault that names something the host does not have: which field, and why."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a chain runs, without where it runs: equal fingerprints need no restart."""

    structure: str
    """Over NF ids, types, what runs for them, versions and configurations, in order; but for what is in `configs`."""
    source: str
    """Over what enters the chain: match and traffic."""
    configs: Mapping[str, str] = field(default_factory=dict)
    """By NF id, over what it takes up of its configuration while it runs; only of NFs that take up something."""


def fingerprint(chain: DesiredChain) -> Fingerprint:
    """The fingerprint of an ordered chain; equal in every process."""
    known = _known.get(id(chain))
    if known is not None and known[0] is chain:
        return known[1]
    nfs = [canonical_json(nf.model_copy(update=_NOWHERE | {"config": _fixed(nf)})) for nf in chain.nfs]
    source = canonical_json(chain.ingress) + canonical_json(chain.traffic)
    configs = {nf.nf_id: short_hash(canonical_json(taken)) for nf in chain.nfs if (taken := _taken_up(nf)).config}
    made = Fingerprint(structure=short_hash(b"\n".join(nfs)), source=short_hash(source), configs=configs)
    if len(_known) >= 1024:
        _known.clear()
    _known[id(chain)] = chain, made
    return made


def _taken_up(nf: DesiredNf) -> NfSettings:
    return NfSettings(config=changeable_of(nf.nf_type, nf.config))


def _fixed(nf: DesiredNf) -> dict[str, Any]:
    taken = changeable_of(nf.nf_type, nf.config)
    return {name: value for name, value in nf.config.items() if name not in taken}


_known: dict[int, tuple[DesiredChain, Fingerprint]] = {}
"""By identity: the same immutable order is compared every second. Holding the chain keeps its id from being reused."""
_NOWHERE = {
    "core": 0,
    "slot": 0,
    "llc_ways": None,
    "memory_bandwidth_percent": None,
    "cpu_share": None,
    "cpu_quota_percent": None,
}


@dataclass(frozen=True, slots=True)
class NfCpu:
    """How much of its core an NF's process may use, as the kernel shows it, and how often that held it back."""

    weight: int
    quota_percent: float | None
    throttled_ns: int
    """Cumulative since its group was made."""


@dataclass(frozen=True, slots=True)
class NfResources:
    """What of the memory hierarchy an NF was given: `llc_ways` and `memory_bandwidth_percent` of its order."""

    llc_ways: int | None
    memory_bandwidth_percent: int | None


@dataclass(frozen=True, slots=True)
class LlcAndMemory:
    """What hardware counters tell of an NF's core while the NF runs. Cumulative, but for the occupancy."""

    references: int
    """To the last-level cache (LLC)."""
    misses: int
    local_bytes: int
    """Read and written in memory of its core's NUMA node."""
    remote_bytes: int
    occupancy_bytes: tuple[int, ...]
    """Of the LLC, now, way by way; one figure where only their sum is known."""
    way_mask: int | None = None
    """Ways that it may fill now, the lowest as bit 0; None: all."""


@dataclass(frozen=True, slots=True)
class Sightings:
    """At how many moments an NF had packets, of moments that have nothing to do with its packets."""

    moments: int
    with_packets: int
    """Of them, those at which it surely had some."""
    cpu: float
    """The part of that time in which its thread had its core, 0 to 1."""


@dataclass(frozen=True, slots=True)
class NfCounters:
    """One NF as found. Counters are cumulative since its chain was added."""

    nf_id: str
    chain: str
    nf_type: str
    """The built-in type whose program runs: what an operator calls it, only the order knows."""
    state: NfState
    pid: int | None
    core: int | None
    """Read from the thread's affinity; None while it has none."""
    last_core: int
    """Where it runs, or ran until it crashed, by the data plane's word."""
    starts: int
    """Times its process was started since the chain was added; 1 = never restarted."""
    exit: str | None
    """How the last process ended: 'killed by signal 9'."""
    rx: int = 0
    tx: int = 0
    drops: int = 0
    filtered: int = 0
    cycles: int = 0
    cpu_ns: int = 0
    busy_ns: int | None = None
    """Of its core's time, what went into packets; None where nobody counts it."""
    sleeps: bool = False
    """Its thread sleeps while nothing comes: where nobody counts the time of packets, its CPU time tells it nearly."""
    sightings: Sightings | None = None
    """Of the last half minute; None where nobody looks, or what was seen does not tell it."""
    ring_drops: int | None = None
    """Of the drops, those for want of room in its own ring; None where they are not told apart."""
    core_share: float | None = None
    """The part of its core that its process gets now if it wants it, 0 to 1; None where only the kernel can tell."""
    ring_used: int = 0
    ring_size: int = 0
    """0: nobody tells how full its ring is, or it has none."""
    ring_peak: int = 0
    """The most packets that waited in its ring since the last sample."""
    group: int | None = None
    """NFs of one group share a process: they crash, and are started again, together. None: it is alone in its own."""
    cpu: NfCpu | None = None
    """None where its process has no CPU group of its own: it competes with weight 100 and without a quota."""
    resources: NfResources | None = None
    """None where this driver sets neither, or cannot now."""
    thread: int | None = None
    """Of its process, the one that works on packets: what has ways and bandwidth. None where there is none."""
    llc: LlcAndMemory | None = None
    """None where they are not counted."""


@dataclass(frozen=True, slots=True)
class ChainCounters:
    """One chain as found. Counters are cumulative since it was added."""

    chain: str
    fingerprint: Fingerprint | None
    """What was last given to the data plane; None where that is not known for certain."""
    instance: int
    """Changes whenever the chain is added again, so that counters of two lives are never subtracted."""
    offered: int = 0
    sent: int = 0
    delivered: int = 0
    source_drops: int = 0
    latency_counts: tuple[int, ...] = ()
    execution: Execution = "isolated"
    paused: bool = False
    pauses: int = 0
    """How often this agent has paused it: one that was resumed between two looks shows in neither."""
    delivered_bytes: int | None = None
    """None where the data plane does not count them."""
    counted_ns: int | None = None
    """When its packets and its NFs' were counted, by any clock that runs; None: when the sample was taken."""


@dataclass(frozen=True, slots=True)
class CpuTime:
    """Of one CPU, cumulative, both in the same unit: ticks, nanoseconds."""

    busy: int
    total: int


@dataclass(frozen=True, slots=True)
class CoreUse:
    """What one process has used of the core that it is pinned to."""

    core: int
    cpu_ns: int
    """Cumulative."""


@dataclass(frozen=True, slots=True)
class NodeCounters:
    """One NUMA node as found."""

    memory_bytes: int
    """Read and written at its memory controllers, cumulative."""
    memory_load_percent: float | None = None
    link_load_percent: float | None = None
    """Of its link to other nodes, in the busier direction; None where it has none."""
    link_in_load_percent: float | None = None
    """Towards this node; None where the two directions are not told apart."""
    link_out_load_percent: float | None = None


@dataclass(frozen=True, slots=True)
class HostSample:
    """Everything read from the data plane at one moment."""

    taken_ns: int
    """Monotonic clock."""
    taken_at: datetime
    epoch: str
    """Changes when the data plane was started again: all counters begin anew."""
    note: str | None = None
    """What happened to the data plane and how it was mended, for a person."""
    busy: str | None = None
    """What of an apply goes on that ends processes and may have to wait for them: 'removing web'."""
    latency_bounds_ns: tuple[int, ...] = ()
    """Upper bounds of the buckets of `latency_counts`, rising; one more bucket has no bound."""
    chains: Mapping[str, ChainCounters] = field(default_factory=dict)
    nfs: Mapping[str, NfCounters] = field(default_factory=dict)
    no_cpu_control: str | None = None
    """Why CPU shares and quotas cannot be set now; None where they can."""
    no_resource_control: str | None = None
    """Why LLC ways and memory bandwidth cannot be set now; None where they can, and where the driver tells it by a
    capability alone."""
    cpus: Mapping[int, CpuTime] = field(default_factory=dict)
    """Of a simulated host; those of a real one are the kernel's to tell."""
    nodes: Mapping[int, NodeCounters] = field(default_factory=dict)
    """Empty where nothing counts them."""
    traffic: CoreUse | None = None
    """Of the source and the sink of all chains; None where there are none, or nobody counts it."""


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
class Offer:
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

    def inventory(self) -> Offer:
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

    def profile(self, request: ProfileRequest, watch: Watch) -> ProfileResult:
        """Measure one point; takes seconds to minutes, while chains run on other cores.

        What this host cannot tell is a result, with the reason. Raises NotSupported where the inventory says so,
        CoreBusy where a core runs NFs, DriverError where the measurement failed, Cancelled where `watch` asks for it.
        """

    def close(self) -> None:
        """Let go of connections. What runs goes on running."""


@runtime_checkable
class TellsEnds(Protocol):
    """What a driver offers beside the five methods that is told at once when a process of its data plane ends."""

    def call_at_ends(self, call: Callable[[], None]) -> None:
        """Each time, from any thread; what has ended, the next sample shows."""


@runtime_checkable
class FaultInjector(Protocol):
    """What a driver of simulated hosts offers beside the five methods; its inventory has the capability `faults`."""

    def inject(self, fault: Fault) -> None:
        """Make it happen now. Raises FaultRefused."""

    def faults(self) -> tuple[ActiveFault, ...]:
        """Those that are not over, oldest first."""
