"""What a plan says of a host whose newcomers got their cores by an assigner of sfc2cpu."""

from collections.abc import Sequence
from datetime import datetime

from sextant_domain.plans.assigned import AssignedEvidence, CostUsed, NetworkUsed
from sextant_domain.plans.compact import CompactCore

from sextant_engine.host_state import HostState
from sextant_engine.planning.assigned_problem import USABLE, AssignedCores
from sextant_engine.planning.compact_account import chains_beside, cores_of, moves_of, needs_of
from sextant_engine.planning.fitted_cost import needs_beside


def account(
    before: HostState,
    after: HostState,
    automatic: HostState | None,
    found: AssignedCores,
    *,
    by_packets: bool,
    cost: CostUsed | None = None,
    network: NetworkUsed | None = None,
) -> AssignedEvidence:
    """`automatic`: as the engine's own choice would have it; `by_packets`: they are what the assigner aims at; `cost`:
    the fitted costs that it went by; `network`: the one that chose."""
    needs = needs_of if cost is None else needs_beside
    cores = tuple(core for core in cores_of(before, after, needs) if core.core in found.among or core.nfs_percent > 0)
    fullest = fullest_of(cores)
    return AssignedEvidence(
        fullest_percent=fullest,
        bound_percent=None if by_packets else min(fullest, 100 * found.bound),
        served_mpps=found.served_mpps,
        bound_mpps=min(found.offered_mpps, max(found.bound, found.served_mpps)) if by_packets else None,
        offered_mpps=found.offered_mpps,
        usable_percent=100 * USABLE,
        moves=moves_of(after),
        most_moves=found.most_moves,
        cores=cores,
        chains=chains_beside(after, automatic),
        cost=cost,
        network=network,
    )


def cost_used(host: HostState, found: AssignedCores, at: datetime) -> CostUsed | None:
    """Of a host that has fitted costs, when a plan is made."""
    if host.cost is None:
        return None
    return CostUsed(
        version=host.cost.version,
        fitted_at=host.cost.fitted_at,
        age_s=max(0.0, (at - host.cost.fitted_at).total_seconds()),
        left_out_error=host.cost.left_out_error,
        guessed=found.guessed,
    )


def fullest_of(cores: Sequence[CompactCore]) -> float:
    """Percent that the core which is asked for most is asked for."""
    return max((core.nfs_percent + core.others_percent for core in cores), default=0.0)
