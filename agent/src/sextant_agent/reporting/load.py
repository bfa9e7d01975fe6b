"""How much of its core's time an NF puts into packets, and how many more it could carry: pure arithmetic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from sextant_domain.hosts.telemetry import MAX_MPPS, LoadBasis

from sextant_agent.contract.sample import NfCounters, Sightings

LEAST_INFORMATIVE = 0.01
"""Of its core: below that, too few packets show what one costs, and each is dearer than in full bursts."""
Z = 1.645
"""One side of the normal distribution has 5 % beyond so many standard deviations."""
OVERFLOWS = 0.01
"""Of the packets that came to an NF, lost at its full ring: below that, short bursts may have done it."""
Pair = tuple[NfCounters, NfCounters]
"""An NF at the beginning and at the end of an interval."""


@dataclass(frozen=True, slots=True)
class NfUtilisation:
    """Of one NF over one interval; None where it is not known."""

    utilisation_percent: float | None = None
    basis: LoadBasis | None = None
    headroom_mpps: float | None = None
    low_percent: float | None = None
    """What the utilisation is at least, where that is all that is known."""


@dataclass(frozen=True, slots=True)
class _Use:
    """Of one NF, as shares of its core's time."""

    now: NfCounters
    packets_s: float
    busy: float | None
    basis: LoadBasis | None
    cpu: float | None
    """None: not measured."""

    @property
    def core(self) -> int:
        return self.now.last_core if self.now.core is None else self.now.core

    def is_with(self, other: "_Use") -> bool:
        """In one process."""
        return self is other or (self.now.group is not None and self.now.group == other.now.group)


def loads(pairs: Sequence[Pair], seconds: float, core_busy: Mapping[int, float]) -> dict[str, NfUtilisation]:
    """By NF id. `core_busy`: the share of its time in which each core was not idle, 0 to 1, whoever used it."""
    uses = [_use(before, now, seconds) for before, now in pairs]
    return {use.now.nf_id: _load(use, uses, core_busy) for use in uses}


def _use(before: NfCounters, now: NfCounters, seconds: float) -> _Use:
    packets = max(0, now.rx - before.rx)
    cpu = None
    if before.cpu_ns is not None and now.cpu_ns is not None:
        cpu = _since(before.cpu_ns, now.cpu_ns) / seconds / 1e9
    busy, basis = None, _basis(before, now, packets)
    if now.busy_ns is not None:
        busy = min(1.0, _since(before.busy_ns or 0, now.busy_ns) / seconds / 1e9)
    elif basis is not None and cpu is not None:
        busy = min(1.0, cpu)
    return _Use(now, packets / seconds, busy, basis, cpu)


def _basis(before: NfCounters, now: NfCounters, packets: int) -> LoadBasis | None:
    """Which of an NF's figures shows how busy it was. Of one that polls, only its ring does: while that overflows and
    the NF takes packets, it has none of its CPU time to spare. One that stands still takes none."""
    if now.busy_ns is not None:
        return LoadBasis.BUSY_TIME
    if now.sleeps:
        return LoadBasis.CPU_TIME
    lost = max(0, (now.ring_drops or 0) - (before.ring_drops or 0))
    return LoadBasis.FULL_RING if packets > 0 and lost > OVERFLOWS * (packets + lost) else None


def _since(before: int, now: int) -> int:
    """A restarted process may count from zero."""
    return now - before if now >= before else now


def _load(use: _Use, uses: Sequence[_Use], core_busy: Mapping[int, float]) -> NfUtilisation:
    if use.busy is None:
        return NfUtilisation(low_percent=_low_percent(use.now.sightings))
    headroom = _headroom_pps(use, uses, core_busy)
    return NfUtilisation(
        utilisation_percent=round(100 * use.busy, 2),
        basis=use.basis,
        headroom_mpps=None if headroom is None else round(min(MAX_MPPS, headroom / 1e6), 6),
    )


def _low_percent(seen: Sightings | None) -> float | None:
    """The lower end of Wilson's interval for the part of the time in which an NF had packets, less all of the time in
    which its thread did not run: it may have had packets then, too. None where that leaves nothing."""
    if seen is None or seen.with_packets == 0:
        return None
    n, share = seen.moments, seen.with_packets / seen.moments
    spread = Z * sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    low = (share + Z**2 / (2 * n) - spread) / (1 + Z**2 / n) - (1 - seen.cpu)
    return round(100 * low, 2) if low >= LEAST_INFORMATIVE else None


def _headroom_pps(use: _Use, uses: Sequence[_Use], core_busy: Mapping[int, float]) -> float | None:
    """The time of its core that it could still get, over what a packet of its chain costs there: where NFs of one chain
    share a core, each further packet takes time of all of them. None where that of one of them is not measured: an NF
    in the kernel works on whichever core a packet came to, be it this one."""
    if use.basis is LoadBasis.FULL_RING:
        return 0.0
    if any(each.cpu is None and each.now.chain == use.now.chain for each in uses):
        return None
    room = _room(use, uses, core_busy)
    if room is None or use.busy is None or use.busy < LEAST_INFORMATIVE:
        return None
    process = sum(each.busy or 0.0 for each in uses if each.is_with(use))
    chain = sum(each.busy or 0.0 for each in uses if each.now.chain == use.now.chain and each.core == use.core)
    return use.packets_s * max(0.0, room - process) / chain


def _room(use: _Use, uses: Sequence[_Use], core_busy: Mapping[int, float]) -> float | None:
    """The part of the core that its process could have: what others leave, and no more than its quota. By the kernel's
    figures that is less than it could get where it would take the core from others by its weight."""
    if use.now.core_share is not None:
        return use.now.core_share
    if use.core not in core_busy:
        return None
    own = sum(each.cpu for each in uses if each.is_with(use) and each.cpu is not None)
    left = 1.0 - max(0.0, core_busy[use.core] - own)
    quota = use.now.cpu.quota_percent if use.now.cpu else None
    return left if quota is None else min(left, quota / 100)
