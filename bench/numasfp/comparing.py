"""ANAT of each algorithm by family and loss, and by how much servers fare better or worse than by the literal one."""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from statistics import fmean

import page
from sextant_engine.laws.numasfp.run import run
from traces import FAMILIES, SETTINGS, server

LITERAL, LAW, BOUND = "numasfp", "law", "clairvoyant"
ALGORITHMS = (
    LAW, "exact", LITERAL, "numasfp_extended", "rate_sorted", "octans", "node_first", "node_balance", BOUND,
)  # fmt: skip
GOALS = SETTINGS["goals"]
LOSSES: Sequence[float] = SETTINGS["losses"]


class Compared:
    """All runs, made when the first table asks."""

    def __init__(self, servers: int | None, seed: int | None) -> None:
        self._servers = servers or SETTINGS["servers"]
        self._seed = SETTINGS["seed"] if seed is None else seed

    @cached_property
    def _runs(self) -> dict[tuple[float, str, str], list[tuple[float, int]]]:
        """ANAT and moves of each server, by loss, family and algorithm."""
        found: dict[tuple[float, str, str], list[tuple[float, int]]] = {}
        for family in FAMILIES:
            given = [server(family, number, self._seed) for number in range(self._servers)]
            for loss in LOSSES:
                for algorithm in ALGORITHMS:
                    found[loss, family, algorithm] = [_run(one, algorithm, loss) for one in given]
        return found

    def _anat(self, loss: float, family: str, algorithm: str) -> float:
        return fmean(anat for anat, _ in self._runs[loss, family, algorithm])

    def _gain(self, loss: float, family: str, algorithm: str) -> float:
        """% over the literal algorithm."""
        return 100 * (self._anat(loss, family, algorithm) / self._anat(loss, family, LITERAL) - 1)

    def table(self) -> Iterator[str]:
        """Mean ANAT, % over the literal algorithm, and moves a server."""
        yield from page.head("loss", "algorithm (simulated)", *FAMILIES, "mean gain", "chain moves a server", "goal")
        for loss in LOSSES:
            for algorithm in ALGORITHMS:
                cells = [
                    f"{self._anat(loss, family, algorithm):.4f} ({self._gain(loss, family, algorithm):+.2f} %)"
                    for family in FAMILIES
                ]
                moves = fmean(moved for family in FAMILIES for _, moved in self._runs[loss, family, algorithm])
                mean = self._mean(loss, algorithm)
                goal = self._goal(loss) if algorithm == LAW else "-"
                yield page.line(f"{100 * loss:g} %", f"`{algorithm}`", *cells, f"{mean:+.2f} %", f"{moves:.1f}", goal)

    def _mean(self, loss: float, algorithm: str) -> float:
        return fmean(self._gain(loss, family, algorithm) for family in FAMILIES)

    def _goal(self, loss: float) -> str:
        gain, bound = self._mean(loss, LAW), self._mean(loss, BOUND)
        share = 100 * gain / bound
        return (
            f"{GOALS['gain_percent']:+g} %: {_met(gain >= GOALS['gain_percent'])}; "
            f"{GOALS['share_of_clairvoyant']:g} % of the bound's gain: "
            f"{_met(share >= GOALS['share_of_clairvoyant'])} ({share:.0f} %)"
        )

    def worst(self) -> Iterator[str]:
        """The server that fares worst against the literal algorithm."""
        yield from page.head(
            "loss",
            "algorithm (simulated)",
            *FAMILIES,
            "servers below",
            f"goal: none below {GOALS['worst_percent']:g} %",
        )
        for loss in LOSSES:
            for algorithm in (LAW, "exact"):
                by_family = [self._differences(loss, family, algorithm) for family in FAMILIES]
                below = sum(one < GOALS["worst_percent"] for ones in by_family for one in ones)
                goal = _met(below == 0) if algorithm == LAW else "-"
                worst = [f"{min(ones):+.2f} %" for ones in by_family]
                of = sum(map(len, by_family))
                yield page.line(f"{100 * loss:g} %", f"`{algorithm}`", *worst, f"{below} of {of}", goal)

    def _differences(self, loss: float, family: str, algorithm: str) -> list[float]:
        pairs = zip(self._runs[loss, family, algorithm], self._runs[loss, family, LITERAL], strict=True)
        return [100 * (ours / literal - 1) for (ours, _), (literal, _) in pairs]


def _run(given: dict[str, object], algorithm: str, loss: float) -> tuple[float, int]:
    ran = json.loads(run(json.dumps({**given, "algorithm": algorithm, "loss": loss}).encode()))
    return ran["anat"], ran["moves"]


def _met(met: bool) -> str:
    return "met" if met else "**missed**"
