"""Three NFs on one core, as NFVnice (SIGCOMM 2017) compares them: equal CPU weights against weights by rate x cost.

Which of them wait for CPU is decided by the kernel's scheduler; rate-cost weights give each NF the same share of *its*
packets, equal ones give each the same share of the core.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean

from host import BenchHost, ChainLoad, host
from page import head, line
from setting import Setting

WEIGHT = 1000
"""Of the lightest: so much that other work of ordinary weight on the machine takes little."""


@dataclass(frozen=True)
class Mix:
    """Three NFs that each want more than a third of the core."""

    name: str
    loops: tuple[int, int, int]
    rates_mpps: tuple[float, float, float]

    @property
    def rate_cost(self) -> list[int]:
        """Weights by arrival rate x cost."""
        wanted = [loops * rate for loops, rate in zip(self.loops, self.rates_mpps, strict=True)]
        return [round(WEIGHT * each / min(wanted)) for each in wanted]

    @property
    def equal(self) -> list[int]:
        """The same weight in sum."""
        return [sum(self.rate_cost) // 3] * 3


MIXES = (
    Mix("equal arrivals, cost 1:2:4", (25_000, 50_000, 100_000), (0.06, 0.06, 0.06)),
    Mix("equal cost, arrivals 8:4:2", (50_000, 50_000, 50_000), (0.16, 0.08, 0.04)),
)
"""Heavy packets at low rates: with light ones it is the source's core that says who gets how much."""


def shares(setting: Setting) -> Iterator[str]:
    """Equal and rate-cost in turn, so that what drifts falls on both."""
    yield from setting.preface(
        "shares", "rate-cost weights serve all three the same share of their packets, within 10 points"
    )
    yield from head("NFs", "weights", "served, thousand packets/s", "of what arrived, %", "CPU %", "goal")
    with host(setting) as found:
        for mix in MIXES:
            yield from _mix(setting, found, mix)


def _mix(setting: Setting, found: BenchHost, mix: Mix) -> Iterator[str]:
    plans = {"equal": mix.equal, "rate x cost": mix.rate_cost}
    served: dict[str, list[list[float]]] = {name: [] for name in plans}
    cpu: dict[str, list[list[float]]] = {name: [] for name in plans}
    for _ in range(setting.pick(3, 1)):
        for name, weights in plans.items():
            samples = _run(found, mix, weights, setting.pick(2.0, 0.5))
            served[name].append(samples[0])
            cpu[name].append(samples[1])
    for name, weights in plans.items():
        mpps = _means(served[name])
        parts = [100 * each / rate for each, rate in zip(mpps, mix.rates_mpps, strict=True)]
        goal = "" if name == "equal" else ("met" if max(parts) - min(parts) <= 10 else "missed")
        yield line(
            mix.name,
            f"{name}: {':'.join(map(str, weights))}",
            " / ".join(f"{1000 * each:.1f}" for each in mpps),
            " / ".join(f"{each:.0f}" for each in parts),
            " / ".join(f"{each:.0f}" for each in _means(cpu[name])),
            goal,
        )


def _run(found: BenchHost, mix: Mix, weights: Sequence[int], seconds: float) -> tuple[list[float], list[float]]:
    loads = [
        ChainLoad(f"c{number}", {"loops": loops}, rate, weight)
        for number, (loops, rate, weight) in enumerate(zip(mix.loops, mix.rates_mpps, weights, strict=True))
    ]
    found.run(loads)
    samples = found.measure(seconds)
    return [samples[load.name].tx_mpps for load in loads], [samples[load.name].cpu_percent for load in loads]


def _means(runs: Sequence[Sequence[float]]) -> list[float]:
    return [mean(run[number] for run in runs) for number in range(3)]
