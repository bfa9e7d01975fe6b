"""The tables of docs/twin.md."""

import random
import tomllib
from collections.abc import Iterator, Mapping
from math import hypot, sqrt
from pathlib import Path
from statistics import mean, median, quantiles
from typing import NamedTuple

import judge
import nulls
import page
from rows import PublishedSeries
from sextant_twin.document import WITHIN

LIKELY: Mapping[str, str] = tomllib.loads(Path(__file__).with_name("reasons.toml").read_text())
"""By row that fails, why it likely does."""


class Found(NamedTuple):
    """The twin's figures of a row."""

    row: PublishedSeries
    draws: list[list[float]]
    """By draw, then by point; a row C has one draw: the centre."""
    residual: float = 0.0
    """Standard deviation of what the twin is off in rows C of this kind, in the row's unit."""

    @property
    def middle(self) -> list[float]:
        """Point by point, the median of all draws."""
        return [median(values) for values in self.by_point]

    @property
    def by_point(self) -> list[list[float]]:
        """By point, then by draw."""
        return [list(values) for values in zip(*self.draws, strict=True)]

    @property
    def as_read(self) -> list[list[float]]:
        """The same as whoever measured and read would see them: each draw off by a draw of the residual and the reading
        error. A band of predictions, as the fit takes both for the noise of what it is fitted on."""
        generator = random.Random(self.row.name)
        error = hypot(self.residual, self.row.reading / WITHIN)
        return [[value + generator.gauss(0.0, error) for value in values] for values in self.by_point]


def residual(row: PublishedSeries, calibrated: list[Found]) -> float:
    """Root mean square of what the twin is off in rows C about the same in the same unit; 0: there are none."""
    alike = [each for each in calibrated if (each.row.about, each.row.unit) == (row.about, row.unit)]
    off = [distance for each in alike for distance in judge.distances(each.row, each.middle)]
    return sqrt(mean(distance**2 for distance in off)) if off else 0.0


class Summary(NamedTuple):
    """How rows of one kind fare."""

    rows: int
    passed: int
    points: int
    covered: int
    """Points as published that lie between the 5th and 95th percentile of the draws; of a range any part."""


def calibrated(found: list[Found]) -> Iterator[str]:
    """What was fitted on: row, point by point."""
    yield from page.head("row", "at", "published", "twin", "tolerance", "")
    for each in found:
        row = each.row
        at = ", ".join(str(x) for x in row.xs)
        figures = ", ".join(_figure(value, row) for value in each.middle)
        published = ", ".join(_published(row))
        yield page.line(
            f"{row.title} ({row.unit})", f"{row.x}: {at}", published, figures, _tolerance(row), _verdict(each)
        )


def held_out(found: list[Found], rows: list[PublishedSeries], summary: str) -> Iterator[str]:
    """What nothing was fitted on: `summary` of the whole, then a line a point, with the band over the priors."""
    yield summary
    yield ""
    yield from page.head("row", "at", "published", "twin: median", "5-95 % as read", "tolerance", "row")
    for each in found:
        row = each.row
        published, as_read = _published(row), each.as_read
        for index, x in enumerate(row.xs):
            yield page.line(
                f"{row.title} ({row.unit})" if index == 0 else "",
                str(x),
                published[index],
                _figure(each.middle[index], row),
                _band(as_read[index], row),
                _tolerance(row) if index == 0 else "",
                _verdict_beside_nulls(each, rows) if index == 0 else "",
            )


def goals(found: list[Found], rows: list[PublishedSeries]) -> Iterator[str]:
    """Rows about machines and about NFs apart: how many pass, and how many points the band holds; what is missed."""
    yield from page.head("rows about", "pass", "goal", "not predictable", "points in the 5-95 % band", "goal")
    for about, title, goal, least in (("machine", "the machine", "all", 1.0), ("nf", "NFs", ">= 70 %", 0.7)):
        of_kind = [each for each in found if each.row.about == about]
        judged = [each for each in of_kind if predictable(each, rows)]
        total = _summary(judged)
        passed = f"{total.passed} of {total.rows} ({100 * total.passed / max(1, total.rows):.0f} %)"
        passed = _beside_goal(passed, met=total.passed >= least * total.rows)
        inside = _beside_goal(_covered(total), met=0.8 * total.points <= total.covered <= 0.97 * total.points)
        yield page.line(title, passed, goal, str(len(of_kind) - len(judged)), inside, "80 to 97 %")


