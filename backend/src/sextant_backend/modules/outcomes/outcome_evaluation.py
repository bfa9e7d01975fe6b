"""What an outcome shows, and what outcomes together say of a predictor: pure, with the arithmetic of trust."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean
from typing import NamedTuple

from sextant_domain.plans.trust import JudgedModel, Outcome, OutcomeTest, Spread, Trust, TrustVerdict
from sextant_engine.modelling.conformal import FEWEST_FOR_COVERAGE, half_width

LOST = 0.01
"""A chain that lacks more than this share of what it was offered did not carry it."""
NEARLY = 0.95
"""Of what a port's line is reckoned to bring: so much came of it, or the chain itself held packets up."""
NEEDED = 3
"""Informative outcomes before a verdict; of as many placed chains before it is trusted."""
LATEST = 20
"""Informative outcomes that count, the newest."""
COVERED = 0.95
"""Of outcomes lie inside the interval, if it holds."""
UNLIKELY = 0.05
"""So few inside would be seen this seldom if it did."""
MOST_PERCENT = 100.0
"""An outcome's error counts no more: of a chain that was predicted to carry nothing it is without bound."""


def outcome_test(
    capacity_mpps: float, line_mpps: float | None, offered_mpps: float, measured_mpps: float
) -> OutcomeTest:
    """Whether the prediction was tested: as much was offered as the chain was predicted to be able to carry, or it did
    not carry what it was offered. A full port holds up packets of which no NF ever knows."""
    if line_mpps is not None and line_mpps < min(capacity_mpps, offered_mpps) and measured_mpps >= line_mpps * NEARLY:
        return OutcomeTest.PORT_FULL
    if offered_mpps >= capacity_mpps or measured_mpps < offered_mpps * (1 - LOST):
        return OutcomeTest.INFORMATIVE
    return OutcomeTest.OFFERED_TOO_LITTLE


@dataclass(frozen=True, slots=True)
class NfExpected:
    """What a prediction says of one NF of its chain."""

    nf_id: str
    nf_type: str
    version: str | None
    """Of its model; None where there is none to judge."""
    predicted_mpps: float | None
    """Of what the chain is offered; None where the prediction says nothing of it alone."""


@dataclass(frozen=True, slots=True)
class ChainExpected:
    """A chain's prediction, as far as it is judged."""

    bottleneck: str
    """NF id."""
    nf_type: str
    version: str
    predicted_mpps: float
    low_mpps: float | None
    high_mpps: float | None


def judged(
    expected: ChainExpected, limit: NfExpected | None, test: OutcomeTest, measured_mpps: float, band_percent: float
) -> tuple[JudgedModel, ...]:
    """The models that a measurement is laid beside, of the measured bottleneck (`limit`) first.

    Where another NF limits the chain than was predicted, that one's model has said too much. The predicted one's was
    not tested, unless the chain carried more than it said was possible: `band_percent` above, and outside its interval.
    """
    elsewhere = limit is not None and limit.nf_id != expected.bottleneck and test is OutcomeTest.INFORMATIVE
    most = max(expected.predicted_mpps * (1 + band_percent / 100), expected.high_mpps or 0.0)
    own = JudgedModel(
        nf_id=expected.bottleneck,
        nf_type=expected.nf_type,
        version=expected.version,
        predicted_mpps=expected.predicted_mpps,
        low_mpps=expected.low_mpps,
        high_mpps=expected.high_mpps,
        counts=test is OutcomeTest.INFORMATIVE and (not elsewhere or measured_mpps > most),
    )
    if not elsewhere or limit is None or limit.version is None:
        return (own,)
    floor = expected.predicted_mpps if limit.predicted_mpps is None else limit.predicted_mpps
    other = JudgedModel(
        nf_id=limit.nf_id,
        nf_type=limit.nf_type,
        version=limit.version,
        predicted_mpps=floor,
        # A floor is not what it was predicted to carry: that more was carried says nothing of its model.
        counts=limit.predicted_mpps is not None or measured_mpps < floor,
    )
    return (other, own)


