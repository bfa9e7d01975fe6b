"""The second predictor, a monotone single-index model: an NF loses S(P), S never falling, P a sum of pressures.

    drop of an NF = S[type, role](P)
    P = sum over NFs of its node of near[t] r^e + far_share[type, side] x sum over those of other nodes of far[t] r^e

Neither the shape of S nor what presses is assumed: S is isotonic regression on the samples, linear between its knots,
and pressures and shares are fitted jointly over all NFs of the host model, each at least 0. Both are found in turn: S
by pooling adjacent violators for given pressures, then pressures by a damped Gauss-Newton step along S. Only ratios of
pressures show, so their scale is fixed: `near` is 1 on average, and so is `far_share`. Bubbles are types of their own
by size. The reporter has a curve of its own, by which types that were never put beside other NFs get their pressure.

r is an NF's rate over its ideal one (`rates`), and e is chosen on samples with rates (`rate_exponent`): 0 without any.
What a neighbour in its chain costs an NF beside that (`handing`) is measured alone, as time that each packet takes.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from sextant_domain.profiling.job import PointPurpose

from sextant_engine.modelling.curve_table import Table
from sextant_engine.modelling.fitted_curves import FittedCurves, KnownSamples
from sextant_engine.modelling.handing import Neighbour, added_by, neighbours_of
from sextant_engine.modelling.predictor import Profiles, Sample
from sextant_engine.modelling.rate_exponent import chosen_exponent
from sextant_engine.modelling.rates import pressing_on


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """All samples of some profiles."""

    profiles: Profiles
    samples: tuple[Sample, ...]
    neighbours: Sequence[Sequence[Neighbour]]
    """Of each in its chain that are no role: curves are fitted on those without any."""
    table: Table
    row_of: Mapping[int, int]
    """By id of the setting, which the profiles keep alive; without reporters', whose curves are no NF type's."""

    @classmethod
    def of(cls, profiles: Profiles) -> "_Read":
        samples = tuple(profiles.every_sample())
        return cls(
            profiles,
            samples,
            [neighbours_of(one.setting) for one in samples],
            Table(samples, [tuple(pressing_on(one.setting, profiles.ideal)) for one in samples]),
            {
                id(one.setting): row
                for row, one in enumerate(samples)
                if one.setting.purpose is not PointPurpose.CONTENTIOUSNESS
            },
        )

    def fitted(self, left: Sequence[bool], exponent: float) -> FittedCurves:
        """Curves on the samples that are `left`."""
        fit = self.table.fit([one and not by for one, by in zip(left, self.neighbours, strict=True)], exponent)
        known = KnownSamples(self.samples, self.neighbours, self.row_of, fit.drops)
        near, far, curves = fit.near, fit.far, fit.curves
        return FittedCurves(self.profiles.host_model, near, far, curves, exponent, self.profiles.ideal, {}, known)

    def with_handing(self, fitted: FittedCurves, left: Sequence[bool]) -> FittedCurves:
        """What curves leave unsaid of samples with one such neighbour: the mean of each kind."""
        found: dict[str, dict[Neighbour, list[float]]] = defaultdict(lambda: defaultdict(list))
        for row, neighbours in enumerate(self.neighbours):
            if len(neighbours) == 1 and left[row]:
                sample = self.samples[row]
                by_curve = fitted.drop_by_curve(sample.setting)
                lost = None if by_curve is None else added_by(sample.drop, by_curve)
                if lost is not None:
                    found[sample.setting.subject.nf_type][neighbours[0]].append(lost)
        return replace(fitted, handing={name: {one: fmean(v) for one, v in of.items()} for name, of in found.items()})

    def exponent(self) -> float:
        """By cross-validation over samples with rates."""
        rated = [
            row
            for row, sample in enumerate(self.samples)
            if not self.neighbours[row] and sample.setting.purpose is PointPurpose.RATES
        ]

        def errors_of(exponent: float, asked: Sequence[int]) -> Iterator[float]:
            out = frozenset(asked)
            fitted = self.fitted([row not in out for row in range(len(self.samples))], exponent)
            for row in asked:
                drop = fitted.drop_by_curve(self.samples[row].setting)
                if drop is not None:
                    yield drop - self.samples[row].drop

        return chosen_exponent(rated, errors_of)


class Curves:
    """The predictor, not yet fitted. Draws no chance: equal samples give equal curves.

    It keeps the table of the profiles that it saw last: what folds of a cross-validation see are rows of that.
    """

    name = "curves"

    def __init__(self, exponent: float | None = None) -> None:
        """`exponent`: of rates; None: chosen on all samples of the profiles, those that a fit leaves out as well."""
        self._exponent = exponent
        self._last: tuple[_Read, float] | None = None

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> FittedCurves:
        """As `Predictor`, but for the exponent."""
        if self._last is None or self._last[0].profiles is not profiles:
            read = _Read.of(profiles)
            self._last = read, read.exponent() if self._exponent is None else self._exponent
        read, exponent = self._last
        left = profiles.are_left(without, without_types)
        return read.with_handing(read.fitted(left, exponent), left)
