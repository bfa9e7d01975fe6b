"""Take a chain off its hosts."""

from sextant_domain.plans.intents import RemoveIntent

from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.rejecting import rejection


def remove(draft: PlanDraft, intent: RemoveIntent) -> None:
    """Drop the chain wherever it stands; a host that is not up gets its order once it is back."""
    hosts = draft.hosts_of(intent.chain)
    if not hosts:
        draft.rejected.append(rejection(intent.chain, "the chain runs on no host", relax="nothing needs to be removed"))
    for host in hosts:
        for nf in host.chains[intent.chain].nfs:
            draft.reasons[nf.nf_id] = f"chain {intent.chain} is removed"
        draft.drop(host.name, intent.chain)
