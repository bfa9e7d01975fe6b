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
        or _of_others(observation.rates_gbps, chains)
        or absurd(observation.rates_gbps, observation.carried_gbps or {}, parameters.most_gbps)
    )


def absurd(rates: Mapping[str, float], carried: Mapping[str, float], most_gbps: float) -> str | None:
    """Which chain has a rate that none has; None where all are possible."""
    for gbps, what in ((rates, "be offered"), (carried, "carry")):
        odd = min((name for name, one in gbps.items() if not 0 <= one <= most_gbps), default=None)  # NaN is neither
        if odd is not None:
            possible = f"; 0 to {most_gbps:g} are believed" if gbps is rates else ""
            return f"{odd} is said to {what} {gbps[odd]:g} Gbps{possible}"
    return None


def _of_others(rates: Mapping[str, float], chains: Collection[str]) -> str | None:
    odd = sorted(set(rates).symmetric_difference(chains))
    return f"the measurement lacks chains, or has others: {', '.join(odd)}" if odd else None
