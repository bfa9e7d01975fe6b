"""The shape of a law that is evaluated every second, for every host by itself."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

import structlog
from pydantic import BaseModel
from sextant_domain.laws.frame import LawName
from sextant_domain.laws.recommendation import RecommendationPolicy
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.control.frame import LawMemory
from sqlalchemy import ColumnElement, exists
from sqlalchemy.orm import Session

from sextant_backend.laws.frame import Draft, HostInput, HostOutcome
from sextant_backend.laws.paced import rows, step
from sextant_backend.laws.paced.memory import KeptOfHost, PendingChange
from sextant_backend.laws.paced.reading import PacedReader, PacedReading
from sextant_backend.laws.paced.rows import LawHostRow
from sextant_backend.laws.paced.step import ProposedOfHost

PERIOD_S = 1.0
SEARCH_S = 0.05
"""Of one search; by far most take a hundredth of it."""

log = structlog.get_logger()

KeptT = TypeVar("KeptT", bound=KeptOfHost)
ReadingT = TypeVar("ReadingT", bound=PacedReading)
SecondT = TypeVar("SecondT")
StateT = TypeVar("StateT")
ParametersT = TypeVar("ParametersT", bound=BaseModel)


class HostsLaw(ABC, Generic[KeptT, ParametersT, ReadingT, SecondT, StateT]):
    """An `EachSecondLaw`. Of a host there is a state from one turn of this process to the next (StateT), what is known
    of a second (SecondT), and what is remembered beyond the process (KeptT)."""

    name: ClassVar[LawName]
    title: ClassVar[str]
    summary: ClassVar[str]
    when_off: ClassVar[str]
    acts: ClassVar[str]
    """What it does where its policy is automatic, as a sentence."""
    row: ClassVar[type[LawHostRow]]
    by_host: ClassVar[bool] = True
    rests_on_models: ClassVar[bool] = False
    reads_early: ClassVar[bool] = False

    def __init__(self, reader: PacedReader[ReadingT, Any], state: type[KeptT], parameters: type[ParametersT]) -> None:
        self.state = state
        self.parameters = parameters
        self._reader = reader
        self._states: dict[str, StateT] = {}
        self.now: dict[str, SecondT] = {}
        """Of the turn that is under way."""

    def initial(self) -> KeptT:
        """Nothing done, and nothing recommended."""
        return self.state()

    def period_s(self, policy: RecommendationPolicy) -> float:  # noqa: ARG002 - a law's shape
        """Whatever the policy says."""
        return PERIOD_S

    def by_itself(self, policy: RecommendationPolicy) -> str:  # noqa: ARG002 - a law's shape
        """The same everywhere."""
        return self.acts

    def evaluated_before(self) -> ColumnElement[bool]:
        """There were hosts for it when it was evaluated last: their rows may have to go."""
        return exists().where(self.row.host_id.is_not(None))

    @abstractmethod
    def due(self) -> ColumnElement[bool]:
        """Whether there is anything to evaluate."""

    def status_on(self, session: Session, host: str) -> tuple[str, datetime] | None:
        """As its page says it."""
        row = session.get(self.row, host)
        return None if row is None else (row.reason, row.evaluated_at)

    def read(self, session: Session, only: frozenset[str] | None = None) -> ReadingT:
        """All hosts that it looks at, or those of them that are named."""
        return self._reader.read(session, only)

    def hosts(self, read: ReadingT) -> Mapping[str, tuple[str, ...]]:
        """With the chains of each."""
        return {name: tuple(chain.chain for chain in host.content.chains) for name, host in read.hosts.items()}

    def takers(self, read: ReadingT) -> Mapping[str, tuple[str, ...]]:  # noqa: ARG002 - a law's shape
        """None: what a law changes is its host."""
        return {}

    def forget(self) -> None:
        """Whatever has stood for some time begins anew; what was done is remembered."""
        self._states.clear()

    def evaluate(
        self, read: ReadingT, given: Sequence[HostInput], parameters: ParametersT, now_s: float
    ) -> Sequence[HostOutcome]:
        """One step for every host; none comes of one where that is not possible."""
        before, outcomes = self._states, []
        self._states, self.now = {} if read.only is None else _others(before, read.only), {}
        for one in (one for one in given if not one.only_takes):
            try:
                second = self.second(read, one, parameters, now_s)
                state, outcome = self.step(before.get(one.host), second)
            except Exception:  # what nobody foresaw of one host takes no other's second
                log.exception("law error", law=self.name, host_id=one.host, next_step="report it; it begins anew there")
                continue
            self.now[one.host], self._states[one.host] = second, state
            outcomes.append(outcome)
        return outcomes

    @abstractmethod
    def second(self, read: ReadingT, given: HostInput, parameters: ParametersT, now_s: float) -> SecondT:
        """All that is known of a host now."""

    @abstractmethod
    def step(self, state: StateT | None, second: SecondT) -> tuple[StateT, HostOutcome]:
        """Pure but for searches of the engine's core. `state`: None the first time."""

    @abstractmethod
    def draft(self, snapshot: FleetSnapshot, outcome: HostOutcome) -> Draft | str:
        """What is proposed, as a plan."""

    def drafted(self, outcome: HostOutcome, recommendation_id: int | None, why_not: str | None) -> LawMemory[KeptT]:
        """With the recommendation, or with why there is none."""
        memory: LawMemory[KeptT] = outcome.memory
        proposed: ProposedOfHost = outcome.proposed
        if recommendation_id is None:
            return step.not_possible(memory, proposed, why_not or "")
        pending, for_gain = self.pending(outcome, recommendation_id)
        return step.recommended(memory, proposed, pending, for_gain=for_gain)

    @abstractmethod
    def pending(self, outcome: HostOutcome, recommendation_id: int) -> tuple[PendingChange, bool]:
        """What is remembered of what is recommended, and whether it is for a gain."""

    def write(self, session: Session, read: ReadingT, outcomes: Sequence[HostOutcome]) -> str | None:
        """A row for each host."""
        said = [
            {"host_id": one.host, "evaluated_at": read.now.isoformat()}
            | self.row_of(self.now[one.host], self._states[one.host], one)
            for one in outcomes
        ]
        rows.replace_all(session, self.row, said, read.only)
        return self.status(said) if read.only is None else None

    @abstractmethod
    def row_of(self, second: SecondT, state: StateT, outcome: HostOutcome) -> dict[str, Any]:
        """What pages show of a host, by column."""

    @abstractmethod
    def status(self, said: Sequence[dict[str, Any]]) -> str:
        """Of the fleet, from the rows of all hosts, without a full stop."""


def _others(states: Mapping[str, StateT], hosts: frozenset[str]) -> dict[str, StateT]:
    return {name: state for name, state in states.items() if name not in hosts}
