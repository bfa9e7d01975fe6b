"""Chains on shared cores as CoCo places them: on each host so that the fewest bytes are delayed from core to core."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sextant_domain.plans.evidence import Algorithm, HostEvidence

from sextant_engine.host_state import HostState
from sextant_engine.planning.compact_account import account
from sextant_engine.planning.compact_elements import Impossible, Wanted
from sextant_engine.planning.compact_problem import EVALUATIONS, Solved, solve_compact
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.on_shared_cores import SharedHost
from sextant_engine.stop import Stop

_OF_THE_CORE = {Algorithm.COCO: "exact", Algorithm.COCO_GREEDY: "greedy"}
ROUNDING = 1e-6
"""Percent."""


class CocoChooser:
    """A `CoreChooser`: the exact placement, or the greedy baseline, which moves nothing that runs."""

    name = "CoCo"
    moves_from_spare = False

    def __init__(self, algorithm: Algorithm, ties: Mapping[str, str]) -> None:
        """`ties`: by NF, of those that have one."""
        self._algorithm, self._ties = algorithm, ties
        self._literal = algorithm is Algorithm.COCO_GREEDY
        self.moves = not self._literal

    def solve(
        self,
        host: HostState,
        wanted: Sequence[Wanted],
        stop: Stop,
        most_moves: int | None,  # noqa: ARG002 - its search pays for moves and counts none
    ) -> Solved | Impossible:
        """As `CoreChooser.solve`."""
        brief = replace(stop, evaluations=EVALUATIONS)
        return solve_compact(host, wanted, _OF_THE_CORE[self._algorithm], brief, self._ties)

    def adds(self, before: Solved | None, after: Solved) -> float:
        """CoCo's objective."""
        return after.cost - (before.cost if before is not None else 0.0)

    def why(self, core: int, beside: Sequence[str]) -> str:
        """As `CoreChooser.why`."""
        first = "the first core with room for it" if self._literal else "so the fewest packets change cores"
        with_whom = f" with {' and '.join(beside)}" if beside else ""
        return f"core {core}{with_whom}: {first}"

    def record(self, draft: PlanDraft, one: SharedHost[Solved], automatic: HostState | None) -> None:
        """As `CoreChooser.record`."""
        found, name = one.found, one.host.name
        if found is None:
            return
        compact = account(one.host, draft.hosts[name], automatic, found)
        draft.on_shared[name] = HostEvidence(
            host=name,
            algorithm=self._algorithm,
            status="optimal" if found.proven else "feasible",
            score=-compact.cost,
            bound=-compact.bound,
            evaluations=0,
            trusted=False,
            unproven=None if found.proven or self._literal else f"the search ended after {EVALUATIONS:,} steps",
            compact=compact,
        )
        for core in compact.cores:
            needed = core.nfs_percent + core.others_percent
            if core.nfs_percent > 0 and needed > compact.full_percent + ROUNDING:
                draft.warn(
                    f"core {core.core} of {name} needs {needed:.0f} % of its time, more than "
                    f"{compact.full_percent:g} %: its NFs stood there before, and no way was found to relieve it"
                )
