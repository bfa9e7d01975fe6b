"""NUMASFP's law, as the registry lists it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sextant_domain.laws.numasfp import NUMASFP, NumasfpParameters
from sextant_domain.plans.snapshot import FleetSnapshot
from sqlalchemy import ColumnElement, or_

from sextant_backend.laws.frame import Draft, HostInput, HostOutcome
from sextant_backend.laws.numasfp import describe, evaluation, repository
from sextant_backend.laws.numasfp.evaluation import HostState, Second
from sextant_backend.laws.numasfp.members import HostMembers
from sextant_backend.laws.numasfp.memory import Kept, Pending
from sextant_backend.laws.numasfp.models import NumasfpHostRow
from sextant_backend.laws.numasfp.observe import FleetReader, Reading
from sextant_backend.laws.paced.law import SEARCH_S, HostsLaw
from sextant_backend.modules.levels import repository as levels

if TYPE_CHECKING:
    from sextant_engine.control.numasfp.state import Solver


class NumasfpModule(HostsLaw[Kept, NumasfpParameters, Reading, Second, HostState]):
    """Looks at hosts with a chain and a promoted table."""

    name, row = NUMASFP, NumasfpHostRow
    title, summary, when_off, acts = describe.TITLE, describe.SUMMARY, describe.WHEN_OFF, describe.BY_ITSELF

    def __init__(self) -> None:
        self._fleet = FleetReader()
        super().__init__(self._fleet, Kept, NumasfpParameters)
        self._solvers: dict[str, tuple[HostMembers, float, Solver]] = {}

    def due(self) -> ColumnElement[bool]:
        """Levels are promoted, or were when hosts were evaluated last."""
        return or_(levels.any_promoted(), self.evaluated_before())

    def forget(self) -> None:
        """Forecasts, and for how long a gain has stood, begin anew; moves are remembered."""
        super().forget()
        self._fleet.losses.forget()

    def evaluate(
        self, read: Reading, given: Sequence[HostInput], parameters: NumasfpParameters, now_s: float
    ) -> Sequence[HostOutcome]:
        """One step for every host."""
        outcomes = super().evaluate(read, given, parameters, now_s)
        for gone in self._solvers.keys() - self.now.keys():
            del self._solvers[gone]
        return outcomes

    def second(self, read: Reading, given: HostInput, parameters: NumasfpParameters, now_s: float) -> Second:
        """With the searches of its table."""
        host, losses = read.hosts[given.host], self._fleet.losses
        losses.followed(given.host, given.operation)
        members = self._fleet.members(read, given.host, given.kept)
        return Second(
            members=members,
            host=host,
            rates=read.rates.get(given.host),
            given=given,
            parameters=parameters,
            now_s=now_s,
            solver=self._solver,
            loss=losses.of(host.inventory),
            losses=losses.of_chains(host.inventory, members.members),
        )

    def step(self, state: HostState | None, second: Second) -> tuple[HostState, HostOutcome]:
        """A step of the law."""
        return evaluation.evaluated(state or HostState(), second)

    def _solver(self, members: HostMembers, loss: float) -> "Solver":
        """Kept while the host stays as it is: its table is turned into JSON once."""
        from sextant_engine.laws.numasfp.solve import CoreSolver  # the Rust core, which only this needs
        from sextant_engine.stop import Stop

        name = members.inventory.host_id
        found = self._solvers.get(name)
        if found is None or found[0] is not members or found[1] != loss:
            solver = CoreSolver(members.problem, loss, evaluation.MAX_LIMIT, Stop(seconds=SEARCH_S))
            found = self._solvers[name] = members, loss, solver
        return found[2]

    def draft(self, snapshot: FleetSnapshot, outcome: HostOutcome) -> Draft | str:
        """What is proposed, as a plan."""
        from sextant_backend.laws.numasfp import propose  # the engine's planning, which only this needs

        return propose.draft(snapshot, outcome.proposed)

    def pending(self, outcome: HostOutcome, recommendation_id: int) -> tuple[Pending, bool]:
        """A move is for a gain, a hand-over is not."""
        pending = evaluation.pending_of(outcome, recommendation_id)
        return pending, pending.kind == "move"

    def row_of(self, second: Second, state: HostState, outcome: HostOutcome) -> dict[str, Any]:
        """What came of a host."""
        return repository.row_of(second, state, outcome.memory)

    def status(self, said: Sequence[dict[str, Any]]) -> str:
        """How many hosts, and what falls short there."""
        return _status(len(said), sum(row["violated"] for row in said))


def _status(hosts: int, violated: int) -> str:
    if not hosts:
        return "no host with chains has promoted levels"
    where = "1 host" if hosts == 1 else f"{hosts} hosts"
    if not violated:
        return f"looks at {where}: every chain carries what it is offered"
    return f"looks at {where}: {violated} chain{'' if violated == 1 else 's'} carried less than offered for seconds"
