"""Whether measurements are acted on: late, doubled, disordered or absurd ones are not."""

from collections.abc import Collection, Mapping

from sextant_domain.laws.numasfp import NumasfpObservation, NumasfpParameters

LATEST_S = 1e12
"""No clock shows more."""


def unbelievable(
    observation: NumasfpObservation,
    chains: Collection[str],
    before_s: float | None,
    now_s: float,
    parameters: NumasfpParameters,
) -> str | None:
    """Why nothing is done on an observation; None where it is believed. `before_s`: when the last one was measured."""
    return _of_time(observation.at_s, before_s, now_s, parameters.late_s) or _of_rates(
        observation.rates_gbps, chains, parameters.most_gbps
    )


def _of_time(at_s: float, before_s: float | None, now_s: float, late_s: float) -> str | None:
    if not -LATEST_S < at_s < LATEST_S:  # NaN is neither
        return "the measurement has no time"
    if now_s - at_s > late_s:
        return f"the measurement is {now_s - at_s:.1f} s old; at most {late_s:g} s are acted on"
    if at_s > now_s + late_s:
        return f"the measurement is from {at_s - now_s:.1f} s ahead; the host's clock is wrong"
    if before_s is not None and at_s <= before_s:
        return (
            "the measurement came twice" if at_s == before_s else f"it is {before_s - at_s:.1f} s older than the last"
        )
    return None


def _of_rates(rates: Mapping[str, float], chains: Collection[str], most_gbps: float) -> str | None:
    odd = sorted(set(rates).symmetric_difference(chains))
    if odd:
        return f"the measurement lacks chains, or has others: {', '.join(odd)}"
    for chain, rate in sorted(rates.items()):
        if not 0 <= rate <= most_gbps:  # NaN is neither
            return f"{chain} is said to be offered {rate:g} Gbps; 0 to {most_gbps:g} are believed"
    return None
