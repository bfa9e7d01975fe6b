"""From profiles to fitted predictors: the metric, the scale, Octans' coefficients, pressure curves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sextant_domain.profiling.fit import MetricSelection

from sextant_engine.modelling.curves import Curves
from sextant_engine.modelling.fitted_curves import FittedCurves
from sextant_engine.modelling.metrics import select_metric
from sextant_engine.modelling.octans import Equations, LeftOut, Method, Octans
from sextant_engine.modelling.predictor import Profiles
from sextant_engine.modelling.scale import choose_scale, least_error
from sextant_engine.modelling.validation import Fold, Split, folds_of
from sextant_engine.modelling.weights import weights_of

SPLITS: tuple[Split, ...] = ("mix", "nf")
METHODS: tuple[Method, ...] = ("constrained", "lms")
NOTHING: LeftOut = frozenset(), frozenset()


class InUse(NamedTuple):
    """What the promoted models of a host model share."""

    metric: str
    scale: float


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """What all models of one host model share, and the predictors fitted on all samples."""

    profiles: Profiles
    metric: MetricSelection
    scale: float
    weights: Mapping[str, float]
    """1 / x, by NF type."""
    by_method: Mapping[Method, Octans]
    """Fitted on all samples; `folds` are solved together when they are asked for."""
    by_curves: Curves
    """The predictor, with the table of these profiles."""
    curves: FittedCurves
    """On all samples."""
    folds: Mapping[Split, Sequence[Fold]]


def learn(profiles: Profiles, cores_a_node: int, in_use: InUse | None = None) -> Learnt:
    """`cores_a_node`: of the host model, what a full node is. `in_use` stays unless something else is plainly better.

    Raises nothing: what the profiles do not determine is absent.
    """
    equations = Equations(profiles)
    folds = {split: folds_of(profiles, split) for split in SPLITS}
    by_mix, by_type = ([(fold.without, fold.without_types) for fold in folds[split]] for split in SPLITS)

    def error_of(metric: str) -> float:
        return least_error(equations, metric, cores_a_node, [*by_mix, *by_type])

    metric = select_metric(profiles, in_use.metric if in_use else None, error_of)
    kept = in_use.scale if in_use and in_use.metric == metric.used else None
    scale = choose_scale(equations, metric.used, cores_a_node, by_mix, kept)
    weights = weights_of(profiles, metric.used, scale)
    by_method = {method: Octans(equations, weights, method, [NOTHING, *by_mix, *by_type]) for method in METHODS}
    for octans in by_method.values():
        octans.fit(profiles)
    by_curves = Curves()
    return Learnt(
        profiles=profiles,
        metric=metric,
        scale=scale,
        weights=weights,
        by_method=by_method,
        by_curves=by_curves,
        curves=by_curves.fit(profiles),
        folds=folds,
    )
