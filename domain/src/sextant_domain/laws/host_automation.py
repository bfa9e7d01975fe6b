"""What Sextant does by itself on one host: each control law, what holds it back, what else goes without an operator."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from sextant_domain.base import Frozen, Name
from sextant_domain.laws.automation import ScopedPolicy
from sextant_domain.laws.frame import LawName
from sextant_domain.laws.recommendation import PolicyMode, Recommendation


class PolicySource(StrEnum):
    """Where the policy in force comes from."""

    DEFAULT = "default"
    """The fleet's, which nobody has set."""
    FLEET = "fleet"
    HOST = "host"
    CHAIN = "chain"
    """Chains that run on the host have policies of their own, and the least of them holds there."""


class LawOnHost(Frozen):
    """One control law, as it concerns one host."""

    law: LawName
    title: str
    mode: PolicyMode
    """In force for what runs on the host."""
    source: PolicySource
    changed_by: str
    """Who set that policy: a user, or `system`."""
    changed_at: datetime
    chains: tuple[ScopedPolicy, ...]
    """Policies of chains that run on the host."""
    policy: str
    """How far it may act here, and why, as a sentence."""
    held_back: tuple[str, ...]
    """What keeps it from acting just now, a sentence each; empty where nothing does, and where it is off."""
    status: str
    """Result of the last evaluation, without a full stop; of the whole fleet where a law is not evaluated by host."""
    evaluated_at: datetime | None
    """None before the first time."""
    next_at: datetime | None
    """When it is evaluated again; None while all laws are stopped, and where it is due at once."""
    recommendations: tuple[Recommendation, ...]
    """Open ones that would change the host."""


class UnattendedAction(Frozen):
    """Something else that is done on a host without an operator."""

    kind: Literal["restart", "manager", "operation", "profiling"]
    text: str
    """One or two sentences."""


class HostAutomation(Frozen):
    """What Sextant does by itself on a host."""

    host: Name
    stopped: bool
    """All control laws are stopped."""
    laws: tuple[LawOnHost, ...]
    others: tuple[UnattendedAction, ...]
