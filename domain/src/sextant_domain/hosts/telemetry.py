"""What agents measure, once a second.

Fields that only some hosts can fill are left out of JSON where they are absent.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from sextant_domain.base import Digest, Frozen, Name, NfId, Provenance
from sextant_domain.chains.cpu_bounds import QUEUE_MATCHING, ShareLaw
from sextant_domain.hosts.bounded_quotas import MOST_CHANGES, BoundedNf, QuotaChange
from sextant_domain.hosts.chain_way import MOST_WAY_CHANGES, MOST_WAYS, ChainWay, WayChange
from sextant_domain.hosts.desired import NfState
from sextant_domain.hosts.levels import MAX_WAYS

MAX_CPU = 1_000_000
"""No kernel numbers a CPU higher; a bound, so that a hostile figure is refused rather than stored."""
MAX_BYTES = 2**50
MAX_PER_SECOND = 1e15
MAX_MPPS = 1e6
MAX_WAY_MASK = 2**32 - 1
MAX_HOPS = 32
MAX_QUEUE = 65_535
MAX_HOP_US = 1e7
"""Bounds far beyond any machine, for the same reason."""


def _is_absent(value: object) -> bool:
    return value is None


def _counted(most: float) -> Any:
    """A figure from hardware counters; absent on a host without them."""
    return Field(default=None, ge=0, le=most, exclude_if=_is_absent)


class LoadBasis(StrEnum):
    """What the utilisation of an NF was worked out from."""

    BUSY_TIME = "busy-time"
    """The time in which it had packets in hand."""
    CPU_TIME = "cpu-time"
    """CPU time of a thread that sleeps while nothing comes: its wake-ups are in it, so it is what there is at most."""
    FULL_RING = "full-ring"
    """Its ring overflowed: when packets came, it had no time left."""


class RuleCount(Frozen):
    """What one rule has decided."""

    packets: int = Field(ge=0, lt=2**63)
    bytes: int = Field(ge=0, lt=2**63)
    """With the outer headers of measured packets."""


MOST_RULES = 64
"""Of an NF, of which it is said what each has decided."""


class RuleCounts(Frozen):
    """What the rules of an NF have decided since they were put in force: a change of them begins anew."""

    since: datetime
    """By its host's clock."""
    rules: tuple[RuleCount, ...] = Field(max_length=MOST_RULES)
    """In the order of its configuration, the first of them."""
    default: RuleCount
    """Where no rule matched. What hides its ports from rules is filtered beforehand, and in none of these."""


class NfSample(Frozen):
    """One NF over one interval."""

    nf_id: NfId
    chain: Name
    core: int = Field(ge=0, le=MAX_CPU)
    """Where its thread was found."""
    state: NfState = NfState.RUNNING
    restarts: int = Field(default=0, ge=0)
    rx_mpps: float = Field(ge=0)
    tx_mpps: float = Field(ge=0)
    drop_mpps: float = Field(ge=0)
    """Packets lost because this NF's ring was full, or that the NF failed to forward."""
    filtered_mpps: float = Field(default=0, ge=0)
    """Packets the NF dropped because its rules say so (a firewall's deny): not a loss."""
    cpu_percent: float | None = Field(default=None, ge=0, exclude_if=_is_absent)
    """CPU time of the NF's thread over wall time, 0-100: all of it where the thread polls, whatever it carries. Absent
    where it is not measured: of an NF in the kernel, whose time nobody counts by NF."""
    utilisation_percent: float | None = Field(default=None, ge=0, le=100, exclude_if=_is_absent)
    """Share of its core's time that went into packets; polling an empty ring does not count. NFs of one core add up to
    100 at most. Absent where it is not reported."""
    utilisation_basis: LoadBasis | None = Field(default=None, exclude_if=_is_absent)
    """Absent exactly where the utilisation is."""
    utilisation_low_percent: float | None = Field(default=None, ge=0, le=100, exclude_if=_is_absent)
    """Where no exact figure is known, its lower bound, over the last half minute; 95 of 100 such bounds hold."""
    headroom_mpps: float | None = Field(default=None, ge=0, le=MAX_MPPS, exclude_if=_is_absent)
    """What it could take more before it drops, at its present cost a packet, if what else uses its core stays as it is.
    Absent where it carries too little for an estimate."""
    throttled_percent: float | None = Field(default=None, ge=0, le=100)
    """Share of the interval in which its CPU quota throttled it; None where it has no quota."""
    cycles_per_packet: float | None = None
    ring_used_percent: float | None = Field(default=None, ge=0, le=100)
    """At the end of the interval; None where the ring's fill level is not reported, or it has no ring."""
    ring_peak_percent: float | None = Field(default=None, ge=0, le=100)
    """At its fullest moment; None in samples from before it was measured."""
    llc_references_per_s: float | None = _counted(MAX_PER_SECOND)
    """Requests of its core to the last-level cache (LLC)."""
    llc_misses_per_s: float | None = _counted(MAX_PER_SECOND)
    """Those of them that went to memory."""
    memory_local_bytes_per_s: float | None = _counted(MAX_PER_SECOND)
    """Read and written by its core in memory of its own NUMA node."""
    memory_remote_bytes_per_s: float | None = _counted(MAX_PER_SECOND)
    """The same, in memory of other nodes."""
    llc_occupancy_bytes: tuple[Annotated[int, Field(ge=0, le=MAX_BYTES)], ...] | None = Field(
        default=None, max_length=MAX_WAYS, exclude_if=_is_absent
    )
    """What its lines hold of its node's LLC at the end of the interval, way by way from the lowest; a host that knows
    only their sum gives one figure."""
    llc_way_mask: int | None = Field(default=None, ge=1, le=MAX_WAY_MASK, exclude_if=_is_absent)
    """The ways it may fill, the lowest as bit 0, as CAT was set; absent where it may fill all."""
    rule_counts: RuleCounts | None = Field(default=None, exclude_if=_is_absent)
    """Of an NF in the kernel, whose rules count what they decide; absent of all others."""


