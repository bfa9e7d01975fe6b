"""SRv6-INT's Fig. 11: the greatest throughput of an NF (a) and of a chain of two (b) while others on the same core are
sent a fixed rate, with nobody who sets quotas, with what VPA's algorithm (re-implemented) gives, and with the law.

At the beginning the core is divided evenly, so that more for one is less for others. What is measured gets far more
packets than it can do: its throughput is what it gives back of them. VPA is as it is after a day of just this (vpa.py):
within minutes it does nothing.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

import page
import vpa
from local_loop import TYPES
from lone_host import lone_host
from loop_run import BOUNDS, L_MAX, LOOP, Watched, begin, desired_nf, give, used_percent, watching, within_bounds
from sextant_agent.contract.sample import ChainCounters
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, HostContent
from ways import spread

PACKET_BYTES = 1024
"""As in the paper."""
FIXED_MPPS, MUCH_MPPS = 0.002, 0.08
"""Of each other chain, and of the one that is measured: several times what a core's NF can do beside others."""
MEASURED = "measured"
NOBODY, VPA, LAW = "nobody", "VPA", "law"
BEST_IN_PAPER: Mapping[tuple[str, ...], str] = {("nids",): VPA}
"""The law's is the best of all others."""
SOURCE_MARGIN = 1.05
"""Where no more than so much was sent of what came, the source was the limit."""
REST_S, SETTLE_S, LAW_SETTLE_S, MEASURE_S = 0.5, 1.0, 10.0, 1.5
"""The law takes a fifth from each other once in two seconds, and looks whether that hurts."""
MOST_CHAIN_REPEATS = 2


