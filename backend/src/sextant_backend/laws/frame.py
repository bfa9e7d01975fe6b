"""What a control law brings along; whoever runs laws (`modules/control`) knows no more of one."""

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel
from sextant_domain.laws.frame import LawName, Proposal
from sextant_domain.laws.recommendation import RecommendationPolicy
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import Intent
from sextant_domain.plans.plan import PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.control.frame import ControlLaw

LawState = TypeVar("LawState")
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


class LawModule(Protocol[LawState, ObservationT]):
    """One law. No transaction is open while it is called."""

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
    def state(self) -> type[LawState]:
        """What it remembers; stored as JSON."""

    @property
    def observation(self) -> type[ObservationT]:
        """What it observes; stored as JSON while the fleet stays as it is."""

    def control(self) -> ControlLaw[LawState, ObservationT, Proposal]:
        """The law itself, with its parameters as they are now."""

    def observe(self, given: LawInput) -> Observed[ObservationT]:
        """Plan, and say what the plan would gain; with a draft."""

    def refresh(self, observation: ObservationT) -> ObservationT:
        """The same of a fleet that stays as it is, with what is measured now."""


AnyLaw = LawModule[Any, Any]
