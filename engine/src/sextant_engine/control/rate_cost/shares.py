"""Rate-cost proportional shares (sfc2cpu, Sec. II-B; NFVnice): an NF's part of its core is rate x cost by their sum.

In units of the kernel, where an NF that nobody weighs has 1024: share_i = 1024 n c_i lambda_i / sum.
"""

from collections.abc import Sequence

UNIT = 1024
"""Shares of an NF, on average."""
LEAST = 2
"""What the kernel gives at least; an idle NF keeps it, so that it sees its first packets."""


def rate_cost_shares(vnfs: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Of NFs of one core, by cycles a packet and packets a second. They add up to 1024 an NF; whole numbers by the
    largest remainder, of equal ones the first. Where nothing arrives, all have the same."""
    weights = [cycles * rate for cycles, rate in vnfs]
    if not any(weights):
        return (UNIT,) * len(weights)
    quotas = _quotas(weights)
    shares = [int(quota) for quota in quotas]
    by_remainder = sorted(range(len(quotas)), key=lambda index: (shares[index] - quotas[index], index))
    for index in by_remainder[: UNIT * len(shares) - sum(shares)]:
        shares[index] += 1
    return tuple(shares)


def _quotas(weights: Sequence[float]) -> list[float]:
    """In proportion, but for those that have the least; what these take, the others lack in proportion."""
    least: set[int] = set()
    while True:
        total = UNIT * len(weights) - LEAST * len(least)
        rest = sum(weight for index, weight in enumerate(weights) if index not in least)
        quotas = [float(LEAST) if index in least else total * (weight / rest) for index, weight in enumerate(weights)]
        below = {index for index, quota in enumerate(quotas) if quota < LEAST}
        if not below:
            return quotas
        least |= below
