"""What a reader of the plan should know beside it; hosts with the same warning share one."""

from sextant_domain.base import Provenance

from sextant_engine.fleet import SHARED_CORES, HostDraft
from sextant_engine.planning.predict import models_of
from sextant_engine.planning.replace import misplaced

MAX_NAMED = 3


def warnings_of(touched: list[HostDraft]) -> list[str]:
    """By kind, then by host."""
    shared: dict[str, list[str]] = {}
    own: list[str] = []
    for host in touched:
        text = _of_host(host)
        if text is not None:
            shared.setdefault(text, []).append(host.name)
        if not host.up:
            own.append(f"{host.name} is {host.snapshot.status}: its order waits until it answers")
        for nf_id, why in misplaced(host).items():
            own.append(f"{nf_id} on {host.name}: {why}; re-place the fleet to move it")
    return [f"{_listed(names)}: {text}" for text, names in shared.items()] + own


def _of_host(host: HostDraft) -> str | None:
    why_not = host.unpredictable()
    if why_not == SHARED_CORES:
        return f"{why_not}; throughput is measured only"
    if why_not is not None:
        return f"{why_not}; profile it there, or ship an assumed model"
    if any(use.provenance is Provenance.ASSUMED for use in models_of(host)):
        return "predictions rest on assumed parameters, not on profiles; profile its NF types"
    return None


def _listed(names: list[str]) -> str:
    rest = len(names) - MAX_NAMED
    return ", ".join(names) if rest <= 0 else f"{', '.join(names[:MAX_NAMED])} and {rest} more hosts"
