"""What became of chains' packets between two samples, as rates: pure. Laws act on it, and it is reported."""

from typing import NamedTuple

from sextant_agent.contract.sample import ChainCounters, HostSample

MAX_LAG_S = 5.0
"""Packets are counted once a second, and before they are looked at."""


class ChainRates(NamedTuple):
    """Of one chain, in Mpps."""

    offered: float
    delivered: float
    dropped: float
    """Before its first NF, and by its NFs, but for those that a rule names."""
    filtered: float
    counted_s: float
    """Between its two countings; 0 where they are one, and nothing is known of the interval."""


def chain_rates(before: HostSample, now: HostSample) -> dict[str, ChainRates]:
    """By chain. What was added, or lost its counters, in between waits for the next interval."""
    seconds = seconds_between(before, now)
    steady = {
        name: (old, chain)
        for name, chain in now.chains.items()
        if seconds > 0 and (old := before.chains.get(name)) is not None and old.instance == chain.instance
    }
    dropped = {name: chain.source_drops - old.source_drops for name, (old, chain) in steady.items()}
    filtered = dict.fromkeys(steady, 0)
    for nf_id, nf in now.nfs.items():
        if nf.chain in steady:
            was = before.nfs.get(nf_id)
            dropped[nf.chain] += nf.drops - (was.drops if was else 0)
            filtered[nf.chain] += nf.filtered - (was.filtered if was else 0)
    found = {}
    for name, (old, chain) in steady.items():
        counted_s = _counted_s(old, chain, seconds)
        found[name] = ChainRates(
            mpps(old.offered, chain.offered, counted_s),
            mpps(old.delivered, chain.delivered, counted_s),
            mpps(0, dropped[name], counted_s),
            mpps(0, filtered[name], counted_s),
            counted_s,
        )
    return found


def seconds_between(before: HostSample, now: HostSample) -> float:
    """0 where their counters are not of one data plane, or the clock went back."""
    return max(0.0, (now.taken_ns - before.taken_ns) / 1e9) if before.epoch == now.epoch else 0.0


def mpps(before: int, now: int, seconds: float) -> float:
    """A counter that went back belongs to a process that was started again: no rate below zero."""
    return round((now - before) / seconds / 1e6, 6) if now > before and seconds else 0.0


def _counted_s(before: ChainCounters, now: ChainCounters, seconds: float) -> float:
    """A clock that was set in between is not used."""
    if before.counted_ns is None or now.counted_ns is None:
        return seconds
    found = (now.counted_ns - before.counted_ns) / 1e9
    return found if 0 <= found <= seconds + MAX_LAG_S else seconds
