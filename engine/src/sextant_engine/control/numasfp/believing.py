"""Whether measurements are acted on: late, doubled, disordered or absurd ones are not."""

from collections.abc import Collection, Mapping

from sextant_domain.laws.numasfp import NumasfpObservation, NumasfpParameters

from sextant_engine.control.measured_time import unbelievable_time


def unbelievable(
    observation: NumasfpObservation,
    chains: Collection[str],
    before_s: float | None,
    now_s: float,
    parameters: NumasfpParameters,
) -> str | None:
    """Why nothing is done on an observation; None where it is believed. `before_s`: when the last one was measured."""
    return (
        unbelievable_time(observation.at_s, before_s, now_s, parameters.late_s)
        or _of_rates(observation.rates_gbps, chains, parameters.most_gbps)
        or _of_carried(observation.carried_gbps or {}, parameters.most_gbps)
    )


def _of_rates(rates: Mapping[str, float], chains: Collection[str], most_gbps: float) -> str | None:
    odd = sorted(set(rates).symmetric_difference(chains))
    if odd:
        return f"the measurement lacks chains, or has others: {', '.join(odd)}"
    for chain, rate in sorted(rates.items()):
        if not 0 <= rate <= most_gbps:  # NaN is neither
            return f"{chain} is said to be offered {rate:g} Gbps; 0 to {most_gbps:g} are believed"
    return None


def _of_carried(carried: Mapping[str, float], most_gbps: float) -> str | None:
    odd = next((name for name, gbps in sorted(carried.items()) if not 0 <= gbps <= most_gbps), None)
    return None if odd is None else f"{odd} is said to carry {carried[odd]:g} Gbps"