class PathHop(Frozen):
    """One device that a chain's packets passed, or one NF on it."""

    device: Name
    """A switch, or a host."""
    nf_id: NfId | None = Field(default=None, exclude_if=_is_absent)
    """The NF that had the packets; absent where it is the device itself."""
    queue: int | None = Field(default=None, ge=0, le=MAX_QUEUE, exclude_if=_is_absent)
    """By its number on the device; absent where the device has one, or does not say which."""
    latency_us: float | None = Field(default=None, ge=0, le=MAX_HOP_US, exclude_if=_is_absent)
    """From arrival to departure, the median of the packets of the interval; absent where none departed in it."""
    p95_us: float | None = Field(default=None, ge=0, le=MAX_HOP_US, exclude_if=_is_absent)
    most_us: float | None = Field(default=None, ge=0, le=MAX_HOP_US, exclude_if=_is_absent)
    """The slowest of them."""
    waits_us: float | None = Field(default=None, ge=0, le=MAX_HOP_US, exclude_if=_is_absent)
    """How long, at least, packets that arrived have not departed: of an NF that stands still this grows, where its last
    latency would not. Absent where none is out."""
    queue_packets: int | None = Field(default=None, ge=0, le=MAX_QUEUE, exclude_if=_is_absent)
    """The most packets that waited, in the last second or two, at the port by which they go on to another host. Absent
    where they go on to none, or the host cannot read that port's queue."""


class Transit(Frozen):
    """How long packets took from the hop before to this one: links, queues and switches between them."""

    to: NfId | None
    """None: to where they leave the chain."""
    p50_us: float | None = Field(ge=0, le=MAX_HOP_US)
    """None, as the next: clocks of the hosts are apart, so that nobody knows."""
    p95_us: float | None = Field(ge=0, le=MAX_HOP_US)


