"""What a plan gains over what runs now: throughput with its interval, objectives restored and broken, trust."""

from collections.abc import Mapping
from math import hypot

from sextant_domain.base import Frozen, Name, Provenance
from sextant_domain.plans.evidence import ModelUse
from sextant_domain.plans.plan import ChainPrediction, PlanBody, SloVerdict
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.plans.trust import TrustVerdict

from sextant_engine.planning.standing import standing

_FROM_THE_WORST = (TrustVerdict.DISTRUSTED, TrustVerdict.UNTESTED, TrustVerdict.TRUSTED)


class PlanGain(Frozen):
    """Of the chains on the hosts that a plan changes, against the same hosts as they are."""

    mpps: float
    """Value x Mpps, before the price of moves."""
    low_mpps: float | None
    """Of the 95 % interval; None where a chain that gains or loses is predicted without one."""
    high_mpps: float | None
    percent: float | None
    """Of value x Mpps that these hosts' chains carry now, by prediction; None where that is nothing."""
    provenance: Provenance
    restores: tuple[Name, ...]
    breaks: tuple[Name, ...]
    """Chains whose throughput SLO is met now and would be missed: like `restores` by measurement where there is one."""
    trust: TrustVerdict
    """The least of the models that the plan rests on."""
    trust_why: str
    now: tuple[ChainPrediction, ...]
    """What is predicted of these hosts' chains as they stand."""


def gain_of(snapshot: FleetSnapshot, body: PlanBody, meets: Mapping[str, bool] | None = None) -> PlanGain:
    """`body` must have been made of `snapshot`. Chains without a prediction on both sides count nothing.

    `meets`: whether a chain meets its throughput SLO by measurement, whatever is predicted of it.
    """
    measured = meets or {}
    values = {spec.name: spec.value for spec in snapshot.chains}
    before = {one.chain: one for one in standing(snapshot, [base.host for base in body.base])}
    pairs = [_chosen_by(before[after.chain], after) for after in body.predictions if after.chain in before]
    gain = sum(
        values.get(now.chain, 1.0) * (_mpps(then) - _mpps(now)) for now, then in pairs if _is_predicted(now, then)
    )
    present = sum(values.get(now.chain, 1.0) * _mpps(now) for now, then in pairs if _is_predicted(now, then))
    width = _half_width(pairs, values)
    assumed = any(Provenance.ASSUMED in (now.provenance, then.provenance) for now, then in pairs)
    trust, why = _least(body.evidence.models)
    return PlanGain(
        mpps=gain,
        low_mpps=None if width is None else gain - width,
        high_mpps=None if width is None else gain + width,
        percent=100 * gain / present if present > 0 else _of_nothing(gain),
        provenance=Provenance.ASSUMED if assumed else Provenance.PREDICTED,
        restores=tuple(now.chain for now, then in pairs if _misses(now, measured) and _is_restored(now, then)),
        breaks=tuple(now.chain for now, then in pairs if _is_missed(then) and not _misses(now, measured)),
        trust=trust,
        trust_why=why,
        now=tuple(before.values()),
    )


def _chosen_by(now: ChainPrediction, then: ChainPrediction) -> tuple[ChainPrediction, ChainPrediction]:
    """By the predictor that chose the place. Where that is not the one of the plan's figures, how far off both may be
    together is not known."""
    _, figures = then.by_chooser or (None, None)
    if figures is None or figures.before_mpps is None:
        return now, then
    none = {"low_mpps": None, "high_mpps": None}
    return (
        now.model_copy(update={"throughput_mpps": figures.before_mpps, **none}),
        then.model_copy(update={"throughput_mpps": figures.throughput_mpps, **none}),
    )


def _of_nothing(gain: float) -> float | None:
    return None if gain else 0.0


def _is_predicted(now: ChainPrediction, then: ChainPrediction) -> bool:
    return now.throughput_mpps is not None and then.throughput_mpps is not None


def _mpps(one: ChainPrediction) -> float:
    return one.throughput_mpps or 0.0


def _half_width(pairs: list[tuple[ChainPrediction, ChainPrediction]], values: dict[str, float]) -> float | None:
    """Root of the sum of squares, as though the errors of all predictions were independent; a chain of which nothing
    changes has the same error twice, which cancels."""
    total = 0.0
    for now, then in pairs:
        if _mpps(now) == _mpps(then):
            continue
        for one in (now, then):
            if one.low_mpps is None or one.high_mpps is None:
                return None
            total = hypot(total, values.get(one.chain, 1.0) * (one.high_mpps - one.low_mpps) / 2)
    return total


def _is_missed(one: ChainPrediction) -> bool:
    return one.throughput_slo is SloVerdict.MISSED


def _misses(now: ChainPrediction, meets: Mapping[str, bool]) -> bool:
    """By measurement, and where there is none by prediction."""
    return not meets[now.chain] if now.chain in meets else _is_missed(now)


def _is_restored(now: ChainPrediction, then: ChainPrediction) -> bool:
    return then.throughput_slo is SloVerdict.MET and _mpps(then) > _mpps(now)


def _least(models: tuple[ModelUse, ...]) -> tuple[TrustVerdict, str]:
    verdicts = [
        (_FROM_THE_WORST.index(use.trust or TrustVerdict.UNTESTED), use.nf_type, use.trust_why or "no outcome yet")
        for use in models
    ]
    if not verdicts:
        return TrustVerdict.UNTESTED, "it rests on no model"
    worst, nf_type, why = min(verdicts)
    return _FROM_THE_WORST[worst], f"{nf_type}: {why}"
