"""What is expected of the next intervals: an exponentially weighted mean of each chain's rate."""

from collections.abc import Mapping


def forecast(before: Mapping[str, float] | None, rates: Mapping[str, float], weight: float) -> dict[str, float]:
    """With the newest rates in it. A chain that was not there before begins with its rate."""
    known = before or {}
    return {chain: weight * rate + (1 - weight) * known.get(chain, rate) for chain, rate in rates.items()}
