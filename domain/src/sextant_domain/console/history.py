"""What was measured earlier: figures over a range of time, the fleet at a moment, and what happened meanwhile.

Gaps stay gaps: an interval without a sample is absent, and nothing is put in its place.
"""

from datetime import datetime
from enum import StrEnum

from sextant_domain.base import Frozen, Name, NfId, Provenance


class HistoryKind(StrEnum):
    """What there is history of."""

    CHAIN = "chain"
    HOST = "host"
    NF = "nf"
    CORE = "core"


class HistoryLevel(StrEnum):
    """What points are made of."""

    SAMPLES = "1s"
    TEN_SECONDS = "10s"
    FIVE_MINUTES = "5min"
    HOUR = "1h"
    DAY = "1d"


class HistorySeries(Frozen):
    """One figure over time: a value for each point, None where it was not reported."""

    figure: str
    """As samples name it: `delivered_mpps`, `p95_us`. Of percentiles the mean and the extremes of the percentiles of
    single seconds, which are not percentiles of the whole interval."""
    mean: tuple[float | None, ...]
    least: tuple[float | None, ...]
    most: tuple[float | None, ...]


class HistoryPrediction(Frozen):
    """What a plan predicted that a chain would carry, while it was in force."""

    at: datetime
    until: datetime | None
    """When another plan was in force; None: it is the last one."""
    plan_id: int
    predictor: str
    predicted_mpps: float
    low_mpps: float | None
    high_mpps: float | None


class History(Frozen):
    """Points of equal length, oldest first; those without a sample are absent."""

    kind: HistoryKind
    name: str
    """`chain/web`, `host/edge-1`, `nf/web.router`, `core/edge-1/3`, without the kind."""
    start: datetime
    end: datetime
    step_s: int
    """The length of a point."""
    level: HistoryLevel
    """The coarsest that points are made of; the newest are made of finer ones, down to samples."""
    at: tuple[float, ...]
    """Beginning of each point, in seconds since 1970."""
    samples: tuple[int, ...]
    provenance: tuple[Provenance, ...]
    """`simulated` where any sample of the point is."""
    covered: tuple[float, ...]
    """Share of each point's ten-second intervals that have a sample, from 0 to 1."""
    judged: tuple[int, ...] = ()
    """Of chains: samples by which objectives could be judged; paused ones are not."""
    met: tuple[int, ...] = ()
    """Of these, samples that met every objective."""
    series: tuple[HistorySeries, ...]
    predictions: tuple[HistoryPrediction, ...] = ()
    """Of chains."""


class MarkKind(StrEnum):
    """What happened."""

    OPERATION = "operation"
    PLAN = "plan"
    RECOMMENDATION = "recommendation"
    ALERT = "alert"


class HistoryMark(Frozen):
    """Something that happened at a moment, or from one to another."""

    kind: MarkKind
    id: int
    """Of the operation, plan, recommendation or alert."""
    at: datetime
    until: datetime | None
    """None: it has no end, or has not ended."""
    plan_id: int | None
    state: str
    title: str
    hosts: tuple[Name, ...]
    chains: tuple[Name, ...]


class HistoryMarks(Frozen):
    """Oldest first."""

    items: tuple[HistoryMark, ...]
    more: bool
    """There are more than are shown, the newest of which are left out: ask for a shorter range."""


class PastCore(Frozen):
    """A core at a moment."""

    core: int
    busy_percent: float


class PastNf(Frozen):
    """An NF at a moment, on the core where it was found."""

    nf_id: NfId
    core: int
    rx_mpps: float
    tx_mpps: float
    drop_mpps: float
    cpu_percent: float | None
    """None of an NF in the kernel, whose CPU time is not measured."""
    utilisation_percent: float | None


class PastChain(Frozen):
    """A chain at a moment, on the host that reported it."""

    chain: Name
    host: Name
    provenance: Provenance
    offered_mpps: float
    delivered_mpps: float
    drop_mpps: float
    p95_us: float | None
    """Mean of the seconds' percentiles."""
    judged: int
    met: int


class PastHop(Frozen):
    """A device, or an NF on it, that a chain's packets passed; as they measured it on their way."""

    device: Name
    nf_id: NfId | None
    latency_us: float | None
    """Mean of the seconds' medians; None where no packet departed."""
    p95_us: float | None
    """Mean of the seconds' percentiles."""
    most_us: float | None
    """The slowest packet of the interval."""
    waits_us: float | None
    """The longest that packets were not given back; None where none was out."""
    queue_packets: int | None
    """The most that waited at the port by which they went on to another host."""


class PastHost(Frozen):
    """A host at a moment; means over the interval."""

    host_id: Name
    provenance: Provenance
    throughput_mpps: float | None
    """None where no chain was reported."""
    cores: tuple[PastCore, ...]
    nfs: tuple[PastNf, ...]


class PastFleet(Frozen):
    """The fleet as it was in one interval. Hosts that did not report in it are absent."""

    at: datetime
    """When the interval began."""
    step_s: int
    """Its length."""
    level: HistoryLevel
    hosts: tuple[PastHost, ...]
    chains: tuple[PastChain, ...]
    hops: tuple[PastHop, ...] = ()
    """Of the chain that was asked for, in the order in which packets passed; empty where they measured nothing, and
    where no chain was named."""


class PastSeat(Frozen):
    """Where an NF was found."""

    host: Name
    core: int


class ChainDifference(Frozen):
    """A chain at two moments; None where it was not reported."""

    chain: Name
    before: PastChain | None
    after: PastChain | None


class NfDifference(Frozen):
    """An NF that came, went or stood elsewhere; None where it was not reported."""

    nf_id: NfId
    before: PastSeat | None
    after: PastSeat | None


class FleetDifference(Frozen):
    """The fleet at two moments."""

    before: datetime
    """Beginning of the interval, as of `PastFleet`."""
    after: datetime
    chains: tuple[ChainDifference, ...]
    """All of both, by name."""
    nfs: tuple[NfDifference, ...]
    """Those that do not stand where they stood, by name."""
    hosts_gone: tuple[Name, ...]
    """Reported before, and not after."""
    hosts_new: tuple[Name, ...]


class LevelSize(Frozen):
    """What one level of history takes on disk."""

    level: HistoryLevel
    retention_days: int
    """Whole days before today."""
    bytes: int
    """With its indexes."""
    rows: int
    """As the database estimates them."""
    oldest: datetime | None
    """Beginning of its oldest partition."""


class HistorySize(Frozen):
    """Sizes of all levels, and how far the roll-up is."""

    levels: tuple[LevelSize, ...]
    bytes: int
    rolled_until: datetime | None
    """Everything before is rolled up; None where no host has reported."""


class ChainCompliance(Frozen):
    """How much of a time a chain met its objectives. The three shares add up to 1."""

    chain: Name
    met: float
    """Share of the time that was judged, and met every objective."""
    missed: float
    not_measured: float
    """Share without a judgement: no sample, paused, or before the chain was made."""
    provenance: Provenance | None
    """None where nothing was measured."""
    of_measured: float | None
    """`met` over what was judged; None where nothing was."""


class CompliancePage(Frozen):
    """Chains with objectives by name, over the time from `start` to `end`."""

    start: datetime
    end: datetime
    """Earlier than was asked for where the rest is not rolled up yet."""
    items: tuple[ChainCompliance, ...]
    next: str | None
    """As of every list: pass it as `after`."""
