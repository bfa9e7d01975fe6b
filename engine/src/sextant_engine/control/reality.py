"""Whether what runs speaks against the predictions of it: a gain over what is foretold and not so is none.

A chain that carries more than is foretold has more to lose than a plan knows of, and what it is said to gain it has
already. One that carries less gains no less for it, unless it carries so little that something else is in its way.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

SO_LITTLE = 0.5
"""Of what is foretold, or of what arrives where that is less: below it something else than the placement is wrong."""


@dataclass(frozen=True, slots=True)
class Foretold:
    """What is predicted of a chain as it stands."""

    chain: str
    nf_type: str | None
    """Of the predicted bottleneck: whose model says that no more is possible."""
    mpps: float
    high_mpps: float | None
    """Of the 95 % interval."""
    nf_types: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of all its NFs, by id, in the chain's order."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What was measured of a chain, mean over a window."""

    offered_mpps: float
    mpps: float
    limited_by: str | None = None
    """NF id of the measured bottleneck; None where nothing measured speaks against an NF."""


def contradiction(foretold: Iterable[Foretold], measured: Mapping[str, Carried], band_percent: float) -> str | None:
    """The worst of the chains that were measured outside what is foretold of them, and what to do about it; None where
    all agree.

    `band_percent`: as far above a prediction, or up to the end of its interval, a chain may carry.
    """
    found = [
        (abs(measured[one.chain].mpps - one.mpps), one)
        for one in foretold
        if one.chain in measured and _is_outside(one, measured[one.chain], band_percent)
    ]
    if not found:
        return None
    _, worst = max(found, key=lambda pair: (pair[0], pair[1].chain))
    carried = measured[worst.chain]
    told = f"{worst.chain} carries {carried.mpps:.2f} Mpps where {worst.mpps:.2f} are foretold"
    nf_type = _wrong(worst, carried)
    step = f"profile {nf_type}" if nf_type else "profile its NF types"
    return f"the model is wrong about what runs: {told}; {step}"


def _wrong(one: Foretold, carried: Carried) -> str | None:
    """The NF type whose model is: where less comes through, of the NF that is measured to limit the chain; where more
    does, of the one that was predicted to."""
    if carried.mpps > one.mpps or carried.limited_by is None:
        return one.nf_type
    return one.nf_types.get(carried.limited_by, one.nf_type)


def _is_outside(one: Foretold, carried: Carried, band_percent: float) -> bool:
    most = max(one.mpps * (1 + band_percent / 100), one.high_mpps or 0.0)
    return carried.mpps > most or carried.mpps < SO_LITTLE * min(one.mpps, carried.offered_mpps)
