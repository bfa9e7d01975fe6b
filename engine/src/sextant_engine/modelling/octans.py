"""Octans' predictor: drop = alpha llc + beta mem + c (Sec. IV-B), by NF type, local and remote apart.

What samples say does not change from fold to fold of a cross-validation: it is put down once, in `Equations`, and all
folds are solved together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isnan
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sextant_domain.profiling.fit import Side
from sextant_domain.profiling.job import PointSetting

from sextant_engine.modelling.constrained import solve_folds
from sextant_engine.modelling.levels import Weights, terms_of
from sextant_engine.modelling.lms import learn_folds
from sextant_engine.modelling.predictor import OF_OTHER_CONFIGURATIONS, Fitted, Profiles

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Method = Literal["constrained", "lms"]
Key = tuple[str, Side]
LeftOut = tuple[frozenset[int], frozenset[str]]
"""Points and NF types that are left out, as `Profiles.leaving_out` says."""


class Line(NamedTuple):
    """drop = alpha llc + beta mem + c. A plain tuple: a cross-validation makes hundreds of them."""

    alpha: float
    beta: float
    c: float


class Equations:
    """All samples of Eq. 9-11 of some profiles: row i is sample i, sorted by NF type and side."""

    def __init__(self, profiles: Profiles) -> None:
        self.profiles = profiles
        self.one_node = profiles.nodes <= 1
        found = [
            (nf_type, sample, terms_of(sample.setting))
            for nf_type in sorted(profiles.samples)
            for sample in profiles.plain(nf_type)
        ]
        found.sort(key=lambda one: (one[0], one[2].side))
        self.samples = [sample for _, sample, _ in found]
        self.points = np.array([sample.point_id for sample in self.samples], dtype=np.int64)
        self.drops = np.array([sample.drop for sample in self.samples])
        self.errors = np.array([sample.drop_error for sample in self.samples])
        self.slices = _slices([(nf_type, terms.side) for nf_type, _, terms in found])
        """Rows of an NF type on a side."""
        self.key_of_row = np.repeat(
            np.arange(len(self.slices)), [rows.stop - rows.start for rows in self.slices.values()]
        )
        """Place of each sample's NF type and side in `slices`."""
        self._lost = np.array([float(terms.llc is None) for _, _, terms in found])
        """1 where the level on the LLC is the constant 1, else 0."""
        co_located = [
            [nf.nf_type for nf in (*sample.setting.others, *sample.setting.chain[:-1])] for sample in self.samples
        ]
        self._types = {
            nf_type: column for column, nf_type in enumerate(sorted({kind for row in co_located for kind in row}))
        }
        self._co_located = self._counts(co_located) > 0
        self._llc = self._counts([terms.llc or () for _, _, terms in found])
        self._mem = self._counts([terms.mem for _, _, terms in found])
        self._row_of = {id(sample.setting): row for row, (_, sample, _) in enumerate(found)}
        self._kept: dict[LeftOut, Flags] = {}

    def row(self, setting: PointSetting) -> int | None:
        """Where it is that of a sample, which the profiles keep alive."""
        return self._row_of.get(id(setting))

    def levels(self, weights: Weights) -> Floats:
        """Samples x 2, LLC and memory; not a number where a type in the sample has no weight."""
        vector = np.array([weights.get(nf_type, 0.0) for nf_type in self._types])
        unknown = np.array([nf_type not in weights for nf_type in self._types], dtype=bool)
        levels = np.column_stack([self._lost + self._llc @ vector, self._mem @ vector])
        levels[(self._llc + self._mem)[:, unknown].any(axis=1)] = np.nan
        return levels

    def kept(self, folds: Sequence[LeftOut]) -> Flags:
        """Folds x samples: those that each fold leaves."""
        for fold in folds:
            if fold not in self._kept:
                self._kept[fold] = self._left(*fold)
        return np.array([self._kept[fold] for fold in folds], dtype=bool).reshape(len(folds), len(self.samples))

    def _left(self, points: frozenset[int], types: frozenset[str]) -> Flags:
        kept: Flags = ~np.isin(self.points, list(points))
        columns = [self._types[nf_type] for nf_type in types if nf_type in self._types]
        return kept & ~self._co_located[:, columns].any(axis=1) if columns else kept

    def _counts(self, types: Sequence[Iterable[str]]) -> Floats:
        """Samples x NF types: how often each is there."""
        counts = np.zeros((len(types), len(self._types)))
        for row, found in enumerate(types):
            for nf_type in found:
                counts[row, self._types[nf_type]] += 1
        return counts


