"""How sure errors of predictions are: by drawing placements and runs again.

The same placements are predicted in every run (a draw of priors, a seed of noise), so that runs do not add placements,
and an interval over runs alone says nothing of those that were not drawn. Bootstrap of both at once (A. B. Owen, The
pigeonhole bootstrap, Annals of Applied Statistics 1, 2007): runs, and within each set placements, are drawn again with
replacement; chains of a placement stay together. Intervals are between percentiles.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sextant_domain.profiling.estimates import CONFIDENCE
from sextant_domain.studies.result import StudyPrediction
from sextant_domain.studies.summary import INFORMATIVE_DROP

REPEATS = 1000
SEED = 1


class Resampled(NamedTuple):
    """A mean, and where 95 % of those drawn again lie."""

    value: float
    low: float
    high: float

    def shown(self, digits: int = 1) -> str:
        """'8.0 (7.4 to 8.6)'."""
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"


class ResampledErrors(NamedTuple):
    """Of a predictor over all chains."""

    points: Resampled
    """Absolute error of the drop, in points of a hundred."""
    throughput_percent: Resampled
    """|predicted / carried - 1|."""
    relative_percent: Resampled | None
    """|measured - predicted| / measured, where 5 points or more were lost; None where never."""


class Drawn(NamedTuple):
    """What a study has placed."""

    placements: int
    distinct: int
    """Of them: chance may draw the same nodes twice."""
    chains: int
    """In all placements, each once."""
    informative: int
    """Of them: their mean drop over runs is 5 % or more."""
    runs: int


def drawn(rows: Iterable[StudyPrediction]) -> Drawn:
    """Each placement once, however many runs have predicted it."""
    nodes: dict[tuple[str, int], dict[int, tuple[int, ...]]] = defaultdict(dict)
    drops: dict[tuple[str, int, int], list[float]] = defaultdict(list)
    runs = set()
    for row in rows:
        nodes[row.set, row.number][row.chain] = row.nodes
        drops[row.set, row.number, row.chain].append(row.drop)
        runs.add((row.draw, row.seed))
    return Drawn(
        placements=len(nodes),
        distinct=len({(name, *sorted(found.items())) for (name, _), found in nodes.items()}),
        chains=len(drops),
        informative=sum(sum(each) >= INFORMATIVE_DROP * len(each) for each in drops.values()),
        runs=len(runs),
    )


@dataclass(slots=True)
class _Sums:
    """Over chains; errors as shares."""

    chains: float = 0
    points: float = 0
    throughput: float = 0
    informative: float = 0
    relative: float = 0

    def add(self, other: "_Sums", times: int = 1) -> None:
        self.chains += times * other.chains
        self.points += times * other.points
        self.throughput += times * other.throughput
        self.informative += times * other.informative
        self.relative += times * other.relative


Runs = Mapping[object, _Sums]
"""Of one placement, by run."""


def resampled(rows: Iterable[StudyPrediction], predictor: str) -> ResampledErrors | None:
    """None where nothing was predicted. Equal rows give equal intervals."""
    by_set = _by_set(rows, predictor)
    if not by_set:
        return None
    runs = sorted({run for placements in by_set.values() for one in placements for run in one}, key=str)
    chance = random.Random(SEED)  # noqa: S311 - statistics, not secrets
    again = [
        _summed([chance.choices(each, k=len(each)) for each in by_set.values()], chance.choices(runs, k=len(runs)))
        for _ in range(REPEATS)
    ]
    once = _summed(list(by_set.values()), runs)
    points = [one.points / one.chains for one in again if one.chains]
    throughput = [one.throughput / one.chains for one in again if one.chains]
    relative = [one.relative / one.informative for one in again if one.informative]
    return ResampledErrors(
        points=_between(once.points / once.chains, points),
        throughput_percent=_between(once.throughput / once.chains, throughput),
        relative_percent=_between(once.relative / once.informative, relative) if once.informative else None,
    )


def _by_set(rows: Iterable[StudyPrediction], predictor: str) -> Mapping[str, Sequence[Runs]]:
    found: dict[str, dict[int, dict[object, _Sums]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(_Sums)))
    for row in rows:
        drop, mpps = row.predicted_drop(predictor), row.predicted_mpps.get(predictor)
        if drop is not None and mpps is not None:
            off, informative = abs(row.drop - drop), row.drop >= INFORMATIVE_DROP
            found[row.set][row.number][row.draw, row.seed].add(
                _Sums(1, off, abs(mpps / row.carried_mpps - 1), informative, off / row.drop if informative else 0.0)
            )
    return {name: list(placements.values()) for name, placements in found.items()}


def _summed(placements: Iterable[Iterable[Runs]], runs: Sequence[object]) -> _Sums:
    total = _Sums()
    times = {run: runs.count(run) for run in runs}
    for each in placements:
        for one in each:
            for run, often in times.items():
                if run in one:
                    total.add(one[run], often)
    return total


def _between(share: float, again: Sequence[float]) -> Resampled:
    """Percent."""
    ordered = sorted(again)
    out = round((1 - CONFIDENCE) / 2 * len(ordered))
    return Resampled(100 * share, 100 * ordered[out], 100 * ordered[-1 - out])
