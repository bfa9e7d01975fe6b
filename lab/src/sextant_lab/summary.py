"""What a study says altogether: gains of placements, errors of predictors, each with a 95 % confidence interval."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from sextant_domain.estimates import estimate
from sextant_domain.evidence import Algorithm
from sextant_domain.profile import Estimate

from sextant_lab.result import Foretold, Placed, Result

TELLING_DROP = 0.05
"""Drops below it have no relative error worth naming."""


class Errors(NamedTuple):
    """Of a predictor over some chains: means over runs (draws of priors and seeds of noise)."""

    points: Estimate
    """Absolute error of the drop."""
    relative_percent: Estimate | None
    """|measured - predicted| / measured, where 5 points or more were lost; None where never."""
    throughput_percent: Estimate
    telling: int
    """Chains that lost so much, over all runs."""


def gains_percent(result: Result, over: Algorithm, name: str | None = None) -> Estimate:
    """What the study's first algorithm carries more than another, over runs, of one set or of the mean of all."""
    first = result.scenario.algorithms[0]
    totals = {(one.draw, one.seed, one.set, one.algorithm): one.total_mpps for one in result.placed}
    by_run: dict[tuple[object, int], list[float]] = defaultdict(list)
    for draw, seed, found, algorithm in totals:
        if algorithm is first and name in (None, found):
            mine, other = totals[draw, seed, found, first], totals[draw, seed, found, over]
            by_run[draw, seed].append(100 * (mine / other - 1))
    return estimate([fmean(values) for values in by_run.values()])


def errors(rows: Iterable[Foretold], predictor: str) -> Errors | None:
    """None where nothing was predicted."""
    runs: dict[tuple[object, int], list[tuple[float, float, float]]] = defaultdict(list)
    for row in rows:
        drop, mpps = row.predicted_drop(predictor), row.predicted_mpps.get(predictor)
        if drop is not None and mpps is not None:
            runs[row.draw, row.seed].append((row.drop, abs(row.drop - drop), abs(mpps / row.carried_mpps - 1)))
    if not runs:
        return None
    telling = [[off / drop for drop, off, _ in run if drop >= TELLING_DROP] for run in runs.values()]
    relative = [100 * fmean(values) for values in telling if values]
    return Errors(
        points=estimate([100 * fmean(off for _, off, _ in run) for run in runs.values()]),
        relative_percent=estimate(relative) if relative else None,
        throughput_percent=estimate([100 * fmean(off for *_, off in run) for run in runs.values()]),
        telling=sum(map(len, telling)),
    )


def total_mpps(rows: Sequence[Placed], name: str, algorithm: Algorithm) -> Estimate:
    """What a set carries as placed by an algorithm, over runs."""
    return estimate([row.total_mpps for row in rows if (row.set, row.algorithm) == (name, algorithm)])


def shown(found: Estimate | None, digits: int = 1) -> str:
    """`12.3 +- 0.4`."""
    if found is None:
        return "-"
    width = "" if found.half_width is None else f" +- {found.half_width:.{digits}f}"
    return f"{found.value:.{digits}f}{width}"


def told(result: Result) -> Iterator[str]:
    """For a person, line by line."""
    scenario = result.scenario
    runs = len(scenario.draws) * len(scenario.seeds)
    yield f"{scenario.name}: {scenario.summary}"
    yield f"{runs} runs on the twin of {scenario.server.machine}; intervals are of 95 %; simulated"
    for fit in result.fits[:1]:
        yield f"metric {fit.metric}" + ("" if fit.qualifies else " (none qualifies, so models are not validated)")
    for refused in sorted({why for fit in result.fits for reasons in fit.refusals.values() for why in reasons}):
        yield f"refused: {refused}"
    yield ""
    yield from _placements(result) if scenario.kind == "placement" else _predictions(result)


def _placements(result: Result) -> Iterator[str]:
    algorithms = result.scenario.algorithms
    for one in result.scenario.set:
        found = {name: total_mpps(result.placed, one.name, name) for name in algorithms}
        most = max(estimate.value for estimate in found.values())
        yield f"{one.name}: {len(one.chains)} chains, {one.nfs} NFs"
        for name, total in found.items():
            yield f"  {name:<16} {_bar(total.value, most)} {shown(total, 2)} Mpps"
    for other in algorithms[1:]:
        yield f"{algorithms[0]} over {other}: {shown(gains_percent(result, other))} % (mean of all sets)"


def _predictions(result: Result) -> Iterator[str]:
    yield f"{'predictor':<18} {'points':>14} {'throughput %':>16} {'relative %':>16}"
    names = list(result.foretold[0].predicted_mpps) if result.foretold else []
    for name in names:
        found = errors(result.foretold, name)
        if found is not None:
            points, throughput = shown(found.points, 2), shown(found.throughput_percent, 2)
            yield f"{name:<18} {points:>14} {throughput:>16} {shown(found.relative_percent):>16}"
    yield "points: absolute error of the drop; relative: where 5 points or more were lost"


def _bar(value: float, most: float, width: int = 40) -> str:
    return ("#" * round(width * value / most)).ljust(width) if most > 0 else " " * width