class ModelTest(NamedTuple):
    """A measurement that tests a model."""

    plan_id: int
    chain: str
    predicted_mpps: float
    low_mpps: float | None
    high_mpps: float | None
    measured_mpps: float

    @property
    def error_percent(self) -> float:
        """The difference, in percent of predicted; none counts as more than wholly wrong."""
        error = 100 * (self.measured_mpps - self.predicted_mpps) / max(self.predicted_mpps, 1e-9)
        return max(-MOST_PERCENT, min(MOST_PERCENT, error))

    @property
    def has_interval(self) -> bool:
        return self.low_mpps is not None and self.high_mpps is not None

    @property
    def is_inside(self) -> bool:
        if self.low_mpps is None or self.high_mpps is None:
            return False
        return self.low_mpps <= self.measured_mpps <= self.high_mpps


@dataclass(frozen=True, slots=True)
class Key:
    """What is trusted: a model in use on a host model, for one predictor."""

    nf_type: str
    host_model: str
    predictor: str
    version: str


class SpreadOutcome(NamedTuple):
    """What an outcome says of how far off its prediction was."""

    plan_id: int
    chain: str
    predicted_mpps: float
    measured_mpps: float


def spread_of(host_model: str, predictor: str, outcomes: Sequence[SpreadOutcome]) -> Spread | None:
    """`outcomes`: with any models of the host model, the newest first. None of fewer than 19 placed chains.

    A chain counts once for each plan that placed it, with its newest window: what it carries today says little of
    another chain that what it carried yesterday did not. The half width is conformal: of n errors, as shares of what
    was predicted, the one of rank ceil(0.95 (n + 1)), which is no rank of fewer than 19.
    """
    newest: dict[tuple[int, str], float] = {}
    for one in outcomes:
        if one.predicted_mpps > 0:
            newest.setdefault((one.plan_id, one.chain), abs(one.measured_mpps / one.predicted_mpps - 1))
    width = half_width(list(newest.values())) if len(newest) >= FEWEST_FOR_COVERAGE else None
    if width is None:
        return None
    return Spread(host_model=host_model, predictor=predictor, half_width=width, outcomes=len(newest))


def trust_of(
    key: Key, informative: Sequence[ModelTest], uninformative: int, last: Outcome | None, band_percent: float
) -> Trust:
    """`informative`: the newest first, no more than `LATEST`."""
    errors = [one.error_percent for one in informative]
    error = fmean(map(abs, errors)) if errors else None
    with_interval = [one for one in informative if one.has_interval]
    inside = sum(one.is_inside for one in with_interval)
    verdict, why = _verdict(len(informative), error, inside, len(with_interval), band_percent)
    placed = len({(one.plan_id, one.chain) for one in informative})
    if verdict is TrustVerdict.TRUSTED and placed < NEEDED:
        verdict, why = TrustVerdict.UNTESTED, f"{why}, of {placed} of the {NEEDED} placed chains that are needed"
    return Trust(
        nf_type=key.nf_type,
        host_model=key.host_model,
        predictor=key.predictor,
        version=key.version,
        informative=len(informative),
        uninformative=uninformative,
        error_percent=error,
        bias_percent=fmean(errors) if errors else None,
        coverage_percent=100 * inside / len(with_interval) if with_interval else None,
        band_percent=band_percent,
        verdict=verdict,
        why=why,
        last=last,
    )


def _verdict(
    informative: int, error: float | None, inside: int, with_interval: int, band_percent: float
) -> tuple[TrustVerdict, str]:
    if informative < NEEDED or error is None:
        missing = f"{informative} of the {NEEDED} informative outcomes that are needed"
        return TrustVerdict.UNTESTED, f"{missing}: a chain gives one where it is offered as much as it can carry"
    intervals = (
        f"{inside} of {with_interval} outcomes inside their intervals" if with_interval else f"{informative} outcomes"
    )
    why = f"{intervals}, mean error {error:.1f} %"
    if error > band_percent:
        return TrustVerdict.DISTRUSTED, f"{why}, more than {band_percent:g} %"
    if with_interval and _chance_of_so_few(inside, with_interval) < UNLIKELY:
        return TrustVerdict.DISTRUSTED, f"{why}: too few inside"
    return TrustVerdict.TRUSTED, why


def _chance_of_so_few(inside: int, of: int) -> float:
    """That no more than `inside` of them lie in intervals that hold 95 % each: the binomial distribution's tail."""
    return sum(comb(of, k) * COVERED**k * (1 - COVERED) ** (of - k) for k in range(inside + 1))
