"""What shared cores are asked for, and who moves: read from orders, models and rates alone."""

from collections import defaultdict

from sextant_domain.hosts.desired import HostContent
from sextant_domain.profiling.model import PerformanceModel

from sextant_engine.checks.view import View


def moved_of(view: View, host: str) -> int:
    """How many NFs of a host stand on another core than before."""
    before = {nf.nf_id: nf.core for chain in view.before[host].chains for nf in chain.nfs}
    after = {nf.nf_id: nf.core for chain in view.after[host].chains for nf in chain.nfs}
    return sum(core != before[nf_id] for nf_id, core in after.items() if nf_id in before)


def needs_of(view: View, host: str, content: HostContent) -> defaultdict[int, float] | None:
    """Percent of each core; None where the need of one is not known."""
    needs: defaultdict[int, float] = defaultdict(float)
    for chain in content.chains:
        for nf in chain.nfs:
            alone = _alone_mpps(view, host, nf.nf_type)
            if alone is None:
                return None
            needs[nf.core] += 100 * chain.traffic.rate_mpps / alone
    return needs


def _alone_mpps(view: View, host: str, nf_type: str) -> float | None:
    """The least over distances, on a host of several nodes."""
    inventory, model = view.inventory(host), model_of(view, host, nf_type)
    if inventory is None or model is None:
        return None
    local, remote = model.ideal_mpps.local, model.ideal_mpps.remote
    return local if len(inventory.nodes) == 1 else min(local, remote)


def model_of(view: View, host: str, nf_type: str) -> PerformanceModel | None:
    """Of a type on a host, where it says what the type does alone; a fitted one goes before an assumed one."""
    inventory = view.inventory(host)
    if inventory is None:
        return None
    models = [one for one in view.snapshot.models if (one.host_model, one.nf_type) == (inventory.host_model, nf_type)]
    model = max(models, key=_fitted, default=None)
    return None if model is None or not model.ideal_known else model


def _fitted(model: PerformanceModel) -> tuple[bool, str]:
    return model.provenance != "assumed", model.version
