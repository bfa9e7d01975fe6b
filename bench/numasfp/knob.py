"""CPU time from a sample of a simulated host until it has what its allocation law gives: the agent's own parts."""

import logging
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import page
import structlog
from sextant_agent.contract.driver import ResourcesGiven
from sextant_agent.contract.sample import HostSample
from sextant_agent.drivers.twin.driver import TwinDriver
from sextant_agent.drivers.twin.world import SimulatedWorld
from sextant_agent.reporting.sampling import Sampling
from sextant_agent.simulated.hosts import HostedService, Workers
from sextant_domain.base import Provenance, digest_of
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredStateOrder, HostContent
from sextant_domain.hosts.levels import Level, LevelTable, TypeLevels

HOST = "bench-1"
MACHINE = "xeon-gold-6126"
"""Two nodes of 12 cores, the first six of which are reserved; seven chains can have a group there."""
SIZES = (2, 7)
GOAL_MS = 1.0
SECONDS = 130
"""Real ones: the host is looked at once in each. In nearly all of them the law gives something anew, so that 5 of 100
are more than one."""
TYPES = ("router", "firewall")
ROWS = ((0.25, 1, 10), (0.5, 2, 20), (1.0, 4, 40), (1.5, 6, 60), (2.0, 8, 80))
"""So much that two chains take from each other."""
LEVELS = tuple(Level(gbps=gbps, ways=ways, mb_percent=percent) for gbps, ways, percent in ROWS)
TABLE = LevelTable(host_model="bench", types=dict.fromkeys(TYPES, TypeLevels(local=LEVELS, remote=LEVELS)))
FACTORS = (1.0, 3.5, 0.5, 2.0, 4.5, 1.5, 0.2)
"""Of a chain's traffic, a second each; every chain begins with another of them."""


@dataclass(frozen=True, slots=True)
class _Taken:
    """Of one second in which the law gave something anew, seconds of CPU time of the thread that did it."""

    law: float
    """From the sample until it is known what chains shall have."""
    order: float
    """From then until the twin had it."""
    passed: float
    """Of the clock, for both."""


def table() -> Iterator[str]:
    """Seconds in which nothing was given are not counted. The batch of telemetry is made afterwards."""
    columns = "chains of 2 NFs", "changes", "law", "order", "both: median, 95 of 100, most", "by the clock", "goal"
    yield from page.head(*columns)
    for size in SIZES:
        taken = list(_seconds(size))
        both = sorted(1e3 * (one.law + one.order) for one in taken)
        late = both[int(0.95 * len(both))]
        goal = f"{GOAL_MS:g} ms: {'met' if late <= GOAL_MS else '**missed**'}"
        yield page.line(
            str(size), str(len(taken)), f"{1e3 * median(one.law for one in taken):.2f} ms",
            f"{1e3 * median(one.order for one in taken):.2f} ms",
            f"{median(both):.2f} ms, {late:.2f} ms, {both[-1]:.2f} ms",
            f"{1e3 * median(one.passed for one in taken):.2f} ms", goal,
        )  # fmt: skip


class _ByHand(Workers):
    """Nobody reconciles but who measures."""

    def submit(self, host: HostedService) -> None:
        pass


class _World(SimulatedWorld):
    """Notes when it was given other shares, by themselves or by an order."""

    given = 0.0, 0.0
    """CPU time of the thread, and the clock."""

    def give(self, host_id: str, given: Sequence[Mapping[str, Any]]) -> None:
        super().give(host_id, given)
        self.given = time.thread_time(), time.monotonic()

    def order(self, host_id: str, order: dict[str, Any]) -> None:
        super().order(host_id, order)
        self.given = time.thread_time(), time.monotonic()


class _Driver(TwinDriver):
    """Notes when a law hands over what it gives."""

    asked_s = 0.0

    def give_resources(self, given: Sequence[ResourcesGiven], found: HostSample) -> None:
        self.asked_s = time.thread_time()
        super().give_resources(given, found)


def _seconds(size: int) -> Iterator[_Taken]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    world = _World()
    driver = _Driver(world, HOST, MACHINE)
    with tempfile.TemporaryDirectory() as folder:
        host = HostedService(Path(folder), driver, _ByHand(), lambda _: None)
        host.laws.allowed(None)
        host.accept(_order(size))
        cores = tuple(core.id for core in driver.inventory().host.cores)
        sampling = Sampling(HOST, cores, Provenance.SIMULATED)
        world.start()
        try:
            host.reconciliation.converge()
            for _ in range(SECONDS):
                time.sleep(1.0)
                if (taken := _step(host, sampling, world, driver)) is not None:
                    yield taken
        finally:
            world.stop()


def _step(host: HostedService, sampling: Sampling, world: _World, driver: _Driver) -> _Taken | None:
    """As the host's second is, which begins with a sample."""
    found = driver.sample()
    before_s, clock_s = time.thread_time(), time.monotonic()
    anew = host.run_laws(found, lambda: sampling.chain_rates(found))
    at_once = world.given
    host.reconciliation.offer(found)
    host.reconciliation.converge()
    host.with_laws(sampling.batch(found, host.reconciliation.progress(), host.reconciliation.restarts()))
    host.laws.save()
    if not anew:
        return None
    reached_s, reached_clock_s = at_once if at_once[0] > before_s else world.given
    return _Taken(driver.asked_s - before_s, reached_s - driver.asked_s, reached_clock_s - clock_s)


def _order(size: int) -> DesiredStateOrder:
    content = HostContent(host_id=HOST, chains=tuple(map(_chain, range(size))), tables=(TABLE,))
    return DesiredStateOrder(desired=DesiredHostConfig.of(1, content), operation_id=1, fence=1)


def _chain(number: int) -> DesiredChain:
    """The first three stand on the NIC's node, the others on the other one."""
    name = f"c{number}"
    own = FACTORS[number:] + FACTORS[:number]
    return DesiredChain.model_validate(
        {
            "chain": name,
            "nfs": [
                {"nf_id": f"{name}.{kind}", "nf_type": kind, "nf_version": 1, "config": {}, "core": core}
                for core, kind in enumerate(TYPES, start=6 + len(TYPES) * number)
            ],
            "ingress": {},
            "egress": {},
            "traffic": {
                "rate_mpps": 1.4,
                "packet_bytes": 64,
                "arrivals": {"kind": "trace", "steps": [(1.0, factor) for factor in own]},
            },
            "resources": {"llc_ways": 1, "memory_bandwidth_percent": 10},
            "bounds": {
                "law": "numasfp", "law_version": 1, "table": digest_of(TABLE), "least_ways": 1, "most_ways": 8,
                "least_percent": 10, "most_percent": 90,
            },
        }
    )  # fmt: skip
