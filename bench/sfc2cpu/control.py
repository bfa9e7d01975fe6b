"""CPU time of a control step: rate-cost proportional shares of one core, once a period of 100 ms; the law alone, and
with what the agent does about it but for the driver, whose figures are made here."""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from statistics import median

import page
from drawing import SETTINGS
from sextant_agent.contract.driver import CpuGiven
from sextant_agent.contract.sample import ChainCounters, HostSample, NfCounters, NfCpu
from sextant_agent.controllers.core_shares import CoreShares
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.cpu_bounds import ShareBounds
from sextant_domain.chains.match import Match
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent, NfState
from sextant_engine.control.rate_cost.law import RateCostState, step
from sextant_engine.control.shared_core import Bounded, CoreReading, Counted
from timing import shown as time_text

GIVEN = SETTINGS["control"]
PERIOD_NS = 100_000_000
CORE = 6
FIRST = 10
"""Periods."""


def table() -> Iterator[str]:
    """A row a number of NFs on the core; CPU time, so that other programs count for little."""
    goal = GIVEN["goal_ms"]
    yield from page.head("NFs on the core", "law: median, p99", "agent's tick: median, p99", f"goal {goal:g} ms, p99")
    for nfs in GIVEN["nfs"]:
        law, tick = _times(_law, nfs), _times(_tick, nfs)
        p99 = [times[int(0.99 * len(times))] for times in (law, tick)]
        met = "met" if p99[1] <= goal * 1e-3 else "**missed**"
        shown = [f"{time_text(median(times))}, {time_text(most)}" for times, most in zip((law, tick), p99, strict=True)]
        yield page.line(str(nfs), *shown, met)


def _times(made: Callable[[int], tuple[Callable[[], None], Callable[[], None]]], nfs: int) -> list[float]:
    """Seconds of CPU time, from the least: of each period the least of some runs of one world, since other programs
    empty caches. The first second is left out, in which windows are few."""
    runs = [_run(*made(nfs)) for _ in range(GIVEN["repeats"])]
    return sorted(map(min, zip(*runs, strict=True)))


def _run(passed: Callable[[], None], step_once: Callable[[], None]) -> list[float]:
    """Period after period; `passed`: what the world does between two steps, which is not counted."""
    found = []
    for _ in range(GIVEN["periods"] + FIRST):
        passed()
        began = time.process_time_ns()
        step_once()
        found.append((time.process_time_ns() - began) / 1e9)
    return found[FIRST:]


class _World:
    """NFs of one core: every period other rates, so that shares change in most of them."""

    def __init__(self, nfs: int) -> None:
        self._dice = random.Random(f"{SETTINGS['seed']} control {nfs}")
        self.names = [f"c{index}.router" for index in range(nfs)]
        self.counted = dict.fromkeys(self.names, (0, 0))
        self.weights = dict.fromkeys(self.names, 100)
        self.now_ns = 0

    def passed(self) -> None:
        """A period: a packet takes 1 us or so."""
        self.now_ns += PERIOD_NS
        for name, (packets, cpu_ns) in self.counted.items():
            came = self._dice.randrange(1000, 200_000 // len(self.names))
            self.counted[name] = packets + came, cpu_ns + int(came * self._dice.uniform(900, 1100))


def _law(nfs: int) -> tuple[Callable[[], None], Callable[[], None]]:
    """The pure step."""
    world, bounds = _World(nfs), Bounded(*(part / 100 for part in GIVEN["bounds_percent"]))
    elements, state = dict.fromkeys(world.names, bounds), RateCostState()
    shares: Mapping[str, float] = dict.fromkeys(world.names, 1 / nfs)
    reading = CoreReading(0, {})

    def passed() -> None:
        nonlocal reading
        world.passed()
        found = {name: Counted(came, came, cpu_ns, shares[name], 1) for name, (came, cpu_ns) in world.counted.items()}
        reading = CoreReading(world.now_ns, found)

    def step_once() -> None:
        nonlocal state, shares
        state, action = step(state, elements, reading, world.now_ns)
        shares = action.shares or shares

    return passed, step_once


class _Driver:
    """What the agent asks of one."""

    name = "figures"

    def __init__(self, nfs: int) -> None:
        self.world = _World(nfs)
        self.sample = self._sample()

    def _sample(self) -> HostSample:
        world = self.world
        counters, chains = {}, {}
        for name, (packets, cpu_ns) in world.counted.items():
            chain = name.partition(".")[0]
            counters[name] = NfCounters(
                nf_id=name, chain=chain, nf_type="router", state=NfState.RUNNING, pid=1, core=CORE, last_core=CORE,
                starts=1, exit=None, rx=packets, cpu_ns=cpu_ns, cpu=NfCpu(world.weights[name], None, 0),
            )  # fmt: skip
            chains[chain] = ChainCounters(chain, None, 1, offered=packets)
        return HostSample(world.now_ns, datetime.now(UTC), "one", nfs=counters, chains=chains, no_cpu_control=None)

    def passed(self) -> None:
        """A period."""
        self.world.passed()
        self.sample = self._sample()

    def queues(self) -> HostSample:
        """Read before: what that takes is the driver's."""
        return self.sample

    def give_cpu(self, given: Mapping[str, CpuGiven]) -> None:
        """Taken as it is."""
        self.world.weights.update({name: one.weight for name, one in given.items()})


def _tick(nfs: int) -> tuple[Callable[[], None], Callable[[], None]]:
    """What the agent does with a sample: it looks who may be divided, asks the law, and sets shares."""
    driver, given = _Driver(nfs), GIVEN["bounds_percent"]
    bounds = ShareBounds(least_percent=given[0], most_percent=given[1], law="rate-cost")
    chains = tuple(sorted((_chain(name, slot, bounds) for slot, name in enumerate(driver.world.names)), key=_name_of))
    order = HostContent(host_id="bench", chains=chains)
    shares = CoreShares(driver, lambda: None, lambda: driver.world.now_ns / 1e9)  # type: ignore[arg-type]

    def step_once() -> None:
        shares.tick(order)

    return driver.passed, step_once


def _name_of(chain: DesiredChain) -> str:
    return chain.chain


def _chain(nf_id: str, slot: int, bounds: ShareBounds) -> DesiredChain:
    one = DesiredNf(nf_id=nf_id, nf_type="router", nf_version=1, config={}, core=CORE, slot=slot)
    return DesiredChain(
        chain=nf_id.partition(".")[0],
        nfs=(one,),
        ingress=Ingress(match=Match(dst_port=None)),
        egress=Egress(),
        traffic=Traffic(rate_mpps=1.0, packet_bytes=64, flows=100),
        share_bounds=bounds,
    )
