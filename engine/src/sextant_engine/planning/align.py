"""End the drift of a host: its last order once more under a new number, or what it runs as its order.

A new number has the agent try again what it had given up, and is taken where its ledger was lost. What runs as ordered
goes on: the agent changes only what differs.
"""

from sextant_domain.base import digest_of
from sextant_domain.plans.intents import AlignIntent

from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.refusals import down_text
from sextant_engine.planning.rejecting import rejection


def align(draft: PlanDraft, intent: AlignIntent) -> None:
    """Order the host anew, or record why not."""
    host = draft.hosts.get(intent.host)
    if host is None:
        draft.rejected.append(rejection("fleet", f"host {intent.host} is not in the fleet", "name a host of the fleet"))
        return
    if not host.up:
        why = f"{down_text(host)}, so no order reaches it"
        draft.rejected.append(rejection("fleet", why, f"bring {host.name} back"))
        return
    draft.reordered.add(host.name)
    if intent.accepted is None:
        return
    tables = {digest_of(table): table for table in intent.accepted.tables}
    draft.hosts[host.name] = host.knowing(tables).holding({chain.chain: chain for chain in intent.accepted.chains})
    for nf in (*host.nfs(), *draft.hosts[host.name].nfs()):
        draft.reasons[nf.nf_id] = f"as {host.name} runs it"
