"""Which counter shows how much an NF presses on others (Octans, Sec. IV-A), and whether any does.

R1, Eq. 5: values hardly vary beside competitors. Each is divided by the metric's maximum over all NF types, since
values of one NF stretched to [0, 1] could never pass. R2, Eq. 6: alone, it goes with ideal throughput over NF types.
Property 1 is tested too, which the paper assumes: the higher the metric, the less a fixed reporter loses to the NF.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean

import numpy as np
from sextant_domain.profiling.fit import MetricAlone, MetricScore, MetricSelection, MetricStability
from sextant_domain.profiling.job import PointPurpose

from sextant_engine.modelling.predictor import CYCLES, Profiles, Sample
from sextant_engine.modelling.scale import BETTER
from sextant_engine.modelling.weights import values_of, without_any

MOST_VARIANCE = 0.01
LEAST_CORRELATION = 0.9
LEAST_TYPES = 3
"""Two points are always on a line."""
LEAST_NUMBERS = 3
"""Of competitors on the NF's node (Fig. 4a): beside one or two nothing has had to stay as it is."""
Beside = Mapping[str, Sequence[Sample]]
"""By NF type, its samples beside others."""


def select_metric(
    profiles: Profiles, in_use: str | None = None, error_of: Callable[[str], float] | None = None
) -> MetricSelection:
    """Every count of the profiles against the requirements, and the one to use.

    Of those that qualify, the one that goes best with throughput; `in_use` stays while it qualifies. Where none does,
    the requirements do not say which predicts: the one whose models err least on mixes and on NF types that they have
    not seen (`error_of`: of drops), or `in_use` while none is plainly better; without errors the one that misses the
    requirements by least. Mixes alone would not do: misses that are nearly 0 for some types may predict the mixes of
    types that are known, and be off by ten times the throughput for one that is not. A metric that was not counted of
    every NF type alone is never used.
    """
    names = sorted({name for counts in profiles.counts_alone.values() for name in counts})
    beside, lost = _beside_others(profiles), _lost_by_reporter(profiles)
    scores = tuple(_score(profiles, beside, lost, name) for name in names)
    qualified = [score for score in scores if score.qualifies]
    usable = [score for score in scores if not _unweighed(profiles, score.metric)]
    errors = {score.metric: error_of(score.metric) for score in usable} if error_of and not qualified else {}
    used = _used(qualified or usable, in_use, errors)
    return MetricSelection(
        host_model=profiles.host_model,
        chosen=used if qualified else None,
        used=used,
        scores=scores,
        stability=tuple(_stability(profiles, beside, used)),
        alone=tuple(
            MetricAlone(nf_type=nf_type, value=counts[used], ideal_mpps=profiles.ideal[nf_type].local)
            for nf_type, counts in sorted(profiles.counts_alone.items())
            if used in counts and nf_type in profiles.ideal
        ),
        note="; ".join(_notes(profiles, scores, used, errors)) or None,
    )


def _used(found: Sequence[MetricScore], in_use: str | None, errors: Mapping[str, float]) -> str:
    def rank(score: MetricScore) -> tuple[float, tuple[float, float, str]]:
        return errors.get(score.metric, 0.0), _distance(score)

    best = min(found, key=rank, default=None)
    kept = next((score for score in found if score.metric == in_use), best)
    if kept is None or best is None:
        return CYCLES
    worse = errors and BETTER * errors[kept.metric] > errors[best.metric]
    return best.metric if worse else kept.metric


def _unweighed(profiles: Profiles, name: str) -> list[str]:
    """NF types that it gives no weight: it was not counted of them, or is 0 of all."""
    weighed = values_of(profiles, name)
    return sorted(nf_type for nf_type in profiles.counts_alone if nf_type not in weighed)


def _score(profiles: Profiles, beside: Beside, lost: Mapping[str, float], name: str) -> MetricScore:
    variance = _variance(profiles, beside, name)
    correlation = _correlation(
        (counts[name], profiles.ideal[nf_type].local)
        for nf_type, counts in profiles.counts_alone.items()
        if name in counts and nf_type in profiles.ideal
    )
    aggressiveness = _aggressiveness(profiles, lost, name)
    why_not = "; ".join(_failings(profiles, name, variance, correlation, aggressiveness)) or None
    return MetricScore(
        metric=name,
        variance=variance,
        correlation=correlation,
        aggressiveness=aggressiveness,
        qualifies=why_not is None,
        why_not=why_not,
    )


def _failings(
    profiles: Profiles, name: str, variance: float | None, correlation: float | None, aggressiveness: float | None
) -> Iterable[str]:
    if bare := _unweighed(profiles, name):
        yield f"not counted, or always 0, for {', '.join(bare)}: no weight can be made of it"
    if variance is None:
        yield f"no NF type was measured beside {LEAST_NUMBERS} different numbers of competitors: variance not known"
    elif variance > MOST_VARIANCE:
        yield f"variance {variance:.3g} beside competitors, above {MOST_VARIANCE}"
    if correlation is None:
        yield f"fewer than {LEAST_TYPES} NF types of different speed were measured solo: no correlation"
    elif abs(correlation) < LEAST_CORRELATION:
        yield f"|r| = {abs(correlation):.2f} with ideal throughput, below {LEAST_CORRELATION}"
    if aggressiveness is not None and aggressiveness >= 0:
        yield f"NF types with more of it take more from a reporter (Spearman {aggressiveness:+.2f}), against Property 1"


