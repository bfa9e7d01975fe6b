"""Octans' predictor: drop = alpha llc + beta mem + c (Sec. IV-B), by NF type, local and remote apart.

What a sample says of its levels does not change from fold to fold of a cross-validation: it is found once, in
`Equations`, and a fit is a choice of rows.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sextant_domain.fit import Coefficients, Side, SideFit
from sextant_domain.profiling import PointSetting

from sextant_engine.modelling.constrained import constrained_least_squares, rank_of
from sextant_engine.modelling.levels import Terms, Weights, terms_of
from sextant_engine.modelling.lms import least_mean_squares
from sextant_engine.modelling.predictor import OF_OTHER_CONFIGURATIONS, Profiles, Sample

Floats = NDArray[np.float64]
Method = Literal["constrained", "lms"]
Key = tuple[str, Side]


def weights_of(profiles: Profiles, metric: str, scale: float) -> dict[str, float]:
    """1 / x with x = metric / scale (Eq. 7), by NF type; without those whose metric is not known or not above 0."""
    return {
        nf_type: scale / counts[metric]
        for nf_type, counts in profiles.counts_alone.items()
        if counts.get(metric, 0.0) > 0
    }


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Samples of one NF type on one side: row i is sample i, columns of `llc` and `mem` are NF types."""

    points: NDArray[np.int64]
    company: tuple[frozenset[str], ...]
    """NF types beside and in front of the subject."""
    lost: Floats
    """1 where the level on the LLC is the constant 1, else 0."""
    llc: Floats
    mem: Floats
    drops: Floats
    errors: Floats

    def levels(self, weights: Floats) -> Floats:
        """Samples x 2, LLC and memory."""
        return np.column_stack([self.lost + self.llc @ weights, self.mem @ weights])


