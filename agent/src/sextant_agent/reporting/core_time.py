"""Who used the time of each core: its NFs with the source and sink of their chains, and what is none of these. Pure
arithmetic."""

from collections.abc import Iterable, Iterator, Mapping, Set

from sextant_domain.hosts.telemetry import CoreSample, NfSample

from sextant_agent.contract.sample import CpuTime, HostSample, NfCounters


def core_busy(before: Mapping[int, CpuTime], now: Mapping[int, CpuTime], cores: tuple[int, ...]) -> dict[int, float]:
    """By core, the share of the interval in which it was not idle, 0 to 1; without those that stood still."""
    found = {}
    for core in cores:
        if core in before and core in now and now[core].total > before[core].total:
            share = (now[core].busy - before[core].busy) / (now[core].total - before[core].total)
            found[core] = min(1.0, max(0.0, share))
    return found


def own_percent(
    before: HostSample | None, now: HostSample | None, nfs: Iterable[NfSample]
) -> Mapping[int, float | None] | None:
    """By core, what its NFs, and source and sink, used of it; cores without them are left out. None of a core where an
    NF came, went or moved in between, and in all where one sample is missing, or an NF whose CPU time is not measured
    had packets: the kernel works on those on any core. Nobody knows whose the time was."""
    if before is None or now is None or before.epoch != now.epoch:
        return None
    used: dict[int, float | None] = {}
    reported = set()
    for nf in nfs:
        reported.add(nf.nf_id)
        if nf.cpu_percent is not None:
            used[nf.core] = (used.get(nf.core) or 0.0) + nf.cpu_percent
        elif nf.rx_mpps > 0:
            return None
    for core, percent in _traffic_percent(before, now):
        used[core] = (used.get(core) or 0.0) + percent
    for sample, other in ((before, now), (now, before)):
        for nf_id, counters in sample.nfs.items():
            there = other.nfs.get(nf_id)
            if nf_id not in reported or there is None or _core(there) != _core(counters):
                used[_core(counters)] = None
    return used


def _traffic_percent(before: HostSample, now: HostSample) -> Iterator[tuple[int, float]]:
    """What source and sink used of their core; nothing where nobody counts it."""
    seconds = (now.taken_ns - before.taken_ns) / 1e9
    if before.traffic is not None and now.traffic is not None and seconds > 0:
        yield now.traffic.core, max(0, now.traffic.cpu_ns - before.traffic.cpu_ns) / seconds / 1e7


def core_samples(
    busy: Mapping[int, float], own: Mapping[int, float | None] | None, measured: Set[int] = frozenset()
) -> tuple[CoreSample, ...]:
    """`busy` as `core_busy` has it, `own` as `own_percent` does. `measured`: cores on which an NF type was measured."""
    return tuple(
        _core_sample(core, round(100 * share, 2), own, is_measured=core in measured) for core, share in busy.items()
    )


def _core_sample(core: int, busy: float, own: Mapping[int, float | None] | None, *, is_measured: bool) -> CoreSample:
    rest = _other(core, busy, own)
    other, measuring = (None, rest) if is_measured else (rest, None)
    return CoreSample(core=core, busy_percent=busy, other_percent=other, measuring_percent=measuring)


def _other(core: int, busy: float, own: Mapping[int, float | None] | None) -> float | None:
    used = None if own is None else own.get(core, 0.0)
    return None if used is None else round(max(0.0, busy - used), 2)


def _core(nf: NfCounters) -> int:
    return nf.last_core if nf.core is None else nf.core
