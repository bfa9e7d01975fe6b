"""What a study says altogether: gains of placements, errors of predictors, each with its 95 % spread over runs (draws
of priors and seeds of the profiles' noise). Chains, traffic and placements drawn by chance are the same in all runs:
the spread says nothing of others."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, model_validator

from sextant_domain.base import BUILT_LATE, Frozen
from sextant_domain.former import renamed
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.profiling.estimates import estimate
from sextant_domain.profiling.profile import Estimate
from sextant_domain.studies.numasfp_result import NumasfpResult, NumasfpSummary, numasfp_lines, numasfp_summary
from sextant_domain.studies.result import Placed, PlacementResult, Repeated, StudyPrediction, StudyResult
from sextant_domain.studies.school import SchoolResult, SchoolSummary, school_lines, school_summary
from sextant_domain.studies.sfc2cpu_result import Sfc2cpuResult, Sfc2cpuSummary, sfc2cpu_lines, sfc2cpu_summary

INFORMATIVE_DROP = 0.05
"""Drops below it have no relative error worth naming."""
SAME = 1e-9
"""Rounding: a half width no greater is none."""


class PlacedTotal(Frozen):
    """What one algorithm makes of a set, Mpps of all chains."""

    algorithm: Algorithm
    carried_mpps: Estimate
    """On the twin."""
    predicted_mpps: Estimate
    """By the models."""

    @model_validator(mode="before")
    @classmethod
    def _former(cls, data: Any) -> Any:
        """Summaries of 0.1 hold `promised_mpps`."""
        return renamed(data, {"promised_mpps": "predicted_mpps"})


class SetSummary(Frozen):
    """A set of a placement study."""

    set: str
    chains: int
    nfs: int
    totals: tuple[PlacedTotal, ...]
    """By algorithm, in the order of the study."""


class Gain(Frozen):
    """What the study's first algorithm carries more than another."""

    over: Algorithm
    percent: Estimate
    """Of the mean of all sets."""


class PredictorErrors(Frozen):
    """Of a predictor over all chains."""

    predictor: str
    points: Estimate
    """Absolute error of the drop, in points of a hundred."""
    throughput_percent: Estimate
    """|predicted / carried - 1|."""
    relative_percent: Estimate | None
    """|measured - predicted| / measured, where 5 points or more were lost; None where never."""
    informative: int
    """Chains that lost so much, over all runs."""

    @model_validator(mode="before")
    @classmethod
    def _former(cls, data: Any) -> Any:
        """Summaries of 0.1 hold `telling`."""
        return renamed(data, {"telling": "informative"})


class PlacementSummary(Frozen):
    """Of a study of placements or predictions. Simulated."""

    name: str
    summary: str
    kind: Literal["placement", "prediction"]
    machine: str
    runs: int
    draws: int = 1
    """Of the twin's priors; the runs of a draw differ in the noise of their profiles alone."""
    metric: str | None
    """Of the first fit."""
    metrics: dict[str, int] = Field(default_factory=dict)
    """How many runs used each: more than one where noise decides which is taken."""
    qualifies: bool
    """False: no metric does, so models are not validated."""
    refused: tuple[str, ...]
    """Why models could not be promoted, each reason once."""
    sets: tuple[SetSummary, ...] = ()
    gains: tuple[Gain, ...] = ()
    predictors: tuple[PredictorErrors, ...] = ()


StudySummary = Annotated[
    PlacementSummary | NumasfpSummary | Sfc2cpuSummary | SchoolSummary, Field(discriminator="kind")
]
"""GET /studies/{id}/summary, by `kind`."""
STUDY_SUMMARY: TypeAdapter[StudySummary] = TypeAdapter(StudySummary, config=BUILT_LATE)


class StudyFound(Frozen):
    """What the lab says of a result, so that nobody else need read the whole."""

    summary: StudySummary
    repeated: Repeated | None
    """The comparison with the study that it repeats; None where it repeats none."""


def summarised(result: StudyResult) -> StudySummary:
    """Of a whole result."""
    if isinstance(result, SchoolResult):
        return school_summary(result)
    if isinstance(result, Sfc2cpuResult):
        return sfc2cpu_summary(result)
    return numasfp_summary(result) if isinstance(result, NumasfpResult) else _placement_summary(result)


def _placement_summary(result: PlacementResult) -> PlacementSummary:
    scenario = result.scenario
    placement = scenario.kind == "placement"
    first = result.fits[0] if result.fits else None
    return PlacementSummary(
        name=scenario.name,
        summary=scenario.summary,
        kind=scenario.kind,
        machine=scenario.server.machine,
        runs=scenario.runs,
        draws=len(scenario.draws),
        metric=None if first is None else first.metric,
        metrics=dict(Counter(fit.metric for fit in result.fits)),
        qualifies=first is not None and first.qualifies,
        refused=tuple(sorted({why for fit in result.fits for reasons in fit.refusals.values() for why in reasons})),
        sets=tuple(_sets(result)) if placement else (),
        gains=tuple(
            Gain(over=other, percent=gains_percent(result, other)) for other in scenario.algorithms[1:] if placement
        ),
        predictors=() if placement else tuple(_predictors(result.predictions)),
    )


def _sets(result: PlacementResult) -> Iterator[SetSummary]:
    for one in result.scenario.set:
        rows = [row for row in result.placed if row.set == one.name]
        totals = [_total(rows, algorithm) for algorithm in result.scenario.algorithms]
        yield SetSummary(set=one.name, chains=len(one.chains), nfs=one.nfs, totals=tuple(totals))


