"""What modules let those above them know, typed: all there is of it.

A module announces what it has done, or is about to do, and knows nobody who follows; modules above it follow
(`wiring.py` says which, before a process serves or works). Followers are called at once and in the transaction of the
announcer: all is stored or nothing, and one that raises refuses the whole. What is sent after the commit only are
events of the console's stream and rings for workers (`kit/outbox.py`).
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from sextant_domain.laws.recommendation import RecommendationPolicy
from sextant_domain.plans.plan import PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.problem import Problem
from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class BatchesStored:
    """Telemetry of these hosts is stored."""

    changed: Mapping[str, bool]
    """By host: whether it is to be published to consoles even if it was up before."""


@dataclass(frozen=True, slots=True)
class HostLeaves:
    """A host, its row locked, is about to be forgotten; a follower may raise hosts.service.HostInUse."""

    host_id: str


@dataclass(frozen=True, slots=True)
class HostRenumbered:
    """The order of a host, its row locked, is about to get another number; a follower may raise
    hosts.service.HostInUse."""

    host_id: str


@dataclass(frozen=True, slots=True)
class ModelsPromoted:
    """Plans use other models of these NF types from now on."""

    nf_types: frozenset[str]


@dataclass(frozen=True, slots=True)
class ChainRemoved:
    """A chain is no more, and its name is free."""

    name: str


@dataclass(frozen=True, slots=True)
class HostOrdered:
    """A host's agent has accepted an order, which is booked in this transaction: a plan's, or the way back from it."""

    host_id: str
    plan_id: int


@dataclass(frozen=True, slots=True)
class OperationEnded:
    """The operation of a plan has ended, for good."""

    plan_id: int
    problem: Problem | None
    """Why the plan was not carried out; None where it was."""


@dataclass(frozen=True, slots=True)
class RecommendationMade:
    """A re-placement is recommended, as a plan of its own, which is stored in this transaction."""

    plan_id: int
    snapshot: FleetSnapshot
    body: PlanBody
    policy: RecommendationPolicy


class AlertNews(StrEnum):
    """What there is to say of an alert."""

    FIRED = "fired"
    REPEATED = "repeated"
    """It fires still, and nobody has acknowledged it."""
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class AlertTransition:
    """An alert that somebody has to hear of."""

    alert_id: int
    kind: str
    severity: str
    news: AlertNews


@dataclass(frozen=True, slots=True)
class AlertsChanged:
    """What one round of evaluation found, or a silence let go; without what a silence holds back."""

    transitions: tuple[AlertTransition, ...]


Event = (
    AlertsChanged
    | BatchesStored
    | ChainRemoved
    | HostLeaves
    | HostOrdered
    | HostRenumbered
    | ModelsPromoted
    | OperationEnded
    | RecommendationMade
)
_Event = TypeVar("_Event", bound=Event)
_followers: dict[type[Any], list[Callable[[Session, Any], object]]] = defaultdict(list)


def follow(kind: type[_Event], follower: Callable[[Session, _Event], object]) -> None:
    """From now on call `follower` with every event of this kind; once, however often it was said."""
    if follower not in _followers[kind]:
        _followers[kind].append(follower)


def announce(session: Session, event: Event) -> None:
    """Call all that follow, in the order in which they began to; raises what they raise.

    RuntimeError where nobody follows: this process has not called `wiring.connect`, and would lose what must happen.
    """
    followers = _followers[type(event)]
    if not followers:
        raise RuntimeError(f"nobody follows {type(event).__name__}: call wiring.connect() when the process starts")
    for follower in followers:
        follower(session, event)
