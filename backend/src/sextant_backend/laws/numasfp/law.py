"""NUMASFP's law, as the registry lists it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sextant_domain.laws.frame import LawName
from sextant_domain.laws.numasfp import NUMASFP, NumasfpParameters
from sextant_domain.laws.recommendation import RecommendationPolicy
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.control.frame import LawMemory
from sqlalchemy import ColumnElement, exists, or_
from sqlalchemy.orm import Session

from sextant_backend.laws.frame import Draft, HostInput, HostOutcome
from sextant_backend.laws.numasfp import describe, evaluation, repository
from sextant_backend.laws.numasfp.evaluation import HostState, Second
from sextant_backend.laws.numasfp.members import HostMembers
from sextant_backend.laws.numasfp.memory import Kept
from sextant_backend.laws.numasfp.models import NumasfpHostRow
from sextant_backend.laws.numasfp.observe import FleetReader, Reading
from sextant_backend.modules.levels import repository as levels

if TYPE_CHECKING:
    from sextant_engine.control.numasfp.state import Solver

PERIOD_S = 1.0
SEARCH_S = 0.05
"""Of one search; by far most take a hundredth of it."""


@dataclass
class NumasfpModule:
    """Evaluated for every host by itself."""

    name: LawName = NUMASFP
    title: str = describe.TITLE
    summary: str = describe.SUMMARY
    by_host: bool = True
    rests_on_models: bool = False
    when_off: str = describe.WHEN_OFF
    state: type[Kept] = Kept
    parameters: type[NumasfpParameters] = NumasfpParameters
    _reader: FleetReader = field(default_factory=FleetReader)
    _states: dict[str, HostState] = field(default_factory=dict[str, HostState])
    _solvers: dict[str, tuple[HostMembers, float, "Solver"]] = field(
        default_factory=dict[str, "tuple[HostMembers, float, Solver]"]
    )
    _now: dict[str, Second] = field(default_factory=dict[str, Second])
    """Of the turn that is under way."""
    _budget: NumasfpParameters = field(default_factory=NumasfpParameters)

    def initial(self) -> Kept:
        """No moves, and nothing recommended."""
        return Kept()

    def period_s(self, policy: RecommendationPolicy) -> float:  # noqa: ARG002 - a law's shape
        """Whatever the policy says."""
        return PERIOD_S

    def by_itself(self, policy: RecommendationPolicy) -> str:  # noqa: ARG002 - a law's shape
        """The same everywhere."""
        return describe.BY_ITSELF

    def due(self) -> ColumnElement[bool]:
        """Levels are promoted, or were when hosts were evaluated last."""
        return or_(levels.any_promoted(), exists().where(NumasfpHostRow.host_id.is_not(None)))

    def status_on(self, session: Session, host: str) -> tuple[str, datetime] | None:
        """As its page says it."""
        row = repository.get(session, host)
        return None if row is None else (row.reason, row.evaluated_at)

    def read(self, session: Session) -> Reading:
        """All hosts."""
        return self._reader.read(session)

    def hosts(self, read: Reading) -> Mapping[str, tuple[str, ...]]:
        """Those with a chain and a promoted table."""
        return {name: tuple(chain.chain for chain in host.content.chains) for name, host in read.hosts.items()}

    def forget(self) -> None:
        """Forecasts, and for how long a gain has stood, begin anew; moves are remembered."""
        self._states.clear()
        self._reader.losses.forget()

    def evaluate(
        self, read: Reading, given: Sequence[HostInput], parameters: NumasfpParameters, now_s: float
    ) -> Sequence[HostOutcome]:
        """One step for every host."""
        self._budget = parameters
        self._now, outcomes = {}, []
        for one in given:
            self._reader.losses.followed(one.host, one.operation)
            second = Second(
                members=self._reader.members(read, one.host, one.kept),
                host=read.hosts[one.host],
                rates=read.rates.get(one.host),
                given=one,
                parameters=parameters,
                now_s=now_s,
                solver=self._solver,
                loss=self._reader.losses.of(read.hosts[one.host].inventory),
            )
            state, outcome = evaluation.evaluated(self._states.get(one.host, HostState()), second)
            self._states[one.host], self._now[one.host] = state, second
            outcomes.append(outcome)
        for gone in self._states.keys() - self._now.keys():
            del self._states[gone]
            self._solvers.pop(gone, None)
        return outcomes

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

    def drafted(self, outcome: HostOutcome, recommendation_id: int | None, why_not: str | None) -> LawMemory[Any]:
        """With the recommendation, or with why there is none."""
        if recommendation_id is None:
            return evaluation.impossible(outcome, why_not or "")
        return evaluation.opened(outcome, recommendation_id)

    def write(self, session: Session, read: Reading, outcomes: Sequence[HostOutcome]) -> str:
        """A row for each host."""
        rows = [
            repository.row_of(self._now[one.host], self._states[one.host], one.memory, self._budget, read.now)
            for one in outcomes
        ]
        repository.replace(session, rows)
        return _status(len(rows), sum(row["violated"] for row in rows))


def _status(hosts: int, violated: int) -> str:
    if not hosts:
        return "no host with chains has promoted levels"
    where = "1 host" if hosts == 1 else f"{hosts} hosts"
    if not violated:
        return f"looks at {where}: every chain carries what it is offered"
    return f"looks at {where}: {violated} chain{'' if violated == 1 else 's'} carried less than offered for seconds"
