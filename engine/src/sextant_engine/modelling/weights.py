"""What an NF type weighs as a competitor (Octans, Eq. 7): 1 / x, x being its metric alone over the host model's scale.

A metric that counted 0 for a type has no 1 / x. By Property 1 a type with less of it presses more, so that one with
none presses at least as much as the one with least: it weighs as much as that one. Nothing says how much more, and
every guess (half, a quarter of the least) would also make all others weigh less, since a full node of the heaviest sums
to 1.
"""

from collections.abc import Iterable

from sextant_engine.modelling.levels import Weights
from sextant_engine.modelling.predictor import Profiles


def weights_of(profiles: Profiles, metric: str, scale: float) -> Weights:
    """By NF type; without those of which the metric was not counted."""
    return {nf_type: scale / value for nf_type, value in values_of(profiles, metric).items()}


def values_of(profiles: Profiles, metric: str) -> dict[str, float]:
    """The metric alone, a packet, all above 0: where it counted 0, the least of the others. Empty where all are 0."""
    counted = _counted(profiles, metric)
    least = min((value for value in counted.values() if value > 0), default=None)
    return {} if least is None else {nf_type: max(value, least) for nf_type, value in counted.items()}


def without_any(profiles: Profiles, metric: str) -> Iterable[str]:
    """NF types of which the metric counted 0, sorted."""
    return sorted(nf_type for nf_type, value in _counted(profiles, metric).items() if value <= 0)


def _counted(profiles: Profiles, metric: str) -> dict[str, float]:
    return {nf_type: counts[metric] for nf_type, counts in profiles.counts_alone.items() if metric in counts}
