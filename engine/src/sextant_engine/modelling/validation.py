"""How predictors do on what they have not seen: whole mixes of competitors held out, or whole NF types; never samples.

A sample's neighbours (the same mix beside another NF, repeated on another day) would give it away if they stayed.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean, median
from typing import Literal, NamedTuple

from sextant_domain.profiling.fit import FittedPoint, ValidationScore

from sextant_engine.modelling.predictor import Predictor, Profiles, Sample

Split = Literal["nf", "mix"]

MOST_FOLDS = 10
INFORMATIVE_DROP = 0.05
"""Drops below it have no relative error worth naming: noise over nearly nothing."""


@dataclass(frozen=True, slots=True)
class Fold:
    """What one fit must not see, and what it is asked then."""

    name: str
    """The NF type that is held out; empty for mixes."""
    without: frozenset[int]
    without_types: frozenset[str]
    asked: tuple[Sample, ...]


class HeldOut(NamedTuple):
    """A sample, and what was predicted of it by a fit that had not seen its fold. A plain tuple: a cross-validation
    makes thousands of them."""

    sample: Sample
    fold: int
    held_out_type: str
    """Of the split `nf`; empty for mixes."""
    predicted: float | None
    half_width: float | None = None
    """Of the 95 % interval; `conformal.with_intervals` adds it."""
    deviation: float | None = None
    """That the predictor expects of itself: by it intervals are wider where it knows less."""

    @property
    def asked(self) -> tuple[int, int]:
        """Point and fold: what was asked, whichever predictor answered."""
        return self.sample.point_id, self.fold

    @property
    def residual(self) -> float | None:
        """Measured less predicted drop."""
        return None if self.predicted is None else self.sample.drop - self.predicted


def folds_of(profiles: Profiles, split: Split) -> tuple[Fold, ...]:
    """Deterministic. Samples with bubbles and a reporter are held out with their mix, and never asked."""
    return _by_mix(profiles) if split == "mix" else _by_type(profiles)


def cross_validate(
    predictor: Predictor, profiles: Profiles, split: Split, folds: Sequence[Fold] | None = None
) -> tuple[HeldOut, ...]:
    """One fit a fold. With `mix` every plain sample is there once, by point id; with `nf` once for each other type in
    it. None where there are fewer than two folds: nothing could be learnt for one from the other.

    `folds`: those of the split, where they are known already.
    """
    folds = folds_of(profiles, split) if folds is None else folds
    if len(folds) < 2:
        return ()
    found = []
    for number, fold in enumerate(folds):
        fitted = predictor.fit(profiles, fold.without, fold.without_types)
        predicted = zip(fold.asked, fitted.drops(fold.asked), fitted.deviations(fold.asked), strict=True)
        found += [HeldOut(sample, number, fold.name, _finite(drop), None, sd) for sample, drop, sd in predicted]
    return tuple(sorted(found, key=lambda one: one.sample.point_id))  # and by fold: sorting keeps the order of equals


def scores_of(split: Split, held_out: Mapping[str, Sequence[HeldOut]]) -> tuple[ValidationScore, ...]:
    """Of each predictor (`held_out`: by its name) over all NF types, then by NF type: with `mix` that of the subject,
    with `nf` the one that was held out. Scored are samples for which every predictor has a prediction, so that all
    are scored on the same ones; a predictor that has none for any of them does not count in this."""
    by_type = by_subject if split == "mix" else _by_held_out_type
    groups = {name: {None: held, **by_type(held)} for name, held in held_out.items()}
    types = sorted({nf_type for group in groups.values() for nf_type in group}, key=lambda nf_type: nf_type or "")
    common = {nf_type: _common([group.get(nf_type, ()) for group in groups.values()]) for nf_type in types}
    return tuple(
        _score(name, split, nf_type, group[nf_type], common[nf_type])
        for name, group in groups.items()
        for nf_type in types
        if nf_type in group
    )


def _common(held_out: Iterable[Sequence[HeldOut]]) -> frozenset[tuple[int, int]]:
    """Points in their folds that are predicted by all predictors that predict any at all."""
    predicted = [frozenset(one.asked for one in held if one.predicted is not None) for held in held_out]
    informative = [points for points in predicted if points]
    return frozenset.intersection(*informative) if informative else frozenset()


def by_subject(held_out: Iterable[HeldOut]) -> Mapping[str, Sequence[HeldOut]]:
    """By the NF type whose drop is asked for."""
    groups: dict[str, list[HeldOut]] = defaultdict(list)
    for one in held_out:
        groups[one.sample.setting.subject.nf_type].append(one)
    return groups


def _by_held_out_type(held_out: Iterable[HeldOut]) -> Mapping[str, Sequence[HeldOut]]:
    groups: dict[str, list[HeldOut]] = defaultdict(list)
    for one in held_out:
        groups[one.held_out_type].append(one)
    return groups


def fitted_points(held_out: Iterable[HeldOut]) -> tuple[FittedPoint, ...]:
    """Those of which something was predicted."""
    return tuple(
        FittedPoint(
            point_id=one.sample.point_id,
            measured_drop=one.sample.drop,
            standard_error=one.sample.drop_error,
            predicted_drop=one.predicted,
            half_width=one.half_width,
        )
        for one in held_out
        if one.predicted is not None
    )


def _by_mix(profiles: Profiles) -> tuple[Fold, ...]:
    """At most 10 of about equal size: the largest mixes first, each to the fold with the fewest samples so far."""
    mixes: dict[tuple[str, ...], list[Sample]] = defaultdict(list)
    for sample in profiles.every_sample():
        mixes[sample.mix()].append(sample)
    plain = _plain_points(profiles)
    asked = {mix: [one for one in samples if one.point_id in plain] for mix, samples in mixes.items()}
    folds: list[list[tuple[str, ...]]] = [[] for _ in range(min(MOST_FOLDS, sum(map(bool, asked.values()))))]
    sizes = [0] * len(folds)
    for mix in sorted((mix for mix in mixes if asked[mix]), key=lambda mix: (-len(asked[mix]), mix)):
        smallest = sizes.index(min(sizes))
        folds[smallest].append(mix)
        sizes[smallest] += len(asked[mix])
    return tuple(
        Fold(
            name="",
            without=frozenset(one.point_id for mix in fold for one in mixes[mix]),
            without_types=frozenset(),
            asked=tuple(one for mix in fold for one in asked[mix]),
        )
        for fold in folds
    )


def _by_type(profiles: Profiles) -> tuple[Fold, ...]:
    """One an NF type that competes: what others lose to it must be predicted from it alone, and from its reporter."""
    plain = _plain_points(profiles)
    asked: dict[str, list[Sample]] = defaultdict(list)
    for sample in profiles.every_sample():
        if sample.point_id in plain:
            for name in {other.nf_type for other in sample.setting.others}:
                asked[name].append(sample)
    return tuple(
        Fold(name=name, without=frozenset(), without_types=frozenset({name}), asked=tuple(asked[name]))
        for name in sorted(asked)
    )


def _plain_points(profiles: Profiles) -> frozenset[int]:
    return frozenset(sample.point_id for nf_type in profiles.samples for sample in profiles.plain(nf_type))


def _finite(drop: float | None) -> float | None:
    """A fit that ran away predicts nothing that could be averaged; NaN is not None, and infinity is no drop."""
    return drop if drop is not None and abs(drop) < float("inf") else None


def _score(
    predictor: str,
    split: Split,
    nf_type: str | None,
    held_out: Sequence[HeldOut],
    common: frozenset[tuple[int, int]],
) -> ValidationScore:
    pairs = [(one, one.predicted) for one in held_out if one.predicted is not None and one.asked in common]
    errors = [abs(one.sample.drop - predicted) for one, predicted in pairs]
    relative = [
        abs(one.sample.drop - predicted) / one.sample.drop
        for one, predicted in pairs
        if one.sample.drop >= INFORMATIVE_DROP
    ]
    # |m' - m| / m with m = ideal (1 - drop): the ideal cancels.
    throughput = [
        abs(one.sample.drop - predicted) / (1 - one.sample.drop) for one, predicted in pairs if one.sample.drop < 1
    ]
    widths = [(one, one.half_width) for one, _ in pairs if one.half_width is not None]
    covered = [abs(one.residual or 0.0) <= width for one, width in widths]
    return ValidationScore(
        predictor=predictor,
        split=split,
        nf_type=nf_type,
        samples=len(pairs),
        unpredicted=sum(one.predicted is None for one in held_out),
        error_points=_percent(errors),
        error_p95_points=100 * _quantile(errors, 0.95) if errors else None,
        relative_percent=_percent(relative),
        throughput_percent=_percent(throughput),
        coverage_percent=_percent(covered),
        median_width_points=100 * 2 * median(width for _, width in widths) if widths else None,
    )


def _percent(shares: Sequence[float]) -> float | None:
    return 100 * fmean(shares) if shares else None


def _quantile(values: Sequence[float], share: float) -> float:
    """The least value that at least this share of them does not exceed."""
    return sorted(values)[ceil(share * len(values)) - 1]
