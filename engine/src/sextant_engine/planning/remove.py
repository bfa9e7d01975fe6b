"""Take a chain off its hosts."""

from sextant_domain.plans.intents import RemoveIntent

from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.listing import listed
from sextant_engine.planning.parts import fellows
from sextant_engine.planning.rejecting import rejection


def remove(draft: PlanDraft, intent: RemoveIntent) -> None:
    """Drop the chains wherever they stand; a host that is not up gets its order once it is back."""
    left = sorted(fellows(draft, intent.chains) - set(intent.chains))
    if left:
        reason = f"it is carried together with {listed(left)}, which would stay"
        draft.rejected.append(rejection(intent.chain, reason, relax="remove all parts of the chain together"))
        return
    if not any(draft.hosts_of(name) for name in intent.chains):
        draft.rejected.append(rejection(intent.chain, "the chain runs on no host", relax="nothing needs to be removed"))
    for name in intent.chains:
        for host in draft.hosts_of(name):
            for nf in host.chains[name].nfs:
                draft.reasons[nf.nf_id] = f"chain {name} is removed"
            draft.drop(host.name, name)
