"""What a control law brings along; whoever runs laws (`modules/control`) knows no more of one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel
from sextant_domain.laws.frame import LawName, Proposal
from sextant_domain.laws.recommendation import PolicyMode, RecommendationPolicy
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import Intent
from sextant_domain.plans.plan import PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.control.frame import ControlLaw, LawMemory
from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

LawState = TypeVar("LawState")
LawState_co = TypeVar("LawState_co", covariant=True)
ObservationT = TypeVar("ObservationT", bound=BaseModel)


@dataclass(frozen=True)
class LawInput:
    """What a law is given."""

    policy: RecommendationPolicy
    """Of the fleet."""
    snapshot: FleetSnapshot
    """Hosts that the law may change, with what runs there; chains that wait are left out."""
    kept: frozenset[str] = frozenset()
    """Chains that stay where they are: of those hosts, the ones whose policy is manual."""


@dataclass(frozen=True)
class Draft:
    """What a law would have done, as an ordinary plan."""

    intent: Intent
    solving: Solving
    body: PlanBody
    recommendation: dict[str, Any]
    """Recommendation as JSON, without what stands in columns."""


@dataclass(frozen=True)
class Observed(Generic[ObservationT]):
    """What a law observed."""

    observation: ObservationT
    hosts: tuple[str, ...]
    """Those that its proposal would change."""
    draft: Draft | None = None
    """None where an earlier observation was brought up to date: nothing was planned."""


class Law(Protocol[LawState_co]):
    """One law, as far as policies, recommendations and pages have to do with it."""

    @property
    def name(self) -> LawName:
        """As it is stored, and named in paths and commands."""

    @property
    def title(self) -> str:
        """As the console calls it."""

    @property
    def summary(self) -> str:
        """What it does, in a sentence."""

    @property
    def by_host(self) -> bool:
        """Whether it is evaluated for each host by itself, or once for the fleet."""

    @property
    def rests_on_models(self) -> bool:
        """Whether its plans are as good as the performance models in use: it does not act on distrusted ones."""

    @property
    def when_off(self) -> str:
        """What becomes of its work while its policy is manual, as the end of a sentence: 'an operator asks for ...'."""

    @property
    def state(self) -> type[LawState_co]:
        """What it remembers; stored as JSON."""

    def initial(self) -> LawState_co:
        """What it remembers before its first evaluation."""

    def period_s(self, policy: RecommendationPolicy) -> float:
        """Seconds from one evaluation to the next."""

    def by_itself(self, policy: RecommendationPolicy) -> str:
        """What it does where its policy is automatic, as a sentence."""


class LawModule(Law[LawState], Protocol[LawState, ObservationT]):
    """A law that plans on snapshots of the fleet. No transaction is open while it is called."""

    @property
    def observation(self) -> type[ObservationT]:
        """What it observes; stored as JSON while the fleet stays as it is."""

    def control(self) -> ControlLaw[LawState, ObservationT, Proposal]:
        """The law itself, with its parameters as they are now."""

    def observe(self, given: LawInput) -> Observed[ObservationT]:
        """Plan, and say what the plan would gain; with a draft."""

    def refresh(self, observation: ObservationT) -> ObservationT:
        """The same of a fleet that stays as it is, with what is measured now."""


@dataclass(frozen=True, slots=True)
class HostInput:
    """What a law that is evaluated every second is given of one host, beside what it has read."""

    host: str
    mode: PolicyMode
    """That holds for what runs there; manual where the law may change nothing."""
    kept: frozenset[str]
    """Chains there that stay as they are: their policy is manual."""
    stopped: str | None
    """Why the law rests there: all laws are stopped, or there is maintenance."""
    operation: int | None
    """That holds the host."""
    memory: LawMemory[Any]
    answered: str | None
    """What became of its last recommendation there; None where it is open, or there was none."""
    open_id: int | None
    """Its open recommendation there."""
    only_takes: bool = False
    """The law does not look at it: it runs nothing, and may take what has no room elsewhere."""

    @property
    def why_closed(self) -> str | None:
        """Why nothing may be put there; None: it may."""
        if self.stopped is not None or self.mode is PolicyMode.MANUAL:
            return self.stopped or "its policy is manual"
        return None if self.operation is None else "an operation runs there"


@dataclass(frozen=True, slots=True)
class HostOutcome:
    """What came of one host in one second."""

    host: str
    memory: LawMemory[Any]
    """The same object where nothing is to be remembered."""
    withdraw: str | None = None
    """Why its open recommendation is taken back."""
    proposed: Any = None
    """What it would recommend; whoever runs it asks it to draft that. None: nothing new."""
    urgency: float = 0.0
    """Of what is proposed: the most urgent are drafted first, since a turn drafts a few."""
    apply: bool = False
    """Carry it out without asking."""
    others: tuple[str, ...] = ()
    """Further hosts that what is proposed changes."""
    again_s: float | None = None
    """It is to be evaluated again after so many seconds, whether or not anything was measured until then."""


class EachSecondLaw(Law[LawState_co], Protocol[LawState_co]):
    """A law that is evaluated every second, for all hosts in one turn. What it keeps between turns beside its memory is
    of this process, and may be lost."""

    @property
    def parameters(self) -> type[BaseModel]:
        """What is chosen for it in the whole fleet."""

    def due(self) -> ColumnElement[bool]:
        """Whether there is anything to evaluate, as a condition of a query."""

    def status_on(self, session: Session, host: str) -> tuple[str, datetime] | None:
        """What came of a host last, and when; None where the law does not look at it."""

    @property
    def reads_early(self) -> bool:
        """Whether it goes by early reports as well: it is evaluated at once for hosts that have made one."""

    def read(self, session: Session, only: frozenset[str] | None = None) -> Any:
        """All that a turn needs, in a few statements. `only`: a turn of these hosts, the others stay as they are."""

    def hosts(self, read: Any) -> Mapping[str, tuple[str, ...]]:
        """The chains of every host that the law looks at."""

    def takers(self, read: Any) -> Mapping[str, tuple[str, ...]]:
        """Hosts that it does not look at in this turn, and that may take what has no room elsewhere; with the chains
        there that it looks at in others."""

    def forget(self) -> None:
        """Another process had the last turn: begin anew."""

    def evaluate(self, read: Any, given: Sequence[HostInput], parameters: Any, now_s: float) -> Sequence[HostOutcome]:
        """One step for every host; nothing is read or written."""

    def draft(self, snapshot: FleetSnapshot, outcome: HostOutcome) -> Draft | str:
        """What is proposed, as an ordinary plan of its host, or why it cannot be one."""

    def drafted(self, outcome: HostOutcome, recommendation_id: int | None, why_not: str | None) -> LawMemory[Any]:
        """What is remembered once what is proposed is recommended, or where it cannot be."""

    def write(self, session: Session, read: Any, outcomes: Sequence[HostOutcome]) -> str | None:
        """What pages show of every host; and the law's status in the fleet, without a full stop, None: as it is."""


AnyLaw = Law[Any]
PlanningLaw = LawModule[Any, Any]
PacedLaw = EachSecondLaw[Any]
