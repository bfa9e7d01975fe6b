"""What Kubernetes' VerticalPodAutoscaler (VPA) recommends of CPU, and when its updater acts, re-implemented from its
published sources to stand beside SRv6-INT's local loop. Pure; all of it in percent of a core.

Sources, all in kubernetes/autoscaler, vertical-pod-autoscaler/pkg at 55c37cd5 (after v1.7.1): recommender/config
(percentiles, margin, least, interval), recommender/logic/{recommender,estimator}.go (bounds, confidence),
recommender/model/aggregations_config.go (buckets, half-life), recommender/util/{histogram,decaying_histogram}.go,
updater/config and updater/priority/update_priority_calculator.go (when it acts).

Memory is left out: no NF here has a limit of it. In its favour, it acts in place, as its mode InPlaceOrRecreate does
where that is possible, and on a single replica (`minReplicas` 1; its default leaves a single one alone): an eviction
would lose what the NF is sent until it runs again.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

RECOMMEND_S = 60.0
"""`--recommender-interval`, and `--updater-interval` alike."""
LOWER, TARGET, UPPER = 0.5, 0.9, 0.95
"""Percentiles of use."""
MARGIN = 1.15
"""1 + `--recommendation-margin-fraction`."""
LEAST_PERCENT = 2.5
"""`--pod-recommendation-min-cpu-millicores`: 25."""
HALF_LIFE_S = 24 * 3600.0
"""`--cpu-histogram-decay-half-life`."""
CONFIDENT_S = 24 * 3600.0
"""`--confidence-interval-cpu`."""
FIRST_PERCENT, GROWTH = 1.0, 1.05
"""The first bucket is .01 of a core wide, and each next one wider by 5 %."""
LIVED_S, CHANGED = 12 * 3600.0, 0.1
"""Within the bounds it acts on a pod only that lived so long, for a change of so much (`--pod-update-threshold`)."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Percent of a core."""

    lower: float
    target: float
    upper: float


@dataclass
class History:
    """Samples of use, which lose half of their weight with each half-life."""

    weights: dict[int, float] = field(default_factory=dict[int, float])
    """By bucket; grows with time instead of decaying, which is the same."""
    samples: int = 0
    first_s: float = 0.0
    last_s: float = 0.0

    def add(self, used_percent: float, at_s: float) -> None:
        """One sample, later than all before."""
        self.first_s = at_s if self.samples == 0 else self.first_s
        self.last_s = at_s
        self.samples += 1
        bucket, weight = bucket_of(used_percent), 2 ** ((at_s - self.first_s) / HALF_LIFE_S)
        self.weights[bucket] = self.weights.get(bucket, 0.0) + weight

    def percentile(self, share: float) -> float:
        """The end of the bucket in which that share of the weight is reached; 0 where there are no samples."""
        threshold, found = share * sum(self.weights.values()), 0.0
        for bucket in sorted(self.weights):
            found += self.weights[bucket]
            if found >= threshold:
                return start_of(bucket + 1)
        return 0.0

    @property
    def confidence(self) -> float:
        """In days: of the time from first to last sample, or of samples once a minute, whichever are fewer."""
        return min((self.last_s - self.first_s) / CONFIDENT_S, 60 * self.samples / CONFIDENT_S)

    def recommendation(self) -> Recommendation:
        """Bounds are the wider the less there is to go by: below x (1 + .001 / days)^-2, above x (1 + 1 / days)."""
        days = self.confidence
        below = (1 + 0.001 / days) ** -2 if days > 0 else 0.0
        above = 1 + 1 / days if days > 0 else math.inf
        lower, target, upper = (MARGIN * self.percentile(share) for share in (LOWER, TARGET, UPPER))
        return Recommendation(*(max(LEAST_PERCENT, each) for each in (lower * below, target, upper * above)))


def of(samples: Iterable[tuple[float, float]]) -> History:
    """(When in seconds, percent used), in order of time."""
    history = History()
    for at_s, used in samples:
        history.add(used, at_s)
    return history


def is_due(requested: float, found: Recommendation, lived_s: float) -> bool:
    """Whether the updater gives it the target: what was requested is outside the bounds, or within them, but the pod is
    old and the change worth it."""
    outside = not found.lower <= requested <= found.upper
    return outside or (lived_s >= LIVED_S and abs(found.target - requested) / requested >= CHANGED)


def bucket_of(percent: float) -> int:
    """Exponential buckets."""
    if percent < FIRST_PERCENT:
        return 0
    return int(math.log(percent * (GROWTH - 1) / FIRST_PERCENT + 1) / math.log(GROWTH))


def start_of(bucket: int) -> float:
    """Where it begins, in percent."""
    return FIRST_PERCENT * (GROWTH**bucket - 1) / (GROWTH - 1)
