"""Recommendations of control laws: what a fleet policy allows, and what is recommended."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StrictBool

from sextant_domain.base import Frozen, Name, Provenance, StrictFloat, StrictInt
from sextant_domain.laws.frame import LawName
from sextant_domain.plans.trust import TrustVerdict


class PolicyMode(StrEnum):
    """How far the control law may act."""

    MANUAL = "manual"
    """Nothing is evaluated: an operator asks for re-placements."""
    RECOMMEND = "recommend"
    AUTOMATIC = "automatic"
    """It applies what it would recommend, where every model that the plan rests on is trusted."""


class RecommendationPolicy(Frozen):
    """When a re-placement is worth recommending, and what may be done about it."""

    mode: PolicyMode = PolicyMode.RECOMMEND
    margin_percent: Annotated[StrictFloat, Field(ge=0, le=1000)] = 5.0
    """Least gain, of what the hosts that would change score now; one that restores an SLO needs no such gain."""
    margin_mpps: Annotated[StrictFloat, Field(ge=0.001, le=1000)] = 0.1
    """Least gain, value x Mpps; also of each host that would change."""
    hold_s: Annotated[StrictFloat, Field(ge=0, le=86_400)] = 60.0
    """Seconds for which a gain must last before it is recommended."""
    max_moves: Annotated[StrictInt, Field(ge=1, le=1000)] = 4
    """Budget: NFs that one recommendation may move to another node."""
    rest_s: Annotated[StrictFloat, Field(ge=0, le=86_400)] = 60.0
    """Seconds after the end of an operation in which nothing is recommended, so that the fleet settles."""
    every_s: Annotated[StrictFloat, Field(ge=5, le=3600)] = 15.0
    """Seconds from one evaluation to the next."""
    races: StrictBool = True
    """Whether other algorithms plan, too, for what is recommended or applied, in the background."""


class PolicyView(Frozen):
    """The policy in force, and what the control law says at present."""

    policy: RecommendationPolicy
    status: str
    """Why nothing is recommended, or what is: 'nothing is to be gained', 'a gain of 0.84 value x Mpps stands for 12 s
    of 60 s'."""
    evaluated_at: datetime | None
    """When the law was last evaluated; None before the first time."""
    changed_at: datetime
    changed_by: str
    """A user, or `system` where it was set back because a predictor lost trust."""
    version: int


class RecommendationState(StrEnum):
    """Life of a recommendation."""

    OPEN = "open"
    ACCEPTED = "accepted"
    """Its plan was applied."""
    DISMISSED = "dismissed"
    WITHDRAWN = "withdrawn"
    """The gain has gone, a host has moved on, or its models were replaced or are wrong (`reason`)."""


class MoveLoss(Frozen):
    """What a chain is reckoned to lose as it moves."""

    share: Annotated[float, Field(ge=0, le=1)]
    """Of what it carries in a second."""
    moves: int = Field(default=0, ge=0)
    """It is the median of so many completed moves; 0: nobody measured any, and it is assumed."""
    moves_of: Literal["chain", "host", "driver"] | None = None
    """Moves of this chain itself, of chains on its host, or on hosts of its driver; null where it is assumed."""
    chain: Name | None = Field(default=None, exclude_if=lambda chain: chain is None)
    """Of those that would move, the one that is reckoned to lose most, where chains differ."""
    provenance: Provenance
    """`measured`, `simulated` where the twin computed it, or `assumed`."""


class Recommendation(Frozen):
    """One change that pays: what, gain, which SLOs it restores, what it costs."""

    id: int
    law: LawName = "octans"
    """Which control law recommends it."""
    host: Name | None = None
    """The host that the law was evaluated for; None: the fleet. At most one is open by law and host."""
    plan_id: int
    state: RecommendationState
    hosts: tuple[Name, ...]
    """Those it would change."""
    chains: tuple[Name, ...]
    """Those of which NFs would move."""
    moves: int
    """NFs that would change their core."""
    gain_mpps: float
    """Value x Mpps that the hosts' chains would carry more, by the engine's prediction."""
    gain_gbps: float | None = Field(default=None, exclude_if=lambda gain: gain is None)
    """Of laws that reckon in Gbps on the wire: what its chains would carry more; `gain_mpps` is 0 then. 0 where
    nothing moves, and the host's agent is handed ways and bandwidth. Absent of all others."""
    measured_gain_gbps: float | None = Field(default=None, exclude_if=lambda gain: gain is None)
    """The same by measurement, at the load of after."""
    because: str | None = Field(default=None, exclude_if=lambda text: text is None)
    """Why, where the law says: 'web is offered 8.8 Gbps and carries 7.7 on node 1; swapping with nat ...'."""
    move_loss: MoveLoss | None = Field(default=None, exclude_if=lambda loss: loss is None)
    """Of laws that weigh the gain against what moves lose; absent where nothing moves."""
    measured_gain_mpps: float | None = None
    """Value x Mpps that they carry more since it was carried out, measured before and in the first window after; None
    where that was not measured, or not yet."""
    low_mpps: float | None
    """Of the 95 % interval of the gain; None where a model has no interval."""
    high_mpps: float | None
    gain_percent: float | None
    """Of what the hosts that it would change score now, by prediction; None where that is nothing."""
    provenance: Provenance
    """`predicted`, or `assumed` where one of the models is."""
    restores: tuple[Name, ...]
    """Chains that gain, whose throughput SLO is missed now, by measurement or where there is none by prediction, and
    would be met."""
    breaks: tuple[Name, ...]
    """Chains whose throughput SLO is met now, by measurement or where there is none by prediction, and would be
    missed."""
    trust: TrustVerdict
    """The lowest trust among the models that it rests on."""
    trust_why: str
    automatic: bool = False
    """True where the policy applied it itself."""
    reason: str | None = None
    """Why it was withdrawn."""
    operation_id: int | None = None
    created_at: datetime
    decided_at: datetime | None = None
    decided_by: str | None = None


class RecommendationAction(Frozen):
    """What an operator does with an open recommendation."""

    action: Literal["accept", "dismiss"]