class ChainSample(Frozen):
    """One chain over one interval, from ingress to egress."""

    chain: Name
    offered_mpps: float = Field(ge=0)
    delivered_mpps: float = Field(ge=0)
    drop_mpps: float = Field(ge=0)
    filtered_mpps: float = Field(default=0, ge=0)
    p50_us: float | None = None
    """None where no packet arrived in the interval."""
    p95_us: float | None = None
    p99_us: float | None = None
    p999_us: float | None = None
    """99.9th percentile."""
    delivered_gbps: float | None = Field(default=None, ge=0)
    """Of frames without FCS; None where bytes are not counted."""
    unmatched_mpps: float | None = Field(default=None, ge=0, exclude_if=_is_absent)
    """Packets of a capture that are not of the chain's match; they are neither offered nor dropped. Absent, as the next
    one, where the match has left out none so far."""
    malformed_mpps: float | None = Field(default=None, ge=0, exclude_if=_is_absent)
    """Frames of a capture that are no whole IPv6 packet; neither offered nor dropped."""
    paused: bool = Field(default=False, exclude_if=lambda paused: not paused)
    """It was paused for some of the interval: no objective is judged by it."""
    path: tuple[PathHop, ...] | None = Field(default=None, max_length=MAX_HOPS, exclude_if=_is_absent)
    """Hop by hop from ingress to egress, where packets carry what was measured of them (in-band telemetry)."""
    ways: tuple[ChainWay, ...] = Field(default=(), max_length=MOST_WAYS, exclude_if=lambda ways: not ways)
    """By which links it goes on to other hosts, of a part of a chain over several."""
    transits: tuple[Transit, ...] = Field(default=(), max_length=MAX_HOPS, exclude_if=lambda transits: not transits)
    """To each hop but the first, in the order in which packets pass, hops of other hosts included: of the host where
    they leave, since the packets carry it there."""


class ControlState(StrEnum):
    """How an agent's law stands with one chain."""

    IN_FULL = "in_full"
    """It has what its rate needs by the table."""
    SHORT = "short"
    """There is no more to be given: others need it."""
    BEYOND_TABLE = "beyond_table"
    """Its rate is above the highest level, which it has."""
    HELD = "held"
    """Nothing is changed; `note` says why."""


class ChainControl(Frozen):
    """What a law on the host's agent gave a chain within its order's bounds."""

    chain: Name
    law: Name
    law_version: int = Field(ge=1, lt=2**31)
    table: Digest
    llc_ways: int | None = Field(default=None, ge=0, le=MAX_WAYS)
    memory_bandwidth_percent: int | None = Field(default=None, ge=0, le=100)
    rate_gbps: float | None = Field(default=None, ge=0, le=1e6)
    """What it is offered on the wire, as the law counted it; None: it was not measured."""
    level_gbps: float | None = Field(default=None, ge=0, le=1e6)
    """The level of the table that it was given; None: none, or not yet."""
    state: ControlState
    note: str | None = Field(default=None, max_length=300)
    """Why it is short, or held, for a person."""


class WayTransfer(Frozen):
    """LLC ways that a law took from one chain and gave to another, the last time that it did."""

    at: datetime
    from_chain: Name | None = Field(default=None)
    """None: from those that nobody had."""
    to_chain: Name | None = Field(default=None)
    """None: they are nobody's now."""
    ways: int = Field(ge=1, le=MAX_WAYS)
    reason: str = Field(max_length=300)


MOST_TRANSFERS = 32
"""The latest of a host that are reported."""


MOST_ON_CORE = 64
"""NFs of one core that are reported."""


class NfShare(Frozen):
    """Of one NF."""

    nf_id: NfId
    percent: float = Field(ge=0, le=100)
    """Of its core, that it has whenever all want it."""


class NfShareChange(Frozen):
    """The same, before and after."""

    nf_id: NfId
    before_percent: float = Field(ge=0, le=100)
    after_percent: float = Field(ge=0, le=100)


class ShareChange(Frozen):
    """CPU shares of one core that a host's agent set by itself."""

    at: datetime
    cause: str = Field(max_length=300)
    """For a person: 'web.router is offered 1.2 Mpps, which needs 63 % of the core'."""
    nfs: tuple[NfShareChange, ...] = Field(max_length=MOST_ON_CORE)
    """All of the core."""


class SharedCore(Frozen):
    """A core that a host's agent shares out among the NFs on it, within the bounds of their chains."""

    core: int = Field(ge=0, le=MAX_CPU)
    law: ShareLaw | None = Field(default=QUEUE_MATCHING, exclude_if=lambda law: law == QUEUE_MATCHING)
    """By which it is divided; None where chains on it name several, and it is not."""
    nfs: tuple[NfShare, ...] = Field(max_length=MOST_ON_CORE)
    """As the host applies it; none where it cannot be read."""
    held: str | None = Field(default=None, max_length=300)
    """Why nothing is changed now; None: its law decides."""
    changed: ShareChange | None = None
    """The last change since the agent started; None: there was none."""


