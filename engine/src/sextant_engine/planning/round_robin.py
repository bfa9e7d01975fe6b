"""What a plan by round robin would predict of a host: the measure below which a network is not kept."""

from collections.abc import Mapping

from sextant_engine.host_state import HostState
from sextant_engine.planning.assigned_problem import solve_assigned
from sextant_engine.planning.compact_elements import Impossible, Wanted
from sextant_engine.stop import Stop

NOBODY_TIED: Mapping[str, str] = {}


def served_mpps(host: HostState, rates: Mapping[str, float]) -> float | None:
    """Out of all chains of the host that have a rate, as if all had come anew, in the order of their names; Mpps. None
    where nobody can say."""
    wanted = [
        Wanted(name, rates[name], tuple((nf.nf_id, nf.nf_type) for nf in chain.nfs), None)
        for name, chain in sorted(host.chains.items())
        if name in rates
    ]
    if not wanted:
        return None
    found = solve_assigned(host.holding({}), wanted, "rr", 0, Stop(), 0, NOBODY_TIED)
    return None if isinstance(found, Impossible) else found.served_mpps
