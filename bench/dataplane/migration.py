"""NUMASFP's Fig. 4 on real packets: an NF whose node has become too slow for its traffic moves to another.

This machine has one node. The core of the packets' source, with a CPU quota, stands for the remote one, where an NF
carries less: an emulated node, so no figure of the paper is reproduced here. What is measured is what moving costs
packets that are real; they arrive at a core that the NF has for itself.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from host import HOST, BenchHost, host
from page import head, line
from setting import NotMeasured, Setting, rows, verdict
from sextant_agent.contract.sample import ChainCounters
from sextant_domain.chains.chain import Egress, Ingress, Match
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent

CHAIN = "moved"
LOOPS = 50_000
"""Work a packet, so much that the source needs hardly any CPU beside it."""
REMOTE_PERCENT = 40.0
"""Of a core: what the emulated remote node leaves the NF."""
BELOW, ABOVE = 0.25, 0.6
"""Of what a whole core carries: the remote node keeps up with the first rate, not with the second (below 7, and 9 Gbps
in the paper, on a node that carries 7)."""
KEEPS_UP = 0.97
"""Of what is offered: less in a bin is below. The source offers packets in ticks, and a bin may miss one."""
BIN_S = 0.5
GOAL_S = 1.0


@dataclass(frozen=True)
class _Bin:
    """What happened in half a second; the paper counts seconds."""

    ended_s: float
    offered: int
    delivered: int

    @property
    def keeps_up(self) -> bool:
        return self.delivered >= KEEPS_UP * self.offered


def migration(setting: Setting) -> Iterator[str]:
    """A row a repetition."""
    goal = f"carried in full again within {GOAL_S:g} s of the order to move"
    yield from setting.preface("migration", goal)
    yield from head(
        "move", "carried before, %", "at the higher rate, %", "after the move, %", "s below from the order on",
        "dropped from the order on", "goal",
    )  # fmt: skip
    with host(setting) as found:
        other = _other_core(setting, found)
        whole = _capacity(setting, found)
        yield from rows(
            range(1, setting.pick(10, 2) + 1), lambda row: _moved(setting, found, other, whole, row), _blank
        )


def _other_core(setting: Setting, found: BenchHost) -> int:
    """Raises NotMeasured where there is one core only."""
    others = [core.id for core in found.driver.inventory().host.cores if core.id in setting.cores]
    free = [core for core in others if core != found.core]
    if not free:
        raise NotMeasured("a move needs two cores that are offered")
    return free[0]


def _capacity(setting: Setting, found: BenchHost) -> float:
    """Mpps that the NF carries on the core that it moves to."""
    _order(found, found.core, None, rate_mpps=1.0)
    time.sleep(0.5)
    before, begun = _chain(found), time.monotonic()
    time.sleep(setting.pick(3.0, 0.5))
    return (_chain(found).delivered - before.delivered) / (time.monotonic() - begun) / 1e6


def _moved(setting: Setting, found: BenchHost, other: int, whole: float, row: int) -> str:
    seconds = setting.pick(4.0, 1.0)
    _order(found, other, REMOTE_PERCENT, rate_mpps=BELOW * whole)
    time.sleep(1.0)
    kept = _bins(found, seconds)
    _order(found, other, REMOTE_PERCENT, rate_mpps=ABOVE * whole)
    starved = _bins(found, seconds)
    ordered, dropped = time.monotonic(), _dropped(found)
    _order(found, found.core, None, rate_mpps=ABOVE * whole)
    after = _bins(found, seconds)
    below = [each.ended_s for each in after if not each.keeps_up]
    took = max(below, default=ordered) - ordered
    met = took <= GOAL_S and _share(after[-len(after) // 2 :]) >= KEEPS_UP
    shares = [f"{100 * _share(part):.1f}" for part in (kept, starved, after[-len(after) // 2 :])]
    return line(str(row), *shares, f"{took:.1f}", str(_dropped(found) - dropped), verdict(met))


def _share(bins: list[_Bin]) -> float:
    return sum(each.delivered for each in bins) / max(1, sum(each.offered for each in bins))


def _bins(found: BenchHost, seconds: float) -> list[_Bin]:
    ends, counted = [time.monotonic()], [_chain(found)]
    until = ends[0] + seconds
    while ends[-1] < until:
        time.sleep(BIN_S)
        ends.append(time.monotonic())
        counted.append(_chain(found))
    pairs = zip(ends[1:], pairwise(counted), strict=True)
    return [_Bin(end, now.offered - was.offered, now.delivered - was.delivered) for end, (was, now) in pairs]


def _chain(found: BenchHost) -> ChainCounters:
    return found.driver.sample().chains[CHAIN]


def _dropped(found: BenchHost) -> int:
    """By the source, and for want of room in the NF's ring."""
    sample = found.driver.sample()
    return sample.chains[CHAIN].source_drops + sum(nf.drops for nf in sample.nfs.values())


def _order(found: BenchHost, core: int, quota: float | None, rate_mpps: float) -> None:
    """As the agent is ordered; the difference to what stands is what is done. Raises NotMeasured."""
    nf = DesiredNf(
        nf_id=f"{CHAIN}.nf", nf_type="simple-forward", nf_version=1, config={"loops": LOOPS}, core=core,
        cpu_share=1000, cpu_quota_percent=quota,
    )  # fmt: skip
    traffic = Traffic(rate_mpps=rate_mpps, packet_bytes=64, flows=100)
    chain = DesiredChain(chain=CHAIN, nfs=(nf,), ingress=Ingress(match=Match()), egress=Egress(), traffic=traffic)
    report = found.driver.apply(HostContent(host_id=HOST, chains=(chain,)))
    if report.failures:
        raise NotMeasured("; ".join(failure.message for failure in report.failures.values()))


def _blank(row: int, reason: str) -> str:
    return line(str(row), f"not measured: {reason}", *[""] * 5)
