"""What pressure curves say of the chains of a plan, on hosts where these chose the nodes."""

from math import inf

from sextant_domain.plans.plan import ChainPrediction, CurveFigures

from sextant_engine.host_state import HostState
from sextant_engine.planning.curve_prediction import CurvePrediction, curve_predictions
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.found import HostFound
from sextant_engine.planning.line_rate import line_shares


def by_curves(draft: PlanDraft) -> dict[str, HostFound]:
    """Hosts that were placed by them."""
    found = draft.found.hosts if draft.found else {}
    return {name: one for name, one in found.items() if one.predictor == "curves"}


def with_curves(draft: PlanDraft, predictions: tuple[ChainPrediction, ...]) -> tuple[ChainPrediction, ...]:
    """With their figures, and those of what runs where it stands now, with all that is new beside it."""
    told: dict[str, CurveFigures] = {}
    for name in by_curves(draft):
        host = draft.hosts[name]
        after, now = _predicted(host), _predicted(host.holding({**host.chains, **host.before}))
        told |= {
            chain: _figures(host, chain, one, now.get(chain) if chain in host.before else None)
            for chain, one in after.items()
        }
    return tuple(one.model_copy(update={"by_curves": told.get(one.chain)}) for one in predictions)


def _predicted(host: HostState) -> dict[str, CurvePrediction]:
    return curve_predictions(host.content(), host.inventory, host.models, host.curves)


def _figures(host: HostState, chain: str, after: CurvePrediction, now: CurvePrediction | None) -> CurveFigures:
    arriving = min(host.chains[chain].traffic.rate_mpps, line_shares(host).get(chain, inf))
    low, high = after.low_mpps, after.high_mpps
    return CurveFigures(
        throughput_mpps=min(after.capacity_mpps, arriving),
        before_mpps=None if now is None else min(now.capacity_mpps, arriving),
        low_mpps=None if low is None else min(low, arriving),
        high_mpps=None if high is None else min(high, arriving),
        bottleneck=host.chains[chain].nfs[after.bottleneck].nf_id,
    )
