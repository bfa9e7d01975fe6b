"""What a plan gains over what runs now: throughput with its interval, objectives mended and broken, trust."""

from math import hypot

from sextant_domain.base import Frozen, Name, Provenance
from sextant_domain.evidence import ModelUse
from sextant_domain.plan import ChainPrediction, PlanBody, SloVerdict
from sextant_domain.snapshot import FleetSnapshot
from sextant_domain.trust import TrustVerdict

from sextant_engine.planning.standing import standing

_FROM_THE_WORST = (TrustVerdict.DISTRUSTED, TrustVerdict.UNTESTED, TrustVerdict.TRUSTED)


class Gain(Frozen):
    """Of the chains on the hosts that a plan changes, against the same hosts as they are."""

    mpps: float
    """Value x Mpps, before the price of moves."""
    low_mpps: float | None
    """Of the 95 % interval; None where a chain that gains or loses is predicted without one."""
    high_mpps: float | None
    percent: float
    """Of value x Mpps that these hosts' chains carry now; 0 where they carry nothing."""
    provenance: Provenance
    mends: tuple[Name, ...]
    breaks: tuple[Name, ...]
    trust: TrustVerdict
    """The least of the models that the plan rests on."""
    trust_why: str


def gain_of(snapshot: FleetSnapshot, body: PlanBody, missed: frozenset[str] = frozenset()) -> Gain:
    """`body` must have been made of `snapshot`. Chains without a prediction on both sides count nothing.

    `missed`: chains that miss their throughput SLO by measurement, whatever is predicted of them.
    """
    values = {spec.name: spec.value for spec in snapshot.chains}
    before = {one.chain: one for one in standing(snapshot, [base.host for base in body.base])}
    pairs = [(before[after.chain], after) for after in body.predictions if after.chain in before]
    gain = sum(values.get(now.chain, 1.0) * (_mpps(then) - _mpps(now)) for now, then in pairs if _is_told(now, then))
    present = sum(values.get(now.chain, 1.0) * _mpps(now) for now, then in pairs if _is_told(now, then))
    width = _half_width(pairs, values)
    assumed = any(Provenance.ASSUMED in (now.provenance, then.provenance) for now, then in pairs)
    trust, why = _least(body.evidence.models)
    return Gain(
        mpps=gain,
        low_mpps=None if width is None else gain - width,
        high_mpps=None if width is None else gain + width,
        percent=100 * gain / present if present > 0 else 0.0,
        provenance=Provenance.ASSUMED if assumed else Provenance.PREDICTED,
        mends=tuple(now.chain for now, then in pairs if _is_mended(now, then, missed)),
        breaks=tuple(now.chain for now, then in pairs if _is_missed(then) and not _is_missed(now)),
        trust=trust,
        trust_why=why,
    )


def _is_told(now: ChainPrediction, then: ChainPrediction) -> bool:
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


def _is_mended(now: ChainPrediction, then: ChainPrediction, missed: frozenset[str]) -> bool:
    gains = _mpps(then) > _mpps(now)
    return then.throughput_slo is SloVerdict.MET and gains and (_is_missed(now) or now.chain in missed)


def _least(models: tuple[ModelUse, ...]) -> tuple[TrustVerdict, str]:
    told = [
        (_FROM_THE_WORST.index(use.trust or TrustVerdict.UNTESTED), use.nf_type, use.trust_why or "no outcome yet")
        for use in models
    ]
    if not told:
        return TrustVerdict.UNTESTED, "it rests on no model"
    worst, nf_type, why = min(told)
    return _FROM_THE_WORST[worst], f"{nf_type}: {why}"
