"""What packets have measured, as the daemon says it: how long each NF had them, how long they took from hop to hop."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address
from itertools import pairwise

from sextant_domain.hosts.path import TAG_AT, ChainPath

from sextant_agent.contract.sample import HopTimes, TransitTimes
from sextant_agent.drivers.srv6.answers import ChainWindow, DaemonRead, FoundNf
from sextant_agent.drivers.srv6.record import NfEntry

STALE_MS = 3000
"""What left longer ago says nothing of now."""
LONGEST_US = 2_000_000
"""What takes longer between two hosts is a difference of their clocks."""
_TAG_BITS = 16


@dataclass(frozen=True, slots=True)
class Measured:
    """Since the daemon was asked before."""

    nfs: Mapping[str, FoundNf]
    windows: Mapping[int, ChainWindow]
    """By tag, of chains that leave here."""
    joined: int = 0
    """Frames of several packets that were refused, since the daemon's maps were made."""

    @classmethod
    def of(cls, read: DaemonRead) -> "Measured":
        """By what each is known by."""
        return cls(
            {nf.nf_id: nf for nf in read.nfs},
            {window.tag: window for window in read.windows},
            read.counts.get("offload", 0),
        )

    def remark(self, before: "Measured | None") -> str | None:
        """What a person can do about packets that were refused since."""
        if before is None or self.joined <= before.joined:
            return None
        return (
            f"{self.joined - before.joined} frames of several packets were refused since the last sample: turn off"
            " what joins them, ethtool -K PORT tso off gso off at a tenant's interface, gro off at ports to other hosts"
        )

    def hops(self, host: str, nfs: Sequence[NfEntry]) -> tuple[HopTimes, ...]:
        """Of NFs of this host."""
        return tuple(_hop(host, nf, self.nfs.get(nf.nf_id)) for nf in nfs)

    def transits(self, path: ChainPath) -> tuple[TransitTimes, ...]:
        """To each hop but the first; none where too few packets left. Where one says that clocks are apart, none
        between hosts is believed: there and back are wrong by the same, and only one of them is below 0."""
        window = self.windows.get(path.tag)
        if window is None or window.stale_ms > STALE_MS or len(window.positions) != len(path.segments):
            return ()
        found = [
            (segment.nf_id, _host_of(before.sid) == _host_of(segment.sid), position.way_us)
            for (before, segment), position in zip(pairwise(path.segments), window.positions[1:], strict=True)
        ]
        apart = any(not alike and way and (way.p50 < 0 or way.p95 > LONGEST_US) for _, alike, way in found)
        return tuple(
            TransitTimes(to, None, None) if apart and not alike else TransitTimes(to, max(0, way.p50), max(0, way.p95))
            for to, alike, way in found
            if way is not None
        )


def _hop(host: str, nf: NfEntry, found: FoundNf | None) -> HopTimes:
    times = None if found is None else found.since_read.nf_latency_ns
    owes = found is not None and found.given > found.returned and not nf.in_kernel  # which decides at once
    waits = found.oldest_ns if found is not None and owes else None
    return HopTimes(
        device=host,
        nf_id=nf.nf_id,
        p50_us=None if times is None else times.p50 / 1000,
        p95_us=None if times is None else times.p95 / 1000,
        most_us=None if times is None else times.max / 1000,
        waits_us=None if waits is None else waits / 1000,
        queue_packets=None if found is None else found.queue_packets,
    )


def _host_of(sid: IPv6Address) -> int:
    """What stands before the tag."""
    return int(sid) >> (TAG_AT + _TAG_BITS)
