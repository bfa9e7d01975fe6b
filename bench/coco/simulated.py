"""A simulated host whose time passes only while it is waited for, and what chains did on it between two moments."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sextant_agent.contract.sample import ChainCounters, HostSample
from sextant_agent.drivers.twin.driver import TwinDriver
from sextant_agent.drivers.twin.samples import BOUNDS_NS
from sextant_agent.drivers.twin.world import SimulatedWorld
from sextant_agent.reporting.telemetry import quantiles_us
from sextant_domain.hosts.desired import DesiredChain, HostContent
from sextant_twin import calibration, machines
from sextant_twin.backpressure import Backpressure
from sextant_twin.machines import Machine

HOST = "sim-1"
STEP_S = 0.01
"""The twin's shortest tick."""
_MIDDLES_NS = (*((low + high) / 2 for low, high in pairwise((0, *BOUNDS_NS))), BOUNDS_NS[-1])


Changes = Mapping[str, Mapping[str, float]]
"""Of a machine as the twin takes it, by part: what is otherwise than its data file says."""
AS_IT_IS: Changes = {}


class SteppedWorld(SimulatedWorld):
    """Equal orders give equal figures, however busy this machine is."""

    each_step: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, seed: int, changes: Changes) -> None:
        """`changes`: of every machine."""
        super().__init__(seed, period_s=STEP_S)
        self._changes = changes

    def add(self, host_id: str, machine: str) -> Machine:
        """As changed."""
        found = machines.load(machine)
        tree = found.core(calibration.load())
        for part, values in self._changes.items():
            tree[part] |= values
        self._fleet.add(host_id, json.dumps(tree), seed=self._seed, tick_s=STEP_S)
        return found

    def monotonic_ns(self, taken_ns: int) -> int:
        """From the world's begin: this machine's clock has no part in it."""
        return taken_ns

    def pass_time(self, seconds: float) -> None:
        """Simulated ones, in steps."""
        for _ in range(round(seconds / STEP_S)):
            self._pass(STEP_S, lost=0.0)
            self.each_step()

    def wait(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """In simulated seconds: nobody else lets them pass."""
        for _ in range(round(timeout_s / STEP_S)):
            if condition():
                return True
            self.pass_time(STEP_S)
        return condition()


class RecordedHost:
    """One host of a world of its own. As on the testbed, what a ring has no room for is dropped before the first NF."""

    def __init__(self, machine: str, seed: int, changes: Changes = AS_IT_IS) -> None:
        self.world = SteppedWorld(seed, changes)
        self.driver = TwinDriver(self.world, HOST, machine, backpressure=Backpressure.STRICT)
        self.samples: list[HostSample] = []
        """One a step."""
        self.content = HostContent(host_id=HOST)
        self.world.each_step = lambda: self.samples.append(self.driver.sample())

    def order(self, *chains: DesiredChain) -> None:
        """Until it has effect. Raises RuntimeError where the twin refuses it."""
        content = HostContent(host_id=HOST, chains=tuple(sorted(chains, key=lambda chain: chain.chain)))
        report = self.driver.apply(content)
        if report.failures:
            raise RuntimeError("; ".join(failure.message for failure in report.failures.values()))
        self.content = content

    @property
    def steps(self) -> int:
        """So many have passed."""
        return len(self.samples) - 1

    @property
    def now_s(self) -> float:
        """Of the simulated clock."""
        return self.samples[-1].taken_ns / 1e9

    def windows(self, first: int, last: int) -> list["Window"]:
        """One a step between these two."""
        return [window(*pair) for pair in pairwise(self.samples[first : last + 1])]


@dataclass(frozen=True)
class Window:
    """Between two samples."""

    at_s: float
    """Its end."""
    delivered: int
    lost: int
    """Before the first NF, and by NFs."""
    counts: Mapping[str, Sequence[int]]
    """By chain: of its latencies, in the twin's buckets."""

    @property
    def p50_p95_ms(self) -> tuple[float, float]:
        """Of all chains together; 0 where nothing was delivered."""
        p50, p95 = quantiles_us(BOUNDS_NS, _sum(self.counts.values()), (0.5, 0.95))
        return (p50 or 0.0) / 1e3, (p95 or 0.0) / 1e3

    @property
    def mean_ms(self) -> float:
        """The same, each packet in the middle of its bucket, which is a thirty-second wide at most."""
        return _mean_ms(_sum(self.counts.values()))

    def mean_ms_of(self, chain: str) -> float:
        """Of one."""
        return _mean_ms(self.counts[chain])


def window(before: HostSample, now: HostSample) -> Window:
    """A chain or an NF that was not there before began at nothing."""
    pairs = [(before.chains.get(name), chain) for name, chain in now.chains.items()]
    dropped = sum(nf.drops - (before.nfs[name].drops if name in before.nfs else 0) for name, nf in now.nfs.items())
    return Window(
        at_s=now.taken_ns / 1e9,
        delivered=sum(chain.delivered - (old.delivered if old else 0) for old, chain in pairs),
        lost=dropped + sum(chain.source_drops - (old.source_drops if old else 0) for old, chain in pairs),
        counts={chain.chain: _counts(old, chain) for old, chain in pairs},
    )


def _counts(before: ChainCounters | None, now: ChainCounters) -> list[int]:
    old = before.latency_counts if before else (0,) * len(now.latency_counts)
    return [count - was for was, count in zip(old, now.latency_counts, strict=True)]


def _sum(counts: Iterable[Sequence[int]]) -> list[int]:
    return [sum(each) for each in zip(*counts, strict=True)]


def _mean_ms(counts: Sequence[int]) -> float:
    packets = sum(counts)
    return sum(count * middle for count, middle in zip(counts, _MIDDLES_NS, strict=True)) / packets / 1e6
