"""What a kind of alert is."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class Condition:
    """What is wrong with an object, for people."""

    summary: str
    cause: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Findings:
    """One look at all objects of a kind. An object that is in none of these is well."""

    bad: Mapping[str, Condition] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()
    """Nothing can be said of them now."""
    gone: frozenset[str] = frozenset()
    """Of those that were asked for: they are no more, or nobody wants to know."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A threshold, with its bounds."""

    name: str
    title: str
    unit: str
    default: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Look:
    """What a kind is given."""

    now: datetime
    tracked: Collection[str]
    """Objects that an alert is open for."""
    parameters: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class KindSpec:
    """A kind, as it is registered: one rule, and how it is evaluated."""

    kind: AlertKind
    title: str
    summary: str
    object_kind: AlertObjectKind
    severity: AlertSeverity
    fire_after_s: float
    resolve_after_s: float
    observe: Callable[[Session, Look], Findings]
    repeat_after_s: float = 4 * 3600.0
    """As long as Alertmanager's `repeat_interval` is by default."""
    every_s: float = 0.0
    """Evaluated at most so often; 0: in every round."""
    parameters: tuple[Parameter, ...] = ()
