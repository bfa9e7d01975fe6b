"""What operators set and see of all control laws: policies by scope, the switch that stops them, and the timeline."""

from datetime import datetime
from enum import StrEnum

from pydantic import StrictBool

from sextant_domain.base import Frozen, Name
from sextant_domain.laws.frame import LawName
from sextant_domain.laws.recommendation import PolicyMode


class PolicyScope(StrEnum):
    """What a policy holds for; the narrowest wins: that of a chain, then of its host, then of the fleet."""

    FLEET = "fleet"
    HOST = "host"
    CHAIN = "chain"


class NarrowScope(StrEnum):
    """Scopes within the fleet."""

    HOST = "host"
    CHAIN = "chain"


class ScopedPolicy(Frozen):
    """How far one law may act within one scope."""

    id: int
    law: LawName
    scope: PolicyScope
    name: Name | None
    """Of the host or chain; None: the fleet."""
    mode: PolicyMode
    changed_at: datetime
    changed_by: str


class ModeChoice(Frozen):
    """How far a law may act on a host or a chain. Margin, hold time and budget are those of the law's fleet policy."""

    mode: PolicyMode


class LawView(Frozen):
    """One control law, and what it does at present."""

    name: LawName
    title: str
    summary: str
    mode: PolicyMode
    """Of its fleet policy."""
    status: str
    """Why nothing is recommended, or what is."""
    evaluated_at: datetime | None
    """None before the first time."""


class Automation(Frozen):
    """All control laws, and the switch that stops them."""

    stopped: bool
    """While it is true no law is evaluated, nothing is recommended and nothing is applied by itself."""
    changed_at: datetime
    changed_by: str
    version: int
    laws: tuple[LawView, ...]


class AutomationSwitch(Frozen):
    """Stop all control laws, or let them go on."""

    stopped: StrictBool


class TimelineEvent(StrEnum):
    """What happened."""

    MADE = "recommendation.make"
    ACCEPTED = "recommendation.accept"
    DISMISSED = "recommendation.dismiss"
    WITHDRAWN = "recommendation.withdraw"
    MEASURED = "recommendation.measured"
    """What an accepted one gained by measurement."""
    WITHIN_BOUNDS = "chain.within_bounds"
    """A host's agent changed what the bounds of its order leave to it, of one chain, in a minute."""
    REROUTED = "chain.rerouted"
    """A host's agent led a chain over another of its links, or saw it cut."""
    POLICY_SET = "policy.set"
    POLICY_CLEARED = "policy.clear"
    POLICY_DEMOTED = "policy.demote"
    """An automatic policy took itself back: a predictor lost trust."""
    STOPPED = "automation.stop"
    RESUMED = "automation.resume"


class TimelineEntry(Frozen):
    """One decision about control laws or by them, or what came of one."""

    id: int
    at: datetime
    event: TimelineEvent
    law: LawName | None
    """None where it concerns all."""
    actor: str
    """A user, `system`, or the host of an agent: `host/edge-1`."""
    recommendation_id: int | None
    plan_id: int | None
    text: str
    """In one sentence, without a full stop."""