def predictable(found: Found, rows: list[PublishedSeries]) -> bool:
    """False for a row that turns on payload, where a model that knows nothing is as near."""
    return not found.row.payload or mean(judge.distances(found.row, found.middle)) < nulls.least_error(found.row, rows)


def _summary(found: list[Found]) -> Summary:
    covered = [
        low <= most and least <= high
        for each in found
        for (least, most), (low, high) in zip(each.row.ranges, map(_ends, each.as_read), strict=True)
    ]
    return Summary(len(found), sum(map(passes, found)), len(covered), sum(covered))


def _beside_goal(text: str, *, met: bool) -> str:
    return text if met else f"**missed**: {text}"


def _covered(total: Summary) -> str:
    return f"{total.covered} of {total.points} ({100 * total.covered / max(1, total.points):.0f} %)"


def reasons(found: list[Found]) -> Iterator[str]:
    """Of each row: its source, what was assumed, and why it likely fails."""
    for each in found:
        row = each.row
        facts = [row.source]
        if row.assumed:
            facts.append(f"assumed: {row.assumed}")
        if judge.faults(row, each.middle):
            facts.append(f"**fails**, likely because {LIKELY.get(row.name, 'of a reason not known yet')}")
        yield f"- *{row.title}*: {'; '.join(facts)}."


def null_models(found: list[Found], rows: list[PublishedSeries]) -> Iterator[str]:
    """Mean error in points beside that of models that know nothing."""
    lost = nulls.mean_of_calibrated(rows)
    hindsight = "linear in competing L3 references, in hindsight"
    yield from page.head("row", "twin", "no drop", f"mean drop of rows C ({lost:.1f} %)", hindsight)
    for each in found:
        row = each.row
        if nulls.comparable(row):
            constants = [0.0, lost, nulls.constant_in_hindsight(row)][: 2 if len(row.points) == 1 else 3]
            errors = [mean(judge.distances(row, each.middle)), *(nulls.mean_error(value, row) for value in constants)]
            yield page.line(row.title, *[*(f"{error:.1f}" for error in errors), "-"][:4])


def passes(found: Found) -> bool:
    """True where nothing of the row is missed."""
    return not judge.faults(found.row, found.middle)


def _verdict(found: Found) -> str:
    missed = judge.faults(found.row, found.middle)
    return "pass" if not missed else f"**fail**: {'; '.join(missed)}"


def _verdict_beside_nulls(found: Found, rows: list[PublishedSeries]) -> str:
    return _verdict(found) if predictable(found, rows) else "not predictable: a null model is as near"


def _published(row: PublishedSeries) -> list[str]:
    """By point; a range as such."""
    texts = ((_figure(least, row), _figure(most, row)) for least, most in row.ranges)
    return [least if least == most else f"{least} to {most}" for least, most in texts]


def _figure(value: float, row: PublishedSeries) -> str:
    return f"{value:.2f}" if row.unit == "ratio" else f"{value:.1f}"


def _band(values: list[float], row: PublishedSeries) -> str:
    if len(values) < 2:
        return "-"
    low, high = _ends(values)
    return f"{_figure(low, row)} to {_figure(high, row)}"


def _ends(values: list[float]) -> tuple[float, float]:
    """The 5th and the 95th percentile."""
    if len(values) < 2:
        return values[0], values[0]
    cuts = quantiles(values, n=20, method="inclusive")
    return cuts[0], cuts[-1]


def _tolerance(row: PublishedSeries) -> str:
    if isinstance(row.tolerance, tuple):
        return f"{row.tolerance[0]:g} to {row.tolerance[1]:g}"
    if row.unit in judge.RELATIVE:
        return f"+-{100 * row.tolerance:g} %"
    order = ", same order" if row.same_order else ""
    rank = f", rank >= {row.rank:g}" if row.rank is not None else ""
    points = "" if row.unit == "ratio" else " points"
    return f"+-{row.tolerance:g}{points}{order}{rank}"
