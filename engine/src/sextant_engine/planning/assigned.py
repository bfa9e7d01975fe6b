"""Newcomers on shared cores as an assigner of sfc2cpu chooses. What runs stays, unless the plan says how many may
move."""

from collections.abc import Mapping, Sequence

from sextant_domain.plans.evidence import Algorithm, HostEvidence
from sextant_domain.profiling.host_cost import doubts

from sextant_engine.host_state import HostState
from sextant_engine.planning.assigned_account import account, cost_used
from sextant_engine.planning.assigned_problem import STEPS, AssignedCores, solve_assigned
from sextant_engine.planning.compact_elements import Impossible, Wanted
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.listing import listed
from sextant_engine.planning.on_shared_cores import SharedHost
from sextant_engine.planning.promoted_network import network_used
from sextant_engine.stop import Stop

_WHY: Mapping[Algorithm, str] = {
    Algorithm.THROUGHPUT: "so an ideal host serves most",
    Algorithm.MIN_MAX: "so the fullest core is asked for least",
    Algorithm.CALIBRATED: "so most is served by what was fitted on the host",
    Algorithm.NETWORK: "so the promoted network expects it to be served most",
    Algorithm.LPT: "the least loaded core when it came, the largest NFs first",
    Algorithm.LLF: "the least loaded core when it came",
    Algorithm.FFD: "the first core with time for it, the largest NFs first",
    Algorithm.RR: "core after core in turn",
    Algorithm.GEN: "drawn from the cores with time for it",
}
_EXACT = (Algorithm.THROUGHPUT, Algorithm.MIN_MAX)
_BY_PACKETS = (Algorithm.THROUGHPUT, Algorithm.CALIBRATED)
ROUNDING = 1e-6
"""Percent."""


class AssignerChooser:
    """A `CoreChooser`: any of sfc2cpu's assigners."""

    name = "sfc2cpu"
    moves_from_spare = True

    def __init__(self, algorithm: Algorithm, seed: int, ties: Mapping[str, str], *, moves: bool) -> None:
        """`moves`: the plan says how many NFs that run may move; `ties`: by NF, of those that have one."""
        self._algorithm, self._seed, self._ties = algorithm, seed, ties
        self.moves = moves

    @classmethod
    def of(cls, draft: PlanDraft, algorithm: Algorithm, may_move: bool) -> "AssignerChooser":
        """For a draft. Where what runs might move, and nobody said how much of it, that is said."""
        most = draft.solving.max_moves
        if may_move and most is None:
            draft.warn(f"{algorithm} moves nothing that runs unless the plan says how many NFs may move at most")
        return cls(algorithm, draft.solving.seed, draft.fleet.ties, moves=most is not None)

    def solve(
        self, host: HostState, wanted: Sequence[Wanted], stop: Stop, most_moves: int | None
    ) -> AssignedCores | Impossible:
        """As `CoreChooser.solve`."""
        most = (most_moves or 0) if self.moves else 0
        return solve_assigned(host, wanted, self._algorithm.value, self._seed, stop, most, self._ties)

    def adds(self, before: AssignedCores | None, after: AssignedCores) -> float:  # noqa: ARG002 - hosts are compared as they would be
        """What its fullest core is asked for; where packets are what counts, those that are lost, above all."""
        lost = after.offered_mpps - after.served_mpps if self._algorithm in _BY_PACKETS else 0.0
        return 1000 * lost + after.max_load

    def why(self, core: int, beside: Sequence[str]) -> str:  # noqa: ARG002 - neighbours count for nothing here
        """As `CoreChooser.why`."""
        return f"core {core}: {_WHY[self._algorithm]}"

    def record(self, draft: PlanDraft, one: SharedHost[AssignedCores], automatic: HostState | None) -> None:
        """As `CoreChooser.record`."""
        found, name = one.found, one.host.name
        if found is None:
            return
        by_packets = self._algorithm in _BY_PACKETS
        cost, network = None, network_used(one.host) if self._algorithm is Algorithm.NETWORK else None
        if self._algorithm is Algorithm.CALIBRATED:
            cost = cost_used(one.host, found, draft.fleet.snapshot.taken_at)
            _warn_of_costs(draft, one.host, found)
        assigned = account(
            one.host, draft.hosts[name], automatic, found, by_packets=by_packets, cost=cost, network=network
        )
        bound = assigned.bound_mpps if assigned.bound_percent is None else -assigned.bound_percent
        ended = self._algorithm in _EXACT and not found.proven
        draft.on_shared[name] = HostEvidence(
            host=name,
            algorithm=self._algorithm,
            status="optimal" if found.proven else "feasible",
            score=assigned.served_mpps if by_packets else -assigned.fullest_percent,
            bound=bound,
            evaluations=0,
            trusted=False,
            unproven=f"the search ended after {STEPS:,} steps" if ended else None,
            assigned=assigned,
        )
        for core in assigned.cores:
            needed = core.nfs_percent + core.others_percent
            if core.nfs_percent > 0 and needed > assigned.usable_percent + ROUNDING:
                draft.warn(
                    f"core {core.core} of {name} is asked for {needed:.0f} % of its time and can give "
                    f"{assigned.usable_percent:g} %: packets will be lost there"
                )


def _warn_of_costs(draft: PlanDraft, host: HostState, found: AssignedCores) -> None:
    if host.cost is not None:
        for doubt in doubts(host.cost):
            draft.warn(f"fitted costs of {host.name}: {doubt}")
    if found.guessed:
        types = listed(list(found.guessed), "type")
        draft.warn(f"fitted costs of {host.name} do not know {types}: the upper quartile of the others counts")
