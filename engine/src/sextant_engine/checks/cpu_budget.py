"""The rule about CPU quotas beside what all NFs of a host have together. What stood so before, and is not changed, is
not this plan's doing; nor is what a host was found to run."""

from sextant_domain.chains.kernel_nf import IN_KERNEL
from sextant_domain.hosts.desired import DesiredChain, HostContent

from sextant_engine.checks.view import View


def within_budget(view: View) -> list[str]:
    """No NF is to have more of a core than all NFs of its host have together. Quotas may come to more in sum: the
    kernel holds all of them to the budget."""
    if view.body.intent.kind == "align":
        return []
    wrong: list[str] = []
    for target in view.body.target:
        host, inventory = target.content.host_id, view.inventory(target.content.host_id)
        budget = None if inventory is None else inventory.cpu_budget_percent
        if budget is None:
            continue
        then = _begin_with(view.before[host]) if host in view.before else {}
        wrong += [
            f"{nf_id} is to have {percent:g} % of a core on {host}, whose NFs have {budget:g} % together"
            for nf_id, percent in sorted(_begin_with(target.content).items())
            if percent > budget and then.get(nf_id) != percent
        ]
    return wrong


def _begin_with(content: HostContent) -> dict[str, float]:
    """NF id -> the least that its agent can begin it with; of those that are limited at all."""
    return {nf_id: percent for chain in content.chains for nf_id, percent in _of_chain(chain).items()}


def _of_chain(chain: DesiredChain) -> dict[str, float]:
    found: dict[str, float] = {}
    for nf in chain.nfs:
        if nf.runs in IN_KERNEL:
            continue
        if chain.quota_bounds is not None:
            found[nf.nf_id] = float(chain.quota_bounds.least_percent)
        elif nf.cpu_quota_percent is not None:
            found[nf.nf_id] = nf.cpu_quota_percent
    return found
