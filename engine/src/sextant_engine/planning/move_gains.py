"""What each move of a plan gains by prediction, or why that is not predictable: unknown is not the same as nothing."""

from collections.abc import Mapping

from sextant_domain.plans.placement import PlacedNf

from sextant_engine.host_state import HostState
from sextant_engine.planning.chosen import by_another
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.reports import HostReport, MoveGain
from sextant_engine.planning.unmodelled import crowded, unmodelled

OTHER_HOST = "it leaves its host: the predictions say what its chain gains or loses"
SAME_NODE = "it stays on its NUMA node, and the predictor does not tell cores of a node apart"
NOT_KNOWN = "the predictor that chose the nodes does not know an NF on the way there"


class MoveGains:
    """Of the NFs that move within their hosts."""

    def __init__(self, known: Mapping[str, MoveGain], unknown: Mapping[str, Mapping[str, str]]) -> None:
        """`known`: by NF; `unknown`: by host, why nothing is predicted of a chain."""
        self._known = known
        self._unknown = unknown

    def of(self, before: PlacedNf, after: PlacedNf) -> tuple[MoveGain | None, str | None]:
        """What the move gains, or None and why that is not known."""
        host = after.seat.host
        if before.seat.host != host:
            return None, OTHER_HOST
        why_not = self._unknown[host].get(after.chain)
        if why_not is not None:
            return None, why_not
        gain = self._known.get(after.nf_id)
        if gain is not None:
            return gain, None
        return None, SAME_NODE if before.seat.node == after.seat.node else NOT_KNOWN


def move_gains(draft: PlanDraft, touched: list[HostState], reports: Mapping[str, HostReport]) -> MoveGains:
    """By the predictor that chose a host's nodes. `touched`: hosts on which something moves. A report has figures of
    all chains, also of those that its model says nothing of: these are left out."""
    chosen = by_another(draft)
    known = {
        draft.hosts[name].chains[gain.chain].nfs[gain.position].nf_id: gain
        for name, report in reports.items()
        for gain in (chosen[name].gains if name in chosen else report.gains)
    }
    return MoveGains(known, {host.name: _unpredicted(draft.fleet.hosts[host.name], host) for host in touched})


def _unpredicted(now: HostState, then: HostState) -> dict[str, str]:
    """Chain -> why nothing is predicted of it, where it runs now or where it will run then."""
    why_not = then.unpredictable or now.unpredictable
    if why_not is not None:
        return dict.fromkeys(then.chains, why_not)
    return unmodelled(now) | crowded(now) | unmodelled(then) | crowded(then)
