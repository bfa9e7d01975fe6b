"""What daemon, NFs, sources and sinks answer, checked like all that comes from outside (docs/contracts/srv6*.md)."""

from collections.abc import Hashable
from ipaddress import IPv6Address
from typing import Annotated

from pydantic import Field

from sextant_agent.contract.driver import NfTimes
from sextant_agent.kit.line_client import LineAnswer

Count = Annotated[int, Field(ge=0)]


class DaemonHello(LineAnswer):
    """Who answers."""

    version: str = Field(max_length=64)
    host: str = Field(max_length=63)
    reason: str | None = Field(max_length=500)
    """Why packets cannot be carried here; None where they can."""
    no_firewalls: str | None = Field(default="the daemon is older than NFs in the kernel; replace it", max_length=500)
    """Why there can be no NFs in the kernel; None where there can."""


class Firewall(LineAnswer):
    """An NF in the kernel whose rules are there, and packets since they were loaded."""

    nf_id: str = Field(max_length=127)
    passed: Count
    filtered: Count
    rules: tuple[tuple[Count, Count], ...] = Field(default=(), max_length=256)
    """Packets and bytes that each has decided on since they were put there, in their order."""
    default: tuple[Count, Count] | None = None
    """Where none matched; None: the daemon is older and counts by no rule."""


class DaemonFirewalls(LineAnswer):
    """All of them: one that is not among them has no rules, and gives nothing back."""

    firewalls: tuple[Firewall, ...] = Field(max_length=65536)


class Opened(LineAnswer):
    """An edge, an exit, or an NF's place; its packet socket comes with it."""

    port: Count
    mac: str = Field(max_length=17)
    peer_mac: str = Field(max_length=17)


class Latencies(LineAnswer):
    """In ns."""

    p50: Count
    p95: Count
    max: Count


class SinceRead(LineAnswer):
    """Of all packets since `read` was last asked."""

    nf_latency_ns: Latencies | None = None
    """None: there were none."""


class ClosedWindow(LineAnswer):
    """Packets that an NF gave back, up to 1500 of them."""

    number: Count
    nf_latency_ns: Latencies


class FoundNf(LineAnswer):
    """An NF's place as the daemon has it."""

    nf_id: str = Field(max_length=127)
    given: Count
    returned: Count
    oldest_ns: Count
    """How long, at least, an NF that owes packets has given none back."""
    queue_packets: Count | None = None
    """The most that waited where they went on to another host; None: no such queue was read, or the daemon is older."""
    window: ClosedWindow | None = None
    """The last one; None before the first."""
    since_read: SinceRead = SinceRead()

    def times(self, life: Hashable, *, owes: bool) -> NfTimes:
        """What packets say of it. `life`: windows of two are not compared. `owes`: what it has not given back it still
        has. One in the kernel decides at once, and gives back nothing of what it filters."""
        oldest_us = self.oldest_ns / 1000 if owes and self.given > self.returned else 0.0
        if self.window is None:
            return NfTimes(None, 0.0, oldest_us, life)
        return NfTimes(self.window.number, self.window.nf_latency_ns.p95 / 1000, oldest_us, life)


class DaemonWindows(LineAnswer):
    """What it has of NFs, without beginning anything anew."""

    nfs: tuple[FoundNf, ...] = Field(max_length=65536)


class WayTimes(LineAnswer):
    """In µs; below 0 where clocks are apart."""

    p50: int
    p95: int


class FoundPosition(LineAnswer):
    """A place on a chain's path."""

    way_us: WayTimes | None = None
    """From the place before; None of the first, and where packets carry no times."""


class ChainWindow(LineAnswer):
    """Packets that left a chain here, up to 1500 of them."""

    tag: int = Field(ge=1, le=65535)
    stale_ms: Count
    """Since the last one."""
    positions: tuple[FoundPosition, ...] = Field(max_length=8)
    """In the order of travel, the last where they leave; none before the first window closed."""


class FoundLink(LineAnswer):
    """A port to other hosts."""

    port: str = Field(max_length=15)
    up: bool
    queue_packets: Count | None = None


class DaemonLinks(LineAnswer):
    """Ports that are there."""

    links: tuple[FoundLink, ...] = Field(max_length=64)


class SetWay(LineAnswer):
    """Where packets for a segment go, as the kernel has it."""

    tag: int = Field(ge=1, le=65535)
    sid: IPv6Address
    port: str | None = Field(max_length=15)


class DaemonWays(LineAnswer):
    """All of them."""

    ways: tuple[SetWay, ...] = Field(max_length=65536)


class FoundEnd(LineAnswer):
    """An edge, or an exit."""

    chain: str = Field(max_length=63)


class DaemonRead(LineAnswer):
    """All that the daemon has."""

    counts: dict[str, Count] = Field(max_length=256)
    nfs: tuple[FoundNf, ...] = Field(max_length=65536)
    edges: tuple[FoundEnd, ...] = Field(max_length=65536)
    exits: tuple[FoundEnd, ...] = Field(max_length=65536)
    windows: tuple[ChainWindow, ...] = Field(default=(), max_length=65536)


class ProcessHello(LineAnswer):
    """A process of ours that is ready."""

    pid: int = Field(gt=1)
    latency_bounds_ns: tuple[Count, ...] = Field(default=(), max_length=4096)
    """Of a sink."""


class NfFigures(LineAnswer):
    """Counters of one process, cumulative since it began."""

    rx: Count = 0
    tx: Count = 0
    drops: Count = 0
    filtered: Count = 0
    cycles: Count = 0
    cpu_ns: Count = 0
    busy_ns: Count = 0

    def __add__(self, other: "NfFigures") -> "NfFigures":
        """Of both."""
        return NfFigures(**{name: getattr(self, name) + getattr(other, name) for name in NfFigures.model_fields})


class SourceFigures(LineAnswer):
    """Of a source, cumulative since it began."""

    offered: Count = 0
    sent: Count = 0
    source_drops: Count = 0
    unsent: Count = 0
    """The kernel did not take them."""
    settled: bool = True
    """The last change is taken up; an older source does not say."""


class SinkFigures(LineAnswer):
    """Of a sink, cumulative since it began."""

    delivered: Count = 0
    delivered_bytes: Count = 0
    latency_counts: tuple[Count, ...] = Field(default=(), max_length=4097)
