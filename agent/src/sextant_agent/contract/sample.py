"""What a driver finds on its host at one moment: counters and states of chains, NFs, cores and nodes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sextant_domain.chains.chain import Execution
from sextant_domain.hosts.desired import NfState

from sextant_agent.contract.fingerprint import Fingerprint


@dataclass(frozen=True, slots=True)
class NfCpu:
    """How much of its core an NF's process may use, as the kernel shows it, and how often that held it back."""

    weight: int
    quota_percent: float | None
    throttled_ns: int
    """Cumulative since its group was made."""


@dataclass(frozen=True, slots=True)
class NfResources:
    """What of the memory hierarchy an NF was given: `llc_ways` and `memory_bandwidth_percent` of its order, or of its
    chain's `resources`."""

    llc_ways: int | None
    memory_bandwidth_percent: int | None
    of_chain: bool = False
    """It has them together with all other NFs of its chain; False where it has neither."""


@dataclass(frozen=True, slots=True)
class LlcAndMemory:
    """What hardware counters show of an NF's core while the NF runs. Cumulative, but for the occupancy."""

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
class RulesCounted:
    """Packets and bytes that an NF's rules have decided on since they were put in force."""

    since: datetime
    rules: tuple[tuple[int, int], ...]
    default: tuple[int, int]


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
    cpu_ns: int | None = 0
    """CPU time of its thread; None where nobody counts it: of an NF in the kernel."""
    busy_ns: int | None = None
    """Of its core's time, what went into packets; None where nobody counts it."""
    sleeps: bool = False
    """Its thread sleeps while nothing comes: where nobody counts the time of packets, its CPU time is close to it."""
    sightings: Sightings | None = None
    """Of the last half minute; None where nobody looks, or what was seen is not enough."""
    ring_drops: int | None = None
    """Of the drops, those for want of room in its own ring; None where they are not counted separately."""
    core_share: float | None = None
    """The part of its core that its process gets now if it wants it, 0 to 1; None where only the kernel knows."""
    ring_used: int = 0
    ring_size: int = 0
    """0: nothing reports how full its ring is, or it has none."""
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
    rules: RulesCounted | None = None
    """None where rules are not counted one by one."""


@dataclass(frozen=True, slots=True)
class HopTimes:
    """How long an NF had packets, as these measured it since the sample before."""

    device: str
    nf_id: str
    p50_us: float | None
    """None: it gave none back."""
    p95_us: float | None
    most_us: float | None
    waits_us: float | None
    """How long, at least, it has not given back what it has; None where it has nothing."""
    queue_packets: int | None
    """The most that waited, of late, where they went on to another host; None where no such queue is read."""


@dataclass(frozen=True, slots=True)
class TransitTimes:
    """How long packets took of late from the hop before to this one."""

    to: str | None
    """The NF; None: where they leave."""
    p50_us: float | None
    """None, as the next: clocks of the hosts are apart."""
    p95_us: float | None


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
    """How often this agent has paused it: one that was resumed between two samples shows in neither."""
    delivered_bytes: int | None = None
    """None where the data plane does not count them."""
    counted_ns: int | None = None
    """When its packets and its NFs' were counted, by any clock that runs; None: when the sample was taken."""
    unmatched: int = 0
    malformed: int = 0
    """Frames of a capture that the match left out."""
    path: tuple[HopTimes, ...] | None = None
    """In the order in which packets pass; None where they measure nothing."""
    transits: tuple[TransitTimes, ...] = ()
    """Likewise, where they leave."""


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
    """Towards this node; None where the two directions are not distinguished."""
    link_out_load_percent: float | None = None


@dataclass(frozen=True, slots=True)
class HostSample:
    """Everything read from the data plane at one moment."""

    taken_ns: int
    """Monotonic clock."""
    taken_at: datetime
    epoch: str
    """Changes when the data plane was started again: all counters begin again."""
    note: str | None = None
    """What happened to the data plane and how it was repaired, for a person."""
    busy: str | None = None
    """What of an apply goes on that ends processes and may have to wait for them: 'removing web'."""
    latency_bounds_ns: tuple[int, ...] = ()
    """Upper bounds of the buckets of `latency_counts`, rising; one more bucket has no bound."""
    chains: Mapping[str, ChainCounters] = field(default_factory=dict)
    nfs: Mapping[str, NfCounters] = field(default_factory=dict)
    no_cpu_control: str | None = None
    """Why CPU shares and quotas cannot be set now; None where they can."""
    no_resource_control: str | None = None
    """Why LLC ways and memory bandwidth cannot be set now; None where they can, and where the driver reports it by
    a capability alone."""
    cpus: Mapping[int, CpuTime] = field(default_factory=dict)
    """Of a simulated host; those of a real one come from the kernel."""
    nodes: Mapping[int, NodeCounters] = field(default_factory=dict)
    """Empty where nothing counts them."""
    traffic: CoreUse | None = None
    """Of the source and the sink of all chains; None where there are none, or nobody counts it."""