@dataclass(frozen=True)
class Beside:
    """What stands on the core."""

    kinds: tuple[str, ...]
    """Of the chain that is measured."""
    others: tuple[str, ...]
    """A chain each."""

    @property
    def chains(self) -> Mapping[str, tuple[str, ...]]:
        """By name."""
        return {MEASURED: self.kinds} | {f"other-{number}": (kind,) for number, kind in enumerate(self.others)}

    @property
    def nf_ids(self) -> tuple[str, ...]:
        """Of all."""
        return tuple(nf.nf_id for chain in self.order(FIXED_MPPS).chains for nf in chain.nfs)

    def order(self, rate_mpps: float) -> HostContent:
        """Of the chain that is measured; all NFs on the last core."""
        core = max(os.sched_getaffinity(0))
        return HostContent(
            host_id="bench",
            chains=tuple(
                DesiredChain(
                    chain=name, ingress=Ingress(), egress=Egress(), quota_bounds=BOUNDS,
                    nfs=tuple(desired_nf(f"{name}.nf-{number}", kind, core) for number, kind in enumerate(kinds)),
                    traffic=Traffic(
                        rate_mpps=rate_mpps if name == MEASURED else FIXED_MPPS, packet_bytes=PACKET_BYTES, flows=100
                    ),
                )
                for name, kinds in self.chains.items()
            ),
        )  # fmt: skip

    @property
    def even(self) -> dict[str, float]:
        """The core's quotas at the beginning."""
        return dict.fromkeys(self.nf_ids, float(100 // len(self.nf_ids)))


@dataclass(frozen=True)
class Got:
    """Of one measurement."""

    kpps: float
    sent_kpps: float
    others_lost: float
    """Percent of its packets, of that other chain which lost most."""
    others_above: float
    """Percent of all their windows."""


def beside(repeats: int) -> Iterator[str]:
    """Fig. 11(a), and 11(b) below it in the same table."""
    yield f"Kpps of {PACKET_BYTES} bytes; chains of two NFs {min(repeats, MOST_CHAIN_REPEATS)} times."
    yield ""
    yield from page.head(
        "NFs (the paper's)", "nobody", "VPA's algorithm, after a day of this", "law, each 10 ms", "best here",
        "best in the paper", "", "others lost, %: nobody, VPA, law", "others' windows above L_max, %",
    )  # fmt: skip
    limited = 0
    with lone_host() as driver:
        for stands, many in _wanted(repeats):
            got = _of(driver, stands, many)
            limited += sum(one.sent_kpps < SOURCE_MARGIN * one.kpps for each in got.values() for one in each)
            yield page.line(_name(stands.kinds), *cells(stands.kinds, got))
    if limited:
        yield ""
        yield f"In {limited} measurements the source was the limit: hardly more was sent than came."


def _wanted(repeats: int) -> Iterator[tuple[Beside, int]]:
    """The paper's chains 2 to 4, beside which its chain 1 is, have one NF each: Snort, nDPI, ntopng."""
    for kind in TYPES:
        yield Beside((kind,), tuple(other for other in TYPES if other != kind)), repeats
    for pair in combinations(TYPES, 2):
        yield Beside(pair, tuple(TYPES)[1:]), min(repeats, MOST_CHAIN_REPEATS)


def _name(kinds: Sequence[str]) -> str:
    return f"{' and '.join(kinds)} ({', '.join(TYPES[kind] for kind in kinds)})"


def cells(kinds: tuple[str, ...], got: Mapping[str, Sequence[Got]]) -> Iterator[str]:
    """Of a row, behind its name."""
    for each in got.values():
        yield spread([one.kpps for one in each])
    best = max(got, key=lambda way: median(one.kpps for one in got[way]))
    theirs = BEST_IN_PAPER.get(kinds, LAW)
    yield best
    yield theirs
    yield "alike" if best == theirs else "**not alike**"
    yield ", ".join(f"{median(one.others_lost for one in each):.1f}" for each in got.values())
    yield ", ".join(f"{median(one.others_above for one in each):.0f}" for each in got.values())


def _of(driver: Srv6Driver, stands: Beside, repeats: int) -> dict[str, list[Got]]:
    """Interleaved."""
    ways: Mapping[str, Callable[[Srv6Driver, Beside], Got]] = {NOBODY: _nobody, VPA: _vpa, LAW: _law}
    got: dict[str, list[Got]] = {name: [] for name in ways}
    begin(driver, stands.order(FIXED_MPPS))
    for _ in range(repeats):
        for name, way in ways.items():
            driver.apply(stands.order(FIXED_MPPS))
            give(driver, stands.even)
            time.sleep(REST_S)
            got[name].append(way(driver, stands))
    return got


def _nobody(driver: Srv6Driver, stands: Beside) -> Got:
    driver.apply(stands.order(MUCH_MPPS))
    time.sleep(SETTLE_S)
    return _measured(driver, stands)


def _vpa(driver: Srv6Driver, stands: Beside) -> Got:
    """Its targets may come to more than the core together, as limits may."""
    give(driver, dict.fromkeys(stands.nf_ids, float(BOUNDS.most_percent)))
    driver.apply(stands.order(MUCH_MPPS))
    time.sleep(SETTLE_S)
    used = used_percent(driver, MEASURE_S)
    give(driver, {nf: after_a_day(used[nf]) for nf in stands.nf_ids})
    time.sleep(SETTLE_S)
    return _measured(driver, stands)


def after_a_day(used: float) -> float:
    """The quota by VPA of an NF that used that much all day."""
    return within_bounds(vpa.of((60.0 * minute, used) for minute in range(1440)).recommendation().target)


def _law(driver: Srv6Driver, stands: Beside) -> Got:
    content = stands.order(MUCH_MPPS)
    with LOOP["each 10 ms"](Watched(driver, stands.even), [content]):
        driver.apply(content)
        time.sleep(LAW_SETTLE_S)
        return _measured(driver, stands)


def _measured(driver: Srv6Driver, stands: Beside) -> Got:
    seen: dict[str, list[tuple[float, float]]] = {nf: [] for nf in stands.nf_ids if not nf.startswith(f"{MEASURED}.")}
    before, began = driver.sample().chains, time.monotonic()
    with watching(driver, seen):
        time.sleep(MEASURE_S)
        after, seconds = driver.sample().chains, time.monotonic() - began
    sent, came = _passed(before[MEASURED], after[MEASURED])
    lost = []
    for name in stands.chains:
        others_sent, others_came = _passed(before[name], after[name])
        if name != MEASURED:
            lost.append(100 * max(0, others_sent - others_came) / max(1, others_sent))
    windows = [p95 for found in seen.values() for _, p95 in found]
    above = 100 * sum(p95 > L_MAX for p95 in windows) / max(1, len(windows))
    return Got(came / seconds / 1e3, sent / seconds / 1e3, max(lost), above)


def _passed(before: ChainCounters, after: ChainCounters) -> tuple[int, int]:
    return after.sent - before.sent, after.delivered - before.delivered
