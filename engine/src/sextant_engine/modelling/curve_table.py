"""Samples as the native core takes them, which fits pressure curves on those that are left (engine/core/src/curves)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.profiling.curves import ChainRole
from sextant_domain.profiling.job import PointPurpose

from sextant_engine._core import CurveTable
from sextant_engine.modelling.fitted_curves import LOCAL_ROLES, Curve, FittedCurve
from sextant_engine.modelling.predictor import Sample
from sextant_engine.modelling.pressures import role_of
from sextant_engine.modelling.rates import Pressing

REPORTER = "the reporter"
"""No NF type has this name."""
LIKE = {
    ChainRole.LOCAL: ChainRole.CROSSING,
    ChainRole.CROSSING: ChainRole.LOCAL,
    ChainRole.HEAD: ChainRole.BEHIND,
    ChainRole.BEHIND: ChainRole.HEAD,
}
"""The role on the same kind of node: where samples of one do not reach, those of the other continue it."""


@dataclass(frozen=True, slots=True)
class CurveFit:
    """What a fit says."""

    near: Mapping[str, float]
    far: Mapping[str, float]
    curves: Mapping[Curve, FittedCurve]
    drops: Sequence[float | None]
    """Of every sample of the table by its curve, those that the fit did not see included. Of a reporter's by its own,
    which is no curve of its NF type."""


class Table:
    """Samples by curve, and the types of what presses on each."""

    def __init__(self, samples: Sequence[Sample], pressing: Sequence[Sequence[Pressing]]) -> None:
        """`pressing`: on every sample."""
        curves = [_curve_of(sample) for sample in samples]
        self._keys = sorted(set(curves))
        self._types = sorted({one.nf_type for beside in pressing for one in beside})
        index = {key: number for number, key in enumerate(self._keys)}
        column = {name: number for number, name in enumerate(self._types)}
        self._native = CurveTable(
            types=len(self._types),
            curves=list(_described(self._keys)),
            samples=[
                (index[key], one.drop, one.drop_error, [(column[name], near, rate) for name, near, rate in beside])
                for key, one, beside in zip(curves, samples, pressing, strict=True)
            ],
        )

        self._raised: dict[float, CurveTable] = {}
        """By exponent of rates."""

    def fit(self, left: Sequence[bool], exponent: float) -> CurveFit:
        """By the samples that are `left`; `exponent`: of rates, whose power counts as so many instances."""
        if exponent not in self._raised:
            self._raised[exponent] = self._native.raised(exponent)
        near, far, curves, drops = self._raised[exponent].fit(left)
        return CurveFit(
            self._by_type(near),
            self._by_type(far),
            {
                self._keys[number]: FittedCurve(self._keys[number][1], pressures, drops_there, far_share, samples)
                for number, pressures, drops_there, far_share, samples in curves
            },
            drops,
        )

    def _by_type(self, pressures: Sequence[float | None]) -> dict[str, float]:
        """Without types that were in no sample."""
        return {name: one for name, one in zip(self._types, pressures, strict=True) if one is not None}


def _described(keys: Sequence[Curve]) -> Iterator[tuple[int, bool, int | None]]:
    """Curves as the native core takes them: side, whether 0 without co-located NFs, like which other."""
    index = {key: number for number, key in enumerate(keys)}
    sides = sorted({(name, role in LOCAL_ROLES) for name, role in keys})
    for name, role in keys:
        # A drop is relative to the NF alone on that kind of node, so that without co-located NFs it is 0 there.
        from_zero = role in {ChainRole.LOCAL, ChainRole.HEAD}
        yield sides.index((name, role in LOCAL_ROLES)), from_zero, index.get((name, LIKE[role]))


def _curve_of(sample: Sample) -> Curve:
    is_reporter = sample.setting.purpose is PointPurpose.CONTENTIOUSNESS
    return REPORTER if is_reporter else sample.setting.subject.nf_type, role_of(sample.setting)
