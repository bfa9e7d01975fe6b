"""What the predictor that chose the nodes says of a plan's chains, on hosts where that was not Octans' equations."""

from math import inf

from sextant_domain.plans.evidence import PlanPredictor
from sextant_domain.plans.plan import ChainPrediction, ChooserFigures

from sextant_engine.host_state import HostState
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.found import HostFound
from sextant_engine.planning.line_rate import line_shares
from sextant_engine.planning.rest_judge import predictor_at_rest
from sextant_engine.planning.rest_prediction import RestPrediction, rest_predictions, types_of

_FIELDS = {"curves": "by_curves", "gaussian-process": "by_process"}


def by_another(draft: PlanDraft) -> dict[str, HostFound]:
    """Hosts that were placed by another predictor than Octans' equations."""
    found = draft.found.hosts if draft.found else {}
    return {name: one for name, one in found.items() if one.predictor != "octans"}


def with_choosers(draft: PlanDraft, predictions: tuple[ChainPrediction, ...]) -> tuple[ChainPrediction, ...]:
    """With its figures, and those of what runs where it stands now, with all that is new beside it."""
    fields: dict[str, dict[str, ChooserFigures]] = {}
    for name, found in by_another(draft).items():
        host = draft.hosts[name]
        after = _predicted(host, found.predictor)
        now = _predicted(host.holding({**host.chains, **host.before}), found.predictor)
        for chain, one in after.items():
            figures = _figures(host, chain, one, now.get(chain) if chain in host.before else None)
            fields[chain] = {_FIELDS[found.predictor]: figures}
    return tuple(one.model_copy(update=fields.get(one.chain, {})) for one in predictions)


def _predicted(host: HostState, predictor: PlanPredictor) -> dict[str, RestPrediction]:
    content = host.content()
    return rest_predictions(content, host.inventory, predictor_at_rest(host, predictor, types_of(content)))


def _figures(host: HostState, chain: str, after: RestPrediction, now: RestPrediction | None) -> ChooserFigures:
    arriving = min(host.chains[chain].traffic.rate_mpps, line_shares(host).get(chain, inf))
    low, high = after.low_mpps, after.high_mpps
    return ChooserFigures(
        throughput_mpps=min(after.capacity_mpps, arriving),
        before_mpps=None if now is None else min(now.capacity_mpps, arriving),
        low_mpps=None if low is None else min(low, arriving),
        high_mpps=None if high is None else min(high, arriving),
        bottleneck=host.chains[chain].nfs[after.bottleneck].nf_id,
    )
