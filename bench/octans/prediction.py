"""Figure 7: how far predictors are off, on NFs beside an NF they have not seen, and on chains at random places."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import page
from setting import DRAWS, GIVEN, SEEDS, SYNTHETIC, TYPES, bare, study, synthetic
from sextant_domain.profiling.estimates import estimate
from sextant_domain.profiling.job import PointPurpose, PointSetting, StandingNf
from sextant_domain.profiling.profile import Estimate
from sextant_domain.studies.result import PlacementResult, StudyPrediction
from sextant_domain.studies.summary import INFORMATIVE_DROP, errors, shown
from sextant_lab.kinds.placement.run import run
from sextant_lab.predicting import NULLS, PREDICTORS, Knowledge
from sextant_lab.profiling import Sandbox
from sextant_lab.resampling import ResampledErrors, drawn, resampled

KNOWING = tuple(name for name in PREDICTORS if name not in NULLS)
COLUMNS = (
    "predictor",
    "relative % where the drop is 5 % or more",
    "points of the drop",
    "throughput %",
    "over draws of priors: relative %, points",
)


@dataclass
class Tally:
    """Errors by run."""

    points: dict[object, list[float]] = field(default_factory=lambda: defaultdict(list))
    relative: dict[object, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, run: object, measured: float, predicted: float) -> None:
        """Drops as shares."""
        self.points[run].append(100 * abs(measured - predicted))
        if measured >= INFORMATIVE_DROP:
            self.relative[run].append(100 * abs(measured - predicted) / measured)

    def means(self) -> tuple[Estimate, Estimate | None]:
        """Over runs: points, and relative where any drop was large enough."""
        relative = [fmean(values) for values in self.relative.values()]
        return estimate([fmean(values) for values in self.points.values()]), estimate(relative) if relative else None


def beside_a_stranger() -> Iterator[str]:
    """Fig. 7a: each NF beside 1 to 5 of a synthetic NF that no fit has seen beside others."""
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
    drops: dict[str, list[float]] = defaultdict(list)
    for nf, predictor, seed, measured, predicted in _strangers(None, SEEDS):
        tallies[nf, predictor].add(seed, measured, predicted)
        drops[nf].append(100 * measured)
    drawn: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for draw in DRAWS:
        for nf, predictor, _, measured, predicted in _strangers(draw, SEEDS[:1]):
            drawn[nf, predictor].add(draw, measured, predicted)
    published = GIVEN["figure-7a"]["published_percent"]
    shown_of = (f"{predictor}: relative %; points" for predictor in KNOWING)
    yield from page.head(
        "NF (twin)", "published %", "largest drop %", *shown_of, "best null: points",
        "octans over draws: relative %; points",
    )  # fmt: skip
    for nf in TYPES:
        found = {predictor: tallies[nf, predictor].means() for predictor in PREDICTORS}
        yield page.line(
            f"`{nf}`",
            f"{published[nf]}",
            f"{max(drops[nf]):.1f}",
            *(_both(found[predictor]) for predictor in KNOWING),
            f"{min(found[null][0].value for null in NULLS):.2f}",
            _both(drawn[nf, "octans"].means()),
        )


def _strangers(draw: int | None, seeds: Sequence[int]) -> Iterator[tuple[str, str, int, float, float]]:
    server = bare(draw, synthetic(draw))
    sandbox = Sandbox(server)
    for seed in seeds:
        known = Knowledge(server, list(sandbox.records(seed)))
        for nf in TYPES:
            for number in GIVEN["figure-7a"]["competitors"]:
                drop = sandbox.beside(nf, [SYNTHETIC] * number, seed).result.throughput_drop_percent
                for predictor in PREDICTORS:
                    predicted = known.drop(predictor, _local(server.local, nf, number))
                    if drop is not None and predicted is not None:
                        yield nf, predictor, seed, drop.value / 100, predicted


def _local(node: int, nf: str, number: int) -> PointSetting:
    return PointSetting(
        purpose=PointPurpose.LOCAL,
        ingress_node=node,
        chain=(StandingNf(nf_type=nf, node=node),),
        others=(StandingNf(nf_type=SYNTHETIC, node=node),) * number,
    )


def chains(figure: str, sets: Mapping[str, Sequence[Sequence[str]]]) -> tuple[PlacementResult, PlacementResult]:
    """Figs. 7b to 7d: random placements, at the centre of the priors and over draws."""
    given = GIVEN[figure]
    more = {"placements": given["placements"], "placement_seed": given["seed"]}
    return (
        run(study(figure, "prediction", sets, **more)),
        run(study(figure, "prediction", sets, draws=DRAWS, seeds=SEEDS[:1], **more)),
    )


def by_predictor(at_centre: PlacementResult, over_draws: PlacementResult, published: str) -> Iterator[str]:
    """All sets of a figure together, a line a predictor."""
    rows = at_centre.predictions
    placed = drawn(rows)
    yield (
        f"{placed.placements} placements, {placed.distinct} of them distinct, with {placed.chains} chains, each "
        f"predicted by {placed.runs} profiles that differ in noise. {placed.informative} chains lost 5 % or more. "
        f"Published, measured: {published}."
    )
    yield ""
    yield from page.head(*COLUMNS)
    for predictor in PREDICTORS:
        found, over = resampled(rows, predictor), errors(over_draws.predictions, predictor)
        if found is not None and over is not None:
            yield page.line(
                f"{predictor} (twin)",
                _relative(found),
                found.points.shown(2),
                found.throughput_percent.shown(2),
                _both((over.points, over.relative_percent)),
            )


def by_set(at_centre: PlacementResult, column: str) -> Iterator[str]:
    """Each set of a figure, a line a set."""
    yield from page.head(column, *(f"{name} (twin): relative %; points" for name in KNOWING), "best null: points")
    for one in at_centre.scenario.set:
        rows = [row for row in at_centre.predictions if row.set == one.name]
        nulls = [found.points.value for name in NULLS if (found := errors(rows, name)) is not None]
        yield page.line(one.name, *(_errors(rows, name) for name in KNOWING), f"{min(nulls):.2f}")


def _errors(rows: Iterable[StudyPrediction], predictor: str) -> str:
    found = resampled(rows, predictor)
    return "-" if found is None else f"{_relative(found)}; {found.points.shown(2)}"


def _relative(found: ResampledErrors) -> str:
    return "-" if found.relative_percent is None else found.relative_percent.shown()


def _both(found: tuple[Estimate, Estimate | None]) -> str:
    points, relative = found
    return f"{shown(relative)}; {shown(points, 2)}"


def sets_of(figure: str) -> dict[str, list[list[str]]]:
    """The chains of a figure, by the name of their set."""
    given = GIVEN[figure]
    match figure:
        case "figure-7b":
            return {f"sfc-{number}": [chain] for number, chain in enumerate(given["chains"], 1)}
        case "figure-7c":
            return {
                f"{nf.removeprefix('octans-')}-x{length}": [[nf] * length]
                for nf in TYPES
                for length in given["lengths"]
            }
        case _:
            return {f"{number}-chains": [given["chain"]] * number for number in given["chains"]}