def _total(rows: Sequence[Placed], algorithm: Algorithm) -> PlacedTotal:
    own = [row for row in rows if row.algorithm is algorithm]
    return PlacedTotal(
        algorithm=algorithm,
        carried_mpps=estimate([row.total_mpps for row in own]),
        predicted_mpps=estimate([row.predicted_mpps for row in own]),
    )


def gains_percent(result: PlacementResult, over: Algorithm, name: str | None = None) -> Estimate:
    """What the study's first algorithm carries more than another, of one set or of the mean of all."""
    first = result.scenario.algorithms[0]
    totals = {(one.draw, one.seed, one.set, one.algorithm): one.total_mpps for one in result.placed}
    by_run: dict[tuple[object, int], list[float]] = defaultdict(list)
    for draw, seed, found, algorithm in totals:
        if algorithm is first and name in (None, found):
            mine, other = totals[draw, seed, found, first], totals[draw, seed, found, over]
            by_run[draw, seed].append(100 * (mine / other - 1))
    return estimate([fmean(values) for values in by_run.values()])


def _predictors(rows: Sequence[StudyPrediction]) -> Iterator[PredictorErrors]:
    for predictor in rows[0].predicted_mpps if rows else ():
        found = errors(rows, predictor)
        if found is not None:
            yield found


def errors(rows: Iterable[StudyPrediction], predictor: str) -> PredictorErrors | None:
    """None where nothing was predicted."""
    runs: dict[tuple[object, int], list[tuple[float, float, float]]] = defaultdict(list)
    for row in rows:
        drop, mpps = row.predicted_drop(predictor), row.predicted_mpps.get(predictor)
        if drop is not None and mpps is not None:
            runs[row.draw, row.seed].append((row.drop, abs(row.drop - drop), abs(mpps / row.carried_mpps - 1)))
    if not runs:
        return None
    informative = [[off / drop for drop, off, _ in run if drop >= INFORMATIVE_DROP] for run in runs.values()]
    relative = [100 * fmean(values) for values in informative if values]
    return PredictorErrors(
        predictor=predictor,
        points=estimate([100 * fmean(off for _, off, _ in run) for run in runs.values()]),
        throughput_percent=estimate([100 * fmean(off for *_, off in run) for run in runs.values()]),
        relative_percent=estimate(relative) if relative else None,
        informative=sum(map(len, informative)),
    )


def shown(found: Estimate | None, digits: int = 1) -> str:
    """`12.3 +- 0.4`; the figure alone where all runs agree."""
    if found is None:
        return "-"
    width = f" +- {found.half_width:.{digits}f}" if found.half_width and found.half_width > SAME else ""
    return f"{found.value:.{digits}f}{width}"


def summary_lines(summary: StudySummary) -> Iterator[str]:
    """For a person, line by line."""
    if isinstance(summary, SchoolSummary):
        return school_lines(summary)
    if isinstance(summary, Sfc2cpuSummary):
        return sfc2cpu_lines(summary)
    return numasfp_lines(summary) if isinstance(summary, NumasfpSummary) else _placement_lines(summary)


def _placement_lines(summary: PlacementSummary) -> Iterator[str]:
    yield f"{summary.name}: {summary.summary}"
    yield f"{summary.runs} runs on the twin of {summary.machine}; {_spread(summary)}; simulated"
    if summary.metric is not None:
        validated = "" if summary.qualifies else " (none qualifies, so models are not validated)"
        yield f"metric {summary.metric}{validated}"
    if len(summary.metrics) > 1:
        yield f"the noise decides which metric is used: {_by_metric(summary)}"
    yield from (f"refused: {why}" for why in summary.refused)
    yield ""
    yield from _placements(summary) if summary.kind == "placement" else _predictions(summary)


def _spread(summary: PlacementSummary) -> str:
    if summary.runs == 1:
        return "of one run no spread is known"
    if summary.draws == 1:
        return "+- is the 95 % spread over the noise of profiles"
    noise = " and the noise of profiles" if summary.runs > summary.draws else ""
    return f"+- is the 95 % spread over {summary.draws} draws of the twin's priors{noise}"


def _by_metric(summary: PlacementSummary) -> str:
    return ", ".join(f"{metric} in {runs} of {summary.runs} runs" for metric, runs in summary.metrics.items())


def _placements(summary: PlacementSummary) -> Iterator[str]:
    for one in summary.sets:
        most = max(total.carried_mpps.value for total in one.totals)
        yield f"{one.set}: {one.chains} chains, {one.nfs} NFs"
        for total in one.totals:
            carried = total.carried_mpps
            yield f"  {total.algorithm:<16} {_bar(carried.value, most)} {shown(carried, 2)} Mpps"
    for gain in summary.gains:
        yield f"{summary.sets[0].totals[0].algorithm} over {gain.over}: {shown(gain.percent)} % (mean of all sets)"


def _predictions(summary: PlacementSummary) -> Iterator[str]:
    yield f"{'predictor':<18} {'points':>14} {'throughput %':>16} {'relative %':>16}"
    for found in summary.predictors:
        points, throughput = shown(found.points, 2), shown(found.throughput_percent, 2)
        yield f"{found.predictor:<18} {points:>14} {throughput:>16} {shown(found.relative_percent):>16}"
    yield "points: absolute error of the drop; relative: where 5 points or more were lost"


def _bar(value: float, most: float, width: int = 40) -> str:
    return ("#" * round(width * value / most)).ljust(width) if most > 0 else " " * width