def solve(equations: Equations, levels: Floats, kept: Flags, method: Method) -> Floats:
    """Coefficients (folds x keys x 3: alpha, beta, c) of each NF type and side, keys as in `slices`; `kept` is folds x
    samples.

    Not numbers where a fold leaves no sample.
    """
    if not len(equations.samples):
        return np.zeros((len(kept), 0, 3))
    usable = kept & ~np.isnan(levels[:, 0])
    counted, filled = usable.astype(float), np.nan_to_num(levels)
    drops, errors, one_node = equations.drops, equations.errors, equations.one_node
    starts = [rows.start for rows in equations.slices.values()]
    if method == "lms":
        by_key = [
            learn_folds(filled[rows], drops[rows], counted[:, rows], one_node=one_node)
            for rows in equations.slices.values()
        ]
        found = np.stack(by_key, axis=1)
    else:
        found = solve_folds(filled, drops, errors, counted, starts, one_node=one_node)
    found[~np.logical_or.reduceat(usable, starts, axis=1)] = np.nan
    return found


def predicted(equations: Equations, levels: Floats, solved: Floats) -> Floats:
    """Folds x samples: the drop of every sample by what `solve` found; not a number where nothing was."""
    by_row = solved[:, equations.key_of_row]
    found: Floats = by_row[..., 0] * levels[:, 0] + by_row[..., 1] * levels[:, 1] + by_row[..., 2]
    return found


class Octans:
    """The predictor: `octans` by constrained least squares, `octans-lms` as in the paper.

    `folds` that a cross-validation will ask for are solved together when it asks for the first of them.
    """

    def __init__(
        self, equations: Equations, weights: Weights, method: Method = "constrained", folds: Sequence[LeftOut] = ()
    ) -> None:
        self.equations = equations
        self.weights = weights
        self.method: Method = method
        self._levels = equations.levels(weights)
        self._fitted: dict[LeftOut, FittedOctans] = {}
        self._together = list(folds)

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
        fold = without, without_types
        if fold not in self._fitted:
            self._solve(self._together if fold in self._together else [fold])
        return self._fitted[fold]

    def settings(self, nf_type: str) -> list[PointSetting]:
        """Of the NF type's samples that count: every NF in them has a weight."""
        return [
            self.equations.samples[row].setting
            for side in ("local", "remote")
            for row in range(*self.equations.slices.get((nf_type, side), slice(0, 0)).indices(len(self._levels)))
            if not np.isnan(self._levels[row, 0])
        ]

    def of_side(self, nf_type: str, side: Side) -> tuple[Floats, Floats, Floats]:
        """Levels (samples x 2), drops and their errors of the NF type's samples there that count."""
        rows = self.equations.slices.get((nf_type, side), slice(0, 0))
        known = ~np.isnan(self._levels[rows, 0])
        return self._levels[rows][known], self.equations.drops[rows][known], self.equations.errors[rows][known]

    def _solve(self, folds: Sequence[LeftOut]) -> None:
        solved = solve(self.equations, self._levels, self.equations.kept(folds), self.method)
        drops = predicted(self.equations, self._levels, solved)
        for fold, rows, fold_drops in zip(folds, solved.tolist(), drops.tolist(), strict=True):
            by_key = zip(self.equations.slices, rows, strict=True)
            coefficients = {key: Line(*row) for key, row in by_key if not isnan(row[0])}
            self._fitted[fold] = FittedOctans(self, coefficients, fold_drops)


@dataclass(frozen=True, slots=True, eq=False)
class FittedOctans(Fitted):
    """Coefficients by NF type and side."""

    octans: Octans
    coefficients: Mapping[Key, Line]
    known: Sequence[float]
    """Drop by row of the equations; not a number where nothing was learnt."""

    def drop(self, setting: PointSetting) -> float | None:
        """None for bubbles and reporters, which are not as their types are, and for types that were not measured."""
        if setting.purpose in OF_OTHER_CONFIGURATIONS:
            return None
        row = self.octans.equations.row(setting)
        if row is not None:
            return None if isnan(self.known[row]) else self.known[row]
        levels = terms_of(setting).at(self.octans.weights)
        found = levels and self.coefficients.get((setting.subject.nf_type, levels.side))
        if not levels or not found:
            return None
        return found.alpha * levels.llc + found.beta * levels.mem + found.c


def _slices(keys: Sequence[Key]) -> dict[Key, slice]:
    """Where each of equal neighbours begins and ends."""
    found, start = {}, 0
    for key, group in groupby(keys):
        end = start + len(list(group))
        found[key] = slice(start, end)
        start = end
    return found
