"""From two looks at the counters to rates: pure arithmetic, and the one reader of /proc/stat."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import sub
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sextant_domain.hosts.telemetry import (
    MAX_HOP_US,
    MOST_RULES,
    ChainSample,
    NfSample,
    NodeSample,
    PathHop,
    RuleCount,
    RuleCounts,
    Transit,
)

from sextant_agent.contract.rates import ChainRates, chain_rates, mpps, seconds_between
from sextant_agent.contract.sample import (
    ChainCounters,
    CpuTime,
    HopTimes,
    HostSample,
    LlcAndMemory,
    NfCounters,
    NfCpu,
    NodeCounters,
    RulesCounted,
    TransitTimes,
)
from sextant_agent.reporting.load import NfUtilisation, loads

NOTHING_KNOWN: Mapping[int, float] = MappingProxyType({})
QUANTILES = (0.50, 0.95, 0.99, 0.999)
_OF_PACKETS = (
    "rx_mpps", "tx_mpps", "drop_mpps", "filtered_mpps", "utilisation_percent", "utilisation_basis", "headroom_mpps",
    "utilisation_low_percent",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rates:
    """Everything of one interval."""

    nfs: tuple[NfSample, ...] = ()
    chains: tuple[ChainSample, ...] = ()
    nodes: tuple[NodeSample, ...] = ()


def rates(
    before: HostSample,
    now: HostSample,
    restarts: Mapping[str, int],
    core_busy: Mapping[int, float] = NOTHING_KNOWN,
    last: "Rates | None" = None,
) -> Rates:
    """Rates between two samples. What was added, or lost its counters, in between waits for the next interval.

    `restarts`: by NF id, over all lives of the data plane. `core_busy`: by core, the share of the interval in which it
    was not idle, 0 to 1. `last`: the previous report, which stays true of packets that were not counted again.
    """
    of_chains, seconds = chain_rates(before, now), seconds_between(before, now)
    if seconds <= 0:
        return Rates()
    pairs = [
        (before.nfs[nf_id], nf)
        for nf_id, nf in sorted(now.nfs.items())
        if nf.chain in of_chains and nf_id in before.nfs
    ]
    load = loads(pairs, seconds, core_busy)
    nfs = [
        _nf_sample(old, nf, seconds, restarts.get(nf.nf_id, 0), load[nf.nf_id], counted_s=of_chains[nf.chain].counted_s)
        for old, nf in pairs
    ]
    chains = [_chain_sample(before, now, now.chains[name], found) for name, found in sorted(of_chains.items())]
    if last is not None:
        stale = {name for name, found in of_chains.items() if found.counted_s == 0}
        nfs, chains = _repeated(nfs, chains, last, stale)
    nodes = [
        _node_sample(node, before.nodes[node], found, seconds)
        for node, found in sorted(now.nodes.items())
        if node in before.nodes
    ]
    return Rates(nfs=tuple(nfs), chains=tuple(chains), nodes=tuple(nodes))


def _repeated(
    nfs: list[NfSample], chains: list[ChainSample], last: Rates, stale: set[str]
) -> tuple[list[NfSample], list[ChainSample]]:
    """Figures of packets of stale chains are repeated from the last report."""
    nfs_last, chains_last = {nf.nf_id: nf for nf in last.nfs}, {chain.chain: chain for chain in last.chains}
    return (
        [
            nf.model_copy(update={name: getattr(nfs_last[nf.nf_id], name) for name in _OF_PACKETS})
            if nf.chain in stale and nf.nf_id in nfs_last
            else nf
            for nf in nfs
        ],
        [chains_last.get(chain.chain, chain) if chain.chain in stale else chain for chain in chains],
    )


def quantiles_us(bounds_ns: Sequence[int], counts: Sequence[int], shares: Sequence[float]) -> tuple[float | None, ...]:
    """Quantiles of a histogram in microseconds, linear within its buckets; None of an empty one.

    `counts` has one entry more than `bounds_ns`: the last bucket has no upper bound, so its lower one is given.
    """
    reached = list(accumulate(counts))
    total = reached[-1] if reached else 0
    if total == 0 or not bounds_ns:
        return (None,) * len(shares)
    return tuple(_value_us(bounds_ns, counts, reached, share * total) for share in shares)


def _value_us(bounds_ns: Sequence[int], counts: Sequence[int], reached: Sequence[int], rank: float) -> float:
    """`reached`: so many are in a bucket or below it."""
    index = bisect_left(reached, rank)
    while counts[index] == 0:  # of the least of all: empty buckets reach it, too
        index += 1
    if index >= len(bounds_ns):
        return bounds_ns[-1] / 1000
    low = bounds_ns[index - 1] if index else 0
    share = (rank - (reached[index] - counts[index])) / counts[index]
    return (low + share * (bounds_ns[index] - low)) / 1000


def read_cpu_times(root: Path = Path("/")) -> dict[int, CpuTime]:
    """From /proc/stat; idle and iowait are not busy, time stolen by the hypervisor is."""
    times = {}
    for line in (root / "proc/stat").read_text().splitlines():
        name, *ticks = line.split()
        if name.startswith("cpu") and name[3:].isdecimal():
            numbers = [int(tick) for tick in ticks[:8]]  # guest time is already part of user time
            times[int(name[3:])] = CpuTime(busy=sum(numbers) - numbers[3] - numbers[4], total=sum(numbers))
    return times


def _gbps(before: int | None, now: int | None, seconds: float) -> float | None:
    """None where either side was not counted."""
    if before is None or now is None:
        return None
    return round(max(0, now - before) * 8 / seconds / 1e9, 6) if seconds else 0.0


def _nf_sample(
    before: NfCounters, now: NfCounters, seconds: float, restarts: int, load: NfUtilisation, *, counted_s: float
) -> NfSample:
    """`counted_s`: between two countings of its packets."""
    packets = now.rx - before.rx
    cycles = now.cycles - before.cycles
    return NfSample(
        nf_id=now.nf_id,
        chain=now.chain,
        core=now.last_core if now.core is None else now.core,
        state=now.state,
        restarts=restarts,
        rx_mpps=mpps(before.rx, now.rx, counted_s),
        tx_mpps=mpps(before.tx, now.tx, counted_s),
        drop_mpps=mpps(before.drops, now.drops, counted_s),
        filtered_mpps=mpps(before.filtered, now.filtered, counted_s),
        cpu_percent=_cpu_percent(before.cpu_ns, now.cpu_ns, seconds),
        utilisation_percent=load.utilisation_percent,
        utilisation_basis=load.basis,
        utilisation_low_percent=load.low_percent,
        headroom_mpps=load.headroom_mpps,
        throttled_percent=_throttled_percent(before.cpu, now.cpu, seconds),
        cycles_per_packet=round(cycles / packets, 1) if packets > 0 and cycles > 0 else None,
        ring_used_percent=_share_of_ring(now.ring_used, now),
        ring_peak_percent=_share_of_ring(max(now.ring_peak, now.ring_used), now),
        rule_counts=_rule_counts(now.rules),
        **_llc_rates(before.llc, now.llc, seconds),
    )


def _rule_counts(found: RulesCounted | None) -> RuleCounts | None:
    if found is None:
        return None
    return RuleCounts(
        since=found.since,
        rules=tuple(RuleCount(packets=packets, bytes=size) for packets, size in found.rules[:MOST_RULES]),
        default=RuleCount(packets=found.default[0], bytes=found.default[1]),
    )


def _cpu_percent(before_ns: int | None, now_ns: int | None, seconds: float) -> float | None:
    """None where it was not measured."""
    if before_ns is None or now_ns is None:
        return None
    # A restarted process counts its CPU time from zero.
    cpu_ns = now_ns - before_ns if now_ns >= before_ns else now_ns
    return round(min(100.0, cpu_ns / seconds / 1e7), 2)


def _llc_rates(before: LlcAndMemory | None, now: LlcAndMemory | None, seconds: float) -> dict[str, Any]:
    """Fields of an NfSample; none where nothing counts them."""
    if before is None or now is None:
        return {}
    return {
        "llc_references_per_s": _per_second(before.references, now.references, seconds),
        "llc_misses_per_s": _per_second(before.misses, now.misses, seconds),
        "memory_local_bytes_per_s": _per_second(before.local_bytes, now.local_bytes, seconds),
        "memory_remote_bytes_per_s": _per_second(before.remote_bytes, now.remote_bytes, seconds),
        "llc_occupancy_bytes": now.occupancy_bytes,
        "llc_way_mask": now.way_mask,
    }


def _node_sample(node: int, before: NodeCounters, now: NodeCounters, seconds: float) -> NodeSample:
    return NodeSample(
        node=node,
        memory_bytes_per_s=_per_second(before.memory_bytes, now.memory_bytes, seconds),
        memory_load_percent=now.memory_load_percent,
        link_load_percent=now.link_load_percent,
        link_in_load_percent=now.link_in_load_percent,
        link_out_load_percent=now.link_out_load_percent,
    )


def _per_second(before: int, now: int, seconds: float) -> float:
    return round(max(0, now - before) / seconds, 1)


def _share_of_ring(packets: int, nf: NfCounters) -> float | None:
    return round(min(100.0, 100 * packets / nf.ring_size), 2) if nf.ring_size else None


def _throttled_percent(before: NfCpu | None, now: NfCpu | None, seconds: float) -> float | None:
    if now is None or now.quota_percent is None:
        return None
    # A group made again, for a restarted process, counts from zero.
    since = before.throttled_ns if before and before.throttled_ns <= now.throttled_ns else 0
    return round(min(100.0, (now.throttled_ns - since) / seconds / 1e7), 2)


def _rises(before: tuple[int, ...], now: tuple[int, ...]) -> tuple[int, ...]:
    """Of a histogram's counts, each at least 0. One process does this for a thousand hosts a second, some hundred
    buckets each, nearly all of them without a fall."""
    rises = tuple(map(sub, now, before))
    return tuple(max(0, rise) for rise in rises) if min(rises, default=0) < 0 else rises


def _chain_sample(before: HostSample, now: HostSample, chain: ChainCounters, rates: ChainRates) -> ChainSample:
    old, seconds = before.chains[chain.chain], rates.counted_s
    deltas = _rises(old.latency_counts, chain.latency_counts)
    left_out = chain.unmatched + chain.malformed > 0
    p50, p95, p99, p999 = quantiles_us(now.latency_bounds_ns, deltas, QUANTILES)
    return ChainSample(
        chain=chain.chain,
        offered_mpps=rates.offered,
        delivered_mpps=rates.delivered,
        drop_mpps=rates.dropped,
        filtered_mpps=rates.filtered,
        p50_us=p50,
        p95_us=p95,
        p99_us=p99,
        p999_us=p999,
        delivered_gbps=_gbps(old.delivered_bytes, chain.delivered_bytes, seconds),
        unmatched_mpps=mpps(old.unmatched, chain.unmatched, seconds) if left_out else None,
        malformed_mpps=mpps(old.malformed, chain.malformed, seconds) if left_out else None,
        paused=old.paused or chain.paused or old.pauses != chain.pauses,
        path=None if chain.path is None else tuple(_hop(hop) for hop in chain.path),
        transits=tuple(_transit(one) for one in chain.transits),
    )


def _hop(found: HopTimes) -> PathHop:
    return PathHop(
        device=found.device,
        nf_id=found.nf_id,
        latency_us=_bounded_us(found.p50_us),
        p95_us=_bounded_us(found.p95_us),
        most_us=_bounded_us(found.most_us),
        waits_us=_bounded_us(found.waits_us),
        queue_packets=found.queue_packets,
    )


def _transit(found: TransitTimes) -> Transit:
    return Transit(to=found.to, p50_us=_bounded_us(found.p50_us), p95_us=_bounded_us(found.p95_us))


def _bounded_us(found: float | None) -> float | None:
    return None if found is None else round(min(found, MAX_HOP_US), 1)