def _distance(score: MetricScore) -> tuple[float, float, str]:
    """How far from all requirements: each part by which one is missed, 1 where it cannot be determined; then |r|."""
    missed = 1.0 if score.variance is None else max(0.0, sqrt(score.variance / MOST_VARIANCE) - 1)
    missed += 1.0 if score.correlation is None else max(0.0, 1 - abs(score.correlation) / LEAST_CORRELATION)
    missed += 0.0 if score.aggressiveness is None else max(0.0, score.aggressiveness)
    return missed, -abs(score.correlation or 0.0), score.metric


def _beside_others(profiles: Profiles) -> Beside:
    """By NF type, samples on the local node without a chain, where the metric of Eq. 7 is taken."""
    return {
        nf_type: [
            sample
            for sample in profiles.plain(nf_type)
            if sample.setting.local and len(sample.setting.chain) == 1 and sample.setting.others
        ]
        for nf_type in profiles.samples
    }


def _variance(profiles: Profiles, beside: Beside, name: str) -> float | None:
    """Eq. 5, of the NF type where it is largest; None where none was counted beside LEAST_NUMBERS of competitors."""
    counted = {nf_type: [one for one in samples if name in one.counts] for nf_type, samples in beside.items()}
    values = {nf_type: [one.counts[name] for one in samples] for nf_type, samples in counted.items()}
    varied = {nf_type for nf_type, found in counted.items() if len(_numbers(found)) >= LEAST_NUMBERS}
    alone = [counts[name] for counts in profiles.counts_alone.values() if name in counts]
    most = max([*alone, *(value for found in values.values() for value in found)], default=0.0)
    variances = [float(np.var(found)) / most**2 for nf_type, found in values.items() if nf_type in varied and most > 0]
    return max(variances, default=None)


def _numbers(samples: Iterable[Sample]) -> set[int]:
    """Of competitors on the subject's own node: those elsewhere share no cache with it."""
    settings = [sample.setting for sample in samples]
    return {sum(other.node == one.subject.node for other in one.others) for one in settings} - {0}


def _correlation(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Pearson's r (Eq. 6); None for fewer than three points, or where one of both never changes."""
    found = np.array(list(pairs))
    if len(found) < LEAST_TYPES or np.any(np.ptp(found, axis=0) == 0):
        return None
    return float(np.clip(np.corrcoef(found.T)[0, 1], -1, 1))


def _aggressiveness(profiles: Profiles, lost: Mapping[str, float], name: str) -> float | None:
    """Spearman's rank correlation of the metric with what the reporter loses to each type."""
    pairs = [
        (profiles.counts_alone[nf_type][name], drop)
        for nf_type, drop in lost.items()
        if name in profiles.counts_alone.get(nf_type, {})
    ]
    if len(pairs) < LEAST_TYPES:
        return None
    return _correlation(zip(*map(ranks, zip(*pairs, strict=True)), strict=True))


def ranks(values: Sequence[float]) -> list[float]:
    """Of each value its place among all from the least, from 1; those that are equal share the mean of their places.

    As scipy.stats.rankdata, whose import takes four times as long as all else that a study or a fit imports."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean: list[float] = (np.cumsum(counts) - (counts - 1) / 2)[place].tolist()
    return mean


def _lost_by_reporter(profiles: Profiles) -> Mapping[str, float]:
    """What a fixed reporter loses to as many NFs of each type (Fig. 5a), on average.

    Reporters lose differently, and to different numbers of competitors: of (reporter, number) the one that was put
    beside most types.
    """
    lost: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for sample in profiles.every_sample():
        if sample.setting.purpose is PointPurpose.CONTENTIOUSNESS:
            types = {other.nf_type for other in sample.setting.others}
            if len(types) == 1:
                lost[sample.setting.subject.nf_type, len(sample.setting.others)][types.pop()].append(sample.drop)
    best = max(lost.items(), key=lambda item: (len(item[1]), item[0]), default=(None, {}))[1]
    return {nf_type: fmean(drops) for nf_type, drops in best.items()}


def _stability(profiles: Profiles, beside: Beside, name: str) -> Iterable[MetricStability]:
    """Figure 4a: means over samples with as many competitors, 0 being alone."""
    for nf_type, samples in sorted(beside.items()):
        values: dict[int, list[float]] = defaultdict(list)
        if name in profiles.counts_alone.get(nf_type, {}):
            values[0].append(profiles.counts_alone[nf_type][name])
        for sample in samples:
            if name in sample.counts:
                values[len(sample.setting.others)].append(sample.counts[name])
        if values:
            numbers = tuple(sorted(values))
            yield MetricStability(
                nf_type=nf_type, competitors=numbers, values=tuple(fmean(values[number]) for number in numbers)
            )


def _notes(profiles: Profiles, scores: Iterable[MetricScore], used: str, errors: Mapping[str, float]) -> Iterable[str]:
    found = next((score for score in scores if score.metric == used), None)
    if found is None:
        yield "no count is known of every NF type: measure each of them alone"
        return
    if not found.qualifies:
        why = f"errs least on what was held out, by {100 * errors[used]:.2f} points" if errors else "comes nearest"
        yield f"no metric qualifies; {used} {why}: {found.why_not}. Models made with it are not validated"
    elif found.aggressiveness is None:
        yield "Property 1 was not tested: measure how much a reporter loses to at least three NF types"
    if none := without_any(profiles, used):
        yield f"{used} is 0 for {', '.join(none)}: taken as the least of the other NF types"