class Equations:
    """All samples of Eq. 9-11 of some profiles, ready to be weighed and fitted."""

    def __init__(self, profiles: Profiles) -> None:
        self.profiles = profiles
        self.one_node = profiles.nodes <= 1
        groups: dict[Key, list[tuple[Sample, Terms]]] = defaultdict(list)
        self._known: dict[int, Terms] = {}
        for nf_type in sorted(profiles.samples):
            for sample in profiles.plain(nf_type):
                terms = terms_of(sample.setting)
                self._known[id(sample.setting)] = terms
                groups[nf_type, terms.side].append((sample, terms))
        self.types = sorted({kind for group in groups.values() for _, terms in group for kind in _kinds(terms)})
        self.rows: Mapping[Key, Rows] = {key: self._rows(group) for key, group in groups.items()}

    def terms(self, setting: PointSetting) -> Terms:
        """Of any setting; at once where it is that of a sample, which the profiles keep alive."""
        return self._known.get(id(setting)) or terms_of(setting)

    def _rows(self, group: list[tuple[Sample, Terms]]) -> Rows:
        place = {nf_type: column for column, nf_type in enumerate(self.types)}
        llc, mem = (np.zeros((len(group), len(place))) for _ in range(2))
        for row, (_, terms) in enumerate(group):
            for into, counts in ((llc, terms.llc or {}), (mem, terms.mem)):
                for nf_type, count in counts.items():
                    into[row, place[nf_type]] = count
        return Rows(
            points=np.array([sample.point_id for sample, _ in group]),
            company=tuple(_company(sample.setting) for sample, _ in group),
            lost=np.array([float(terms.llc is None) for _, terms in group]),
            llc=llc,
            mem=mem,
            drops=np.array([sample.drop for sample, _ in group]),
            errors=np.array([sample.drop_error for sample, _ in group]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """Rows whose types all have a weight, with their levels."""

    points: NDArray[np.int64]
    company: tuple[frozenset[str], ...]
    levels: Floats
    drops: Floats
    errors: Floats

    def without(self, points: frozenset[int], types: frozenset[str]) -> "Weighed":
        """As `Profiles.leaving_out` says."""
        if not points and not types:
            return self
        kept = ~np.isin(self.points, list(points))
        if types:
            kept &= np.array([not types & company for company in self.company], dtype=bool)
        company = tuple(one for one, stays in zip(self.company, kept, strict=True) if stays)
        return Weighed(self.points[kept], company, self.levels[kept], self.drops[kept], self.errors[kept])


def weigh(equations: Equations, weights: Weights) -> Mapping[Key, Weighed]:
    """Levels of every sample; without those in which a type stands whose weight is not known."""
    vector = np.array([weights.get(nf_type, 0.0) for nf_type in equations.types])
    unknown = np.array([nf_type not in weights for nf_type in equations.types], dtype=bool)
    found = {}
    for key, rows in equations.rows.items():
        levels = rows.levels(vector)
        one = Weighed(rows.points, rows.company, levels, rows.drops, rows.errors)
        blind = (rows.llc + rows.mem)[:, unknown].any(axis=1)
        found[key] = one.without(frozenset(rows.points[blind].tolist()), frozenset()) if blind.any() else one
    return found


class Octans:
    """The predictor: `octans` by constrained least squares, `octans-lms` as in the paper."""

    def __init__(self, equations: Equations, weights: Weights, method: Method = "constrained") -> None:
        self.equations = equations
        self.weights = weights
        self.method = method
        self.weighed = weigh(equations, weights)

    @property
    def name(self) -> str:
        """As scores name it."""
        return "octans" if self.method == "constrained" else "octans-lms"

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> "FittedOctans":
        """On all samples but those; metric and scale stay, which come from NFs alone."""
        if profiles is not self.equations.profiles:
            return Octans(Equations(profiles), self.weights, self.method).fit(profiles, without, without_types)
        return FittedOctans(self, without, without_types)


@dataclass(frozen=True, slots=True, eq=False)
class FittedOctans:
    """Coefficients of those NF types that are asked for, each found when it first is."""

    octans: Octans
    without: frozenset[int]
    without_types: frozenset[str]
    _found: dict[Key, Coefficients | None] = field(default_factory=dict)

    def drop(self, setting: PointSetting) -> float | None:
        """None for bubbles and reporters, which are not as their types are, and for types that were not measured."""
        if setting.purpose in OF_OTHER_CONFIGURATIONS:
            return None
        levels = self.octans.equations.terms(setting).at(self.octans.weights)
        found = levels and self.coefficients(setting.subject.nf_type, levels.side)
        if not levels or not found:
            return None
        return found.alpha * levels.llc + found.beta * levels.mem + found.c

    def coefficients(self, nf_type: str, side: Side) -> Coefficients | None:
        """None without samples."""
        key = nf_type, side
        if key not in self._found:
            rows = self.octans.weighed.get(key)
            rows = rows and rows.without(self.without, self.without_types)
            one_node = self.octans.equations.one_node
            self._found[key] = _solve(rows, self.octans.method, one_node) if rows and len(rows.points) else None
        return self._found[key]


def side_fits(octans: Octans, nf_type: str) -> tuple[SideFit, ...]:
    """By both methods on all samples, with what those can tell apart; sides without samples are told too."""
    one_node = octans.equations.one_node
    sides: tuple[Side, ...] = ("local",) if one_node else ("local", "remote")
    return tuple(_side_fit(octans.weighed.get((nf_type, side), _NOTHING), side, one_node) for side in sides)


def _side_fit(rows: Weighed, side: Side, one_node: bool) -> SideFit:
    rank = rank_of(rows.levels, side, one_node=one_node)
    constrained = _solve(rows, "constrained", one_node)
    left = rows.drops - rows.levels @ [constrained.alpha, constrained.beta] - constrained.c
    return SideFit(
        side=side,
        samples=len(rows.points),
        rank=rank.rank,
        columns=rank.columns,
        condition=rank.condition,
        collinear=rank.collinear,
        lms=_solve(rows, "lms", one_node),
        constrained=constrained,
        rmse_points=100 * float(np.sqrt(np.mean(left**2))) if len(left) else 0.0,
    )


def _solve(rows: Weighed, method: Method, one_node: bool) -> Coefficients:
    if method == "lms":
        return least_mean_squares(rows.levels, rows.drops, one_node=one_node)
    return constrained_least_squares(rows.levels, rows.drops, rows.errors, one_node=one_node)


def _kinds(terms: Terms) -> set[str]:
    return {*(terms.llc or ()), *terms.mem}


def _company(setting: PointSetting) -> frozenset[str]:
    return frozenset(nf.nf_type for nf in (*setting.others, *setting.chain[:-1]))


_NOTHING = Weighed(np.zeros(0, dtype=np.int64), (), np.zeros((0, 2)), np.zeros(0), np.zeros(0))
