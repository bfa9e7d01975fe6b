"""Whether what runs speaks against the predictions of it: a gain over a prediction that does not hold is none.

A chain that carries more than predicted has more to lose than a plan takes into account, and what it is said to
gain it has already. One that carries less gains no less for it, unless it carries so little that something else is in
its way.
"""

from collections.abc import Iterable, Mapping

from sextant_domain.laws.octans import MeasuredChain, PredictedChain

LEAST_SHARE = 0.5
"""Of what is predicted, or of what arrives where that is less: below it something else than the placement is wrong."""


def prediction_mismatch(
    predicted: Iterable[PredictedChain], measured: Mapping[str, MeasuredChain], band_percent: float
) -> str | None:
    """The worst of the chains that were measured outside their predictions, and what to do about it; None where all
    agree.

    `band_percent`: as far above a prediction, or up to the end of its interval, a chain may carry.
    """
    outside = [
        (abs(measured[one.chain].mpps - one.mpps), one)
        for one in predicted
        if one.chain in measured and _is_outside(one, measured[one.chain], band_percent)
    ]
    if not outside:
        return None
    _, worst = max(outside, key=lambda pair: (pair[0], pair[1].chain))
    carried = measured[worst.chain]
    figures = f"{worst.chain} carries {carried.mpps:.2f} Mpps, {worst.mpps:.2f} are predicted"
    nf_type = _wrong_model(worst, carried)
    step = f"profile {nf_type}" if nf_type else "profile its NF types"
    return f"the model is wrong about what runs: {figures}; {step}"


def _wrong_model(one: PredictedChain, carried: MeasuredChain) -> str | None:
    """The NF type whose model is: where less comes through, of the NF that is measured to limit the chain; where more
    does, of the one that was predicted to."""
    if carried.mpps > one.mpps or carried.limited_by is None:
        return one.nf_type
    return one.nf_types.get(carried.limited_by, one.nf_type)


def _is_outside(one: PredictedChain, carried: MeasuredChain, band_percent: float) -> bool:
    most = max(one.mpps * (1 + band_percent / 100), one.high_mpps or 0.0)
    return carried.mpps > most or carried.mpps < LEAST_SHARE * min(one.mpps, carried.offered_mpps)
