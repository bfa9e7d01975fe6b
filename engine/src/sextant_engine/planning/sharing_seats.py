"""Cores for a chain on a host that shares its cores: those on which all its chains are predicted to carry most.

The rule of `assign_cores` puts an NF where fewest stand, which says nothing of how much of a core these take. From its
seats on, moves and swaps of NFs over cores are judged by time sharing, and taken while they pay.
"""

from collections.abc import Callable, Mapping

from sextant_domain.hosts.desired import DesiredChain

from sextant_engine.assign_cores import RULE, Assigned, AssignmentProblem
from sextant_engine.host_state import HostState
from sextant_engine.local_search import local_search
from sextant_engine.planning import time_sharing
from sextant_engine.problem import Chain, Node, Placement, PlacementProblem
from sextant_engine.seats import Seats, Unit
from sextant_engine.stop import Stop

MOST_EVALUATIONS = 400
RULED = "rule"


class SharingAssigner:
    """An `Assigner` for one chain that is new on the host."""

    def __init__(
        self, host: HostState, seated: Callable[[Mapping[str, int]], DesiredChain], value_of: Callable[[str], float]
    ) -> None:
        """`seated`: the chain with its NFs on these cores; `value_of`: of each chain of the host."""
        self._host, self._seated, self._value_of = host, seated, value_of

    def assign(self, problem: AssignmentProblem, state: Seats) -> dict[str, Assigned]:
        """As `Assigner.assign`. The rule's seats, where a chain of the host is not predicted, an NF needs a core that
        is kept for last, or nothing is better."""
        ruled = RULE.assign(problem, state.copy())
        units = self._units(state, ruled)
        if not units:
            return ruled
        names = [nf_id for nf_id, _ in problem.wanted]
        asked = PlacementProblem(
            nodes=tuple(Node(id=str(unit.core), local=True, cores=state.free(unit)) for unit in units),
            nf_types={},
            chains=(Chain(id=RULED, nfs=tuple(names)),),
        )
        start = {RULED: tuple(str(ruled[nf_id].core) for nf_id in names)}
        found = local_search(asked, {RULED: start}, self._worth(names), stop=Stop(evaluations=MOST_EVALUATIONS))
        if found is None or not found.improved:
            return ruled
        than = f"{found.score:.2f} value x Mpps of all chains here by time sharing, {found.candidates[RULED]:.2f}"
        seats: dict[str, Assigned] = {}
        for nf_id, core in zip(names, map(int, found.placement[RULED]), strict=True):
            unit = state.layout.unit_of[core]
            slot = state.lowest_free_slot(unit)
            state.take(core, slot)
            why = f"core {core}: {than} where fewest NFs stand"
            seats[nf_id] = Assigned(core, slot, unit.node, why)
        return seats

    def _units(self, state: Seats, ruled: Mapping[str, Assigned]) -> list[Unit]:
        """Ordinary cores of the node whose sibling threads are no busier than the rule's, since what a sibling takes is
        not predicted; none where there is no choice."""
        taken = [state.layout.unit_of[seat.core] for seat in ruled.values()]
        if not self._host.inventory.shares_cores or len({unit.node for unit in taken}) != 1:
            return []
        if any(unit.spare for unit in taken):
            return []
        beside = max(state.beside(unit) for unit in taken)
        units = [
            unit
            for unit in state.open_units()
            if unit.node == taken[0].node and not unit.spare and state.beside(unit) <= beside
        ]
        return units if len(units) > 1 else []

    def _worth(self, names: list[str]) -> Callable[[Placement], float | None]:
        def worth(placement: Placement) -> float | None:
            chain = self._seated(dict(zip(names, map(int, placement[RULED]), strict=True)))
            host = self._host.with_chain(chain)
            shares = time_sharing.sharing_of(host)
            if shares.keys() != host.chains.keys():
                return None
            return sum(self._value_of(name) * share.mpps for name, share in shares.items())

        return worth
