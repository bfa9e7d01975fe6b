"""What four runs of a mix, A B B A, say of two placements; and how far CPU time was from rate x cost. Pure."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from mixes import REAL


class NfTime(NamedTuple):
    """Of an NF, means of a run."""

    nf_id: str
    core: int
    got: float
    """CPU time, percent of the core."""
    arrived: float
    """Mpps: what its chain was offered, or what the NF before it handed on."""
    us: float | None
    """Of its core, that a packet took; None: none was served, or it was not measured."""


class Ran(NamedTuple):
    """One run."""

    mpps: float
    """Delivered, of all chains."""
    nfs: tuple[NfTime, ...]


class FullCore(NamedTuple):
    """A core whose NFs needed more than they got, in a run."""

    core: int
    points: float
    """Between what an NF got of their time and its part by rate and cost, of the NF that is furthest off."""


def more_percent(runs: Sequence[float]) -> float:
    """By how much B delivered more than A, of four runs in the order A B B A: what changes evenly with time falls
    out."""
    first, second, third, fourth = runs
    return 100 * ((second + third) / (first + fourth) - 1)


def delivered(samples: Mapping[str, Sequence[Sequence[float]]], since: float, until: float, at: int) -> float | None:
    """Mpps of all chains, by the seconds that lie in the run; `at`: of a second's figures. None: of a chain too few
    are there."""
    total = 0.0
    for seconds in samples.values():
        within = [one[at] for one in seconds if since + 1 <= one[0] <= until]
        if len(within) < (until - since) / 2:
            return None
        total += fmean(within)
    return total


def times(looks: Sequence[Sequence[Mapping[str, Any]]], offered: Mapping[str, float]) -> tuple[NfTime, ...]:
    """Of what the console said of all NFs, look by look; `offered`: Mpps, by chain."""
    seen: dict[str, list[Mapping[str, Any]]] = {}
    for look in looks:
        for nf in look:
            if nf["sample"] is not None:
                seen.setdefault(nf["nf_id"], []).append(nf)
    at = {(nfs[0]["chain"], nfs[0]["position"]): nfs for nfs in seen.values()}
    found = []
    for (chain, position), nfs in at.items():
        before = at.get((chain, position - 1))
        arrived = offered[chain] if before is None else _mean(before, "tx_mpps")
        served, used = _mean(nfs, "rx_mpps"), _mean(nfs, "utilisation_percent")
        us = used / 100 / served if served > 0 and used > 0 else None
        found.append(NfTime(nfs[0]["nf_id"], nfs[0]["seat"]["core"], _mean(nfs, "cpu_percent"), arrived, us))
    return tuple(found)


def _mean(nfs: Sequence[Mapping[str, Any]], name: str) -> float:
    return fmean(nf["sample"].get(name) or 0.0 for nf in nfs)


def full_cores(nfs: Sequence[NfTime]) -> list[FullCore]:
    """Where nobody lacks time each NF has what it needs, however the core is divided: such cores say nothing."""
    found = []
    for core in sorted({nf.core for nf in nfs}):
        here = [nf for nf in nfs if nf.core == core]
        needs = [100 * nf.arrived * nf.us for nf in here if nf.us is not None]
        got = sum(nf.got for nf in here)
        if len(here) < 2 or len(needs) < len(here) or got <= 0 or sum(needs) < REAL["lacks"] * got:
            continue
        off = [abs(100 * nf.got / got - 100 * need / sum(needs)) for nf, need in zip(here, needs, strict=True)]
        found.append(FullCore(core, max(off)))
    return found