class CoreSample(Frozen):
    """One core over one interval."""

    core: int = Field(ge=0, le=MAX_CPU)
    busy_percent: float = Field(ge=0, le=100)
    other_percent: float | None = _counted(100)
    """The part of it that neither the host's NFs used, nor the testbed's source and sink: other work. Of a core that
    OpenNetVM reserves it is the manager's own. Absent where an NF came, went or moved within the interval, where the
    host's agent measured an NF type on the core, and where NFs were not sampled."""
    measuring_percent: float | None = _counted(100)
    """The same part, where the host's agent measured an NF type on the core: that gives way to NFs, and is nobody's
    other work. Absent on all other cores."""


class NodeSample(Frozen):
    """The memory and the links of one NUMA node over one interval."""

    node: int = Field(ge=0, le=MAX_CPU)
    memory_bytes_per_s: float = Field(ge=0, le=MAX_PER_SECOND)
    """Read and written at its memory controllers, by cores of any node and by DMA."""
    memory_load_percent: float | None = Field(default=None, ge=0, le=100, exclude_if=_is_absent)
    """Of what its controllers can do at most."""
    link_load_percent: float | None = Field(default=None, ge=0, le=100, exclude_if=_is_absent)
    """Of its link to other nodes, in the busier direction; absent where it has none."""
    link_in_load_percent: float | None = Field(default=None, ge=0, le=100, exclude_if=_is_absent)
    """Towards this node: what its cores and NICs read of other nodes' memory, and what others write to its own. Of the
    busiest link where there are several; absent where the two directions are not reported separately."""
    link_out_load_percent: float | None = Field(default=None, ge=0, le=100, exclude_if=_is_absent)
    """Away from this node."""


class TelemetryBatch(Frozen):
    """Body of POST /fleet/v1/telemetry: everything a host measured in one interval."""

    host_id: Name
    epoch: str = Field(min_length=1, max_length=64, pattern=r"^[\x21-\x7e]+$")
    """Changes when the agent restarts; (epoch, sequence) orders batches and makes a repeat harmless."""
    sequence: int = Field(ge=0, lt=2**63)
    taken_at: datetime
    interval_s: float = Field(gt=0)
    provenance: Provenance
    """`measured`, or `simulated` for the twin."""
    applied_generation: int = Field(ge=0, lt=2**31)
    phase: str = Field(max_length=32)
    nfs: tuple[NfSample, ...] = Field(default=(), max_length=4096)
    chains: tuple[ChainSample, ...] = Field(default=(), max_length=4096)
    cores: tuple[CoreSample, ...] = Field(default=(), max_length=4096)
    nodes: tuple[NodeSample, ...] = Field(default=(), max_length=64, exclude_if=lambda nodes: not nodes)
    """From hosts whose counters reach memory controllers and links."""
    controls: tuple[ChainControl, ...] = Field(default=(), max_length=4096, exclude_if=lambda controls: not controls)
    """Of chains with bounds."""
    transfers: tuple[WayTransfer, ...] = Field(
        default=(), max_length=MOST_TRANSFERS, exclude_if=lambda transfers: not transfers
    )
    """The latest, oldest first."""
    shared_cores: tuple[SharedCore, ...] = Field(default=(), max_length=4096, exclude_if=lambda cores: not cores)
    """Cores with several NFs, of chains with bounds of CPU shares."""
    bounded_nfs: tuple[BoundedNf, ...] = Field(default=(), max_length=4096, exclude_if=lambda nfs: not nfs)
    """NFs of chains with bounds of CPU quotas."""
    quota_changes: tuple[QuotaChange, ...] = Field(
        default=(), max_length=MOST_CHANGES, exclude_if=lambda changes: not changes
    )
    """The latest, oldest first."""
    way_changes: tuple[WayChange, ...] = Field(
        default=(), max_length=MOST_WAY_CHANGES, exclude_if=lambda changes: not changes
    )
    """What became of ways to other hosts in the last hour: the latest, oldest first."""


def as_sent(batch: TelemetryBatch) -> str:
    """The batch as JSON of a report. What has its default is left out, a quarter of it: whoever reads it knows that,
    and of a thousand hosts is done a fifth sooner."""
    return batch.model_dump_json(exclude_defaults=True)


class TelemetryAnswer(Frozen):
    """What an agent is answered to its telemetry: what it must know at once, though no order says it."""

    laws_stopped: str | None = None
    """Why no law may act on this host now (all are stopped, or maintenance), as a sentence; None: they may. An agent
    that has not heard for a while keeps to what it heard last; one that never has lets no law act."""
