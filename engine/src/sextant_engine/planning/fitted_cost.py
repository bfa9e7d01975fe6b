"""What NFs cost beside others, as fitted on their host: for sfc2cpu's assigner `calibrated`.

A fit says how much more a packet takes than alone on the host's nearest memory, so that is what loads are reckoned from
here; the other assigners take the slower distance.
"""

from collections import defaultdict
from typing import Any

from sextant_domain.profiling.host_cost import FittedCost

from sextant_engine.host_state import HostState
from sextant_engine.modelling.inflation_expected import StandingNf, expected_us
from sextant_engine.planning.compact_elements import Impossible
from sextant_engine.planning.time_sharing import ideal_of

ALL_ELSE = "all else"
"""A kind that neither costs others anything nor is cost by them, as a fit has it: NFs without packets, and what is no
NF. No NF type has a space in its name."""


def refused(host: HostState) -> Impossible | None:
    """Why nothing is assigned there by fitted costs; None where it can be."""
    cost = host.cost
    fit = f"fit them (sextant sfc2cpu fit {host.name}), or ask for min_max"
    if cost is None:
        return Impossible(f"costs beside others were never fitted on {host.name}, and calibrated goes by them", fit)
    if cost.drifted_at is not None:
        since = f"{cost.drifted_at:%Y-%m-%d %H:%M} UTC"
        return Impossible(
            f"what was measured on {host.name} has left version {cost.version} of its fitted costs since {since}", fit
        )
    return None


def alone_us(host: HostState, nf_type: str) -> float:
    """Of a packet, as the fit has it; 0 where it is not known."""
    model = host.models.get(nf_type)
    return 0.0 if model is None or not model.ideal_known else 1 / ideal_of(model, local=True)


def question_of(cost: FittedCost) -> dict[str, Any]:
    """As the core reads a model. `literal`: what evidence says is served is by the ideal model as published."""
    model = cost.model
    return {
        "kinds": [*model.kinds, ALL_ELSE],
        "core": _with_all_else(model.core),
        "socket": _with_all_else(model.socket),
        "weight": model.weight,
        "hand_off": model.hand_off.model_dump(),
        "served": "literal",
    }


def _with_all_else(table: tuple[tuple[float, ...], ...]) -> list[list[float]]:
    """The last row and column are of any kind that is not known."""
    *rows, unknown = ([*row[:-1], 0.0, row[-1]] for row in table)
    return [*rows, [0.0] * len(unknown), unknown]


def needs_beside(host: HostState) -> defaultdict[int, float]:
    """By core, the share of its time that its NFs need beside each other, if their chains carry all that they are
    offered; of a host that has fitted costs."""
    needs: defaultdict[int, float] = defaultdict(float)
    if host.cost is None:
        return needs
    chains = []
    for name in sorted(host.chains):
        rate = host.chains[name].traffic.rate_mpps
        nfs = []
        for nf in host.chains[name].nfs:
            alone = alone_us(host, nf.nf_type)
            nfs.append(StandingNf(nf.nf_id, nf.nf_type, alone, alone * rate, nf.core, host.node_of(nf.core)))
        chains.append((rate, nfs))
    expected = expected_us(host.cost.model, [nfs for _, nfs in chains])
    for rate, standing in chains:
        for one in standing:
            needs[one.core] += rate * expected[one.nf_id]
    return needs
