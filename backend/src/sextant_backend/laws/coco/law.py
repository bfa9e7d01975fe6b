"""CoCo's law, as the registry lists it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sextant_domain.laws.coco import COCO, CocoParameters
from sextant_domain.laws.frame import LawName
from sextant_domain.laws.recommendation import RecommendationPolicy
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.control.coco.push_aside import push_aside
from sextant_engine.control.coco.state import Push, Pusher, PushQuestion
from sextant_engine.control.frame import LawMemory
from sqlalchemy import ColumnElement, exists, or_
from sqlalchemy.orm import Session

from sextant_backend.laws.coco import describe, evaluation, repository
from sextant_backend.laws.coco.evaluation import HostState, Second
from sextant_backend.laws.coco.memory import Kept
from sextant_backend.laws.coco.models import CocoHostRow
from sextant_backend.laws.coco.observe import FleetReader, Reading, observation
from sextant_backend.laws.frame import Draft, HostInput, HostOutcome
from sextant_backend.modules.chains.models import PlacedNfRow

PERIOD_S = 1.0
SEARCH_S = 0.05
"""Of one search for the cheapest change; only hosts with an overloaded core have one."""


@dataclass
class CocoModule:
    """Evaluated for every host by itself."""

    name: LawName = COCO
    title: str = describe.TITLE
    summary: str = describe.SUMMARY
    by_host: bool = True
    rests_on_models: bool = False
    when_off: str = describe.WHEN_OFF
    state: type[Kept] = Kept
    parameters: type[CocoParameters] = CocoParameters
    _reader: FleetReader = field(default_factory=FleetReader)
    _states: dict[str, HostState] = field(default_factory=dict[str, HostState])
    _now: dict[str, Second] = field(default_factory=dict[str, Second])
    """Of the turn that is under way."""

    def initial(self) -> Kept:
        """No push, and nothing recommended."""
        return Kept()

    def period_s(self, policy: RecommendationPolicy) -> float:  # noqa: ARG002 - a law's shape
        """Whatever the policy says."""
        return PERIOD_S

    def by_itself(self, policy: RecommendationPolicy) -> str:  # noqa: ARG002 - a law's shape
        """The same everywhere."""
        return describe.BY_ITSELF

    def due(self) -> ColumnElement[bool]:
        """Some core of the fleet holds a second NF, or did when hosts were evaluated last."""
        return or_(exists().where(PlacedNfRow.slot > 0), exists().where(CocoHostRow.host_id.is_not(None)))

    def status_on(self, session: Session, host: str) -> tuple[str, datetime] | None:
        """As its page says it."""
        row = repository.get(session, host)
        return None if row is None else (row.reason, row.evaluated_at)

    def read(self, session: Session) -> Reading:
        """All hosts whose NFs share cores."""
        return self._reader.read(session)

    def hosts(self, read: Reading) -> Mapping[str, tuple[str, ...]]:
        """Those with a core that holds more than one NF."""
        return {name: tuple(chain.chain for chain in host.content.chains) for name, host in read.hosts.items()}

    def forget(self) -> None:
        """For how long cores have been overloaded begins anew; the last push is remembered."""
        self._states.clear()

    def evaluate(
        self, read: Reading, given: Sequence[HostInput], parameters: CocoParameters, now_s: float
    ) -> Sequence[HostOutcome]:
        """One step for every host."""
        pusher = _pusher(parameters)
        outcomes: list[HostOutcome] = []
        states: dict[str, HostState] = {}
        self._now = {}
        for one in given:
            members = self._reader.members(read, one.host, one.kept)
            second = Second(
                members=members,
                observation=observation(members, read.rates.get(one.host), read.busy.get(one.host)),
                given=one,
                parameters=parameters,
                now_s=now_s,
                pusher=pusher,
            )
            states[one.host], outcome = evaluation.evaluated(self._states.get(one.host, HostState()), second)
            self._now[one.host] = second
            outcomes.append(outcome)
        self._states = states
        return outcomes

    def draft(self, snapshot: FleetSnapshot, outcome: HostOutcome) -> Draft | str:
        """What is proposed, as a plan."""
        from sextant_backend.laws.coco import propose  # the engine's planning, which only this needs

        return propose.draft(snapshot, outcome.proposed)

    def drafted(self, outcome: HostOutcome, recommendation_id: int | None, why_not: str | None) -> LawMemory[Any]:
        """With the recommendation, or with why there is none."""
        if recommendation_id is None:
            return evaluation.impossible(outcome, why_not or "")
        return evaluation.opened(outcome, recommendation_id)

    def write(self, session: Session, read: Reading, outcomes: Sequence[HostOutcome]) -> str:
        """A row for each host."""
        rows = [
            repository.row_of(self._now[one.host], self._states[one.host], read.rates.get(one.host), read.now)
            for one in outcomes
        ]
        repository.replace(session, rows)
        return _status(len(rows), sum(row["overloaded"] for row in rows))


def _pusher(parameters: CocoParameters) -> Pusher:
    if parameters.rule == "published":
        return push_aside
    from sextant_engine.laws.coco.solve import ExactPush  # the Rust core, which only this rule needs
    from sextant_engine.stop import Stop

    def exact(question: PushQuestion) -> Push:
        fastest = max(question.rates_mpps.values(), default=0.0)
        return ExactPush(price=parameters.move_price * fastest, stop=Stop(seconds=SEARCH_S))(question)

    return exact


def _status(hosts: int, overloaded: int) -> str:
    if not hosts:
        return "no core holds more than one NF"
    where = "1 host" if hosts == 1 else f"{hosts} hosts"
    if not overloaded:
        return f"looks at {where}: no core needs more time than it has"
    cores = "1 core needs" if overloaded == 1 else f"{overloaded} cores need"
    return f"looks at {where}: {cores} more time than there is"
