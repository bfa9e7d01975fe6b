"""Alerts: conditions that somebody should know of, the rules by which they are found, and silences."""

import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, StringConstraints, field_validator, model_validator

from sextant_domain.base import Frozen

MOST_SILENCE_DAYS = 30
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
ObjectName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/@:-]{0,199}$")]
NamePattern = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9*][A-Za-z0-9._/@:*-]{0,199}$")]
"""A name in which `*` stands for any text."""


class AlertKind(StrEnum):
    """What a rule looks for; each kind is one rule."""

    SLO_VIOLATED = "slo_violated"
    HOST_STALE = "host_stale"
    OPERATION_FAILED = "operation_failed"
    SLO_BURN_RATE = "slo_burn_rate"
    TRUST_LOST = "trust_lost"
    CERTIFICATE_EXPIRING = "certificate_expiring"
    DISK_FILLING = "disk_filling"
    LAW_STOPPED = "law_stopped"
    WAY_CUT = "way_cut"
    COSTS_DRIFTED = "costs_drifted"
    NETWORK_REVERTED = "network_reverted"


class AlertSeverity(StrEnum):
    """How soon somebody has to act: now, today, or not at all."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


class AlertState(StrEnum):
    """`pending`: the condition holds, but not yet for as long as the rule demands."""

    PENDING = "pending"
    FIRING = "firing"
    RESOLVED = "resolved"


class AlertObjectKind(StrEnum):
    """What an alert is about."""

    CHAIN = "chain"
    HOST = "host"
    OPERATION = "operation"
    LAW = "law"
    MODEL = "model"
    CERTIFICATE = "certificate"
    VOLUME = "volume"


class Acknowledgement(Frozen):
    """Somebody has seen an alert and works on it."""

    by: str
    at: datetime
    note: str


class Alert(Frozen):
    """One condition of one object, from when it was first seen until it ended."""

    id: int
    kind: AlertKind
    severity: AlertSeverity
    object_kind: AlertObjectKind
    object_name: str
    state: AlertState
    summary: str
    """What is wrong, in one sentence."""
    cause: str
    next_step: str
    """What to do about it."""
    pending_since: datetime
    """When the condition was first seen, less the time in which nothing was known."""
    fired_at: datetime | None
    unknown_since: datetime | None
    """Since when nothing is known of the object: the alert stays as it was. None while it is observed."""
    resolved_at: datetime | None
    resolved_because: str | None
    acknowledged: Acknowledgement | None
    silence_id: int | None
    """The silence that holds it back now."""
    version: int


class AlertCounts(Frozen):
    """Alerts that fire and are neither acknowledged nor silenced, by severity; and the others that fire."""

    critical: int = 0
    warning: int = 0
    info: int = 0
    acknowledged: int = 0
    silenced: int = 0
    revision: int = 0
    """Rises with every change of an alert or silence: what was fetched before is out of date."""


class AlertAcknowledge(Frozen):
    """Body of POST /alerts/{id}/acknowledge."""

    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)] = ""


class SilenceMatcher(Frozen):
    """What a silence holds back: alerts that fit every field that is given."""

    kind: AlertKind | None = None
    severity: AlertSeverity | None = None
    object_kind: AlertObjectKind | None = None
    object_name: NamePattern | None = None

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if all(part is None for part in (self.kind, self.severity, self.object_kind, self.object_name)):
            raise ValueError("name kind, severity, object_kind or object_name; an object_name of * matches every alert")
        return self

    def matches(self, kind: AlertKind, severity: AlertSeverity, object_kind: AlertObjectKind, object_name: str) -> bool:
        """Whether such an alert is held back."""
        return (
            self.kind in (None, kind)
            and self.severity in (None, severity)
            and self.object_kind in (None, object_kind)
            and (self.object_name is None or _fits(self.object_name, object_name))
        )


def _fits(pattern: str, name: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


class SilenceNew(SilenceMatcher):
    """Body of POST /alert-silences."""

    until: datetime
    """At most 30 days from now."""
    reason: Text


class Silence(Frozen):
    """Alerts that fit are shown but not sent until it ends."""

    id: int
    matcher: SilenceMatcher
    reason: str
    created_by: str
    created_at: datetime
    until: datetime
    ended_at: datetime | None
    """When somebody ended it early."""
    ended_by: str | None
    active: bool


class RuleParameter(Frozen):
    """A threshold of a rule."""

    name: str
    title: str
    unit: str
    value: float
    default: float
    least: float
    most: float


class AlertRule(Frozen):
    """How one kind of alert is found."""

    kind: AlertKind
    title: str
    summary: str
    object_kind: AlertObjectKind
    enabled: bool
    severity: AlertSeverity
    fire_after_s: float
    """The condition must have held for so long, without time in which nothing was known."""
    resolve_after_s: float
    """It must have been absent for so long."""
    repeat_after_s: float
    """One that nobody acknowledges is sent again every so often; 0: it is sent once."""
    parameters: tuple[RuleParameter, ...]
    changed_at: datetime | None
    """None: as shipped."""
    changed_by: str | None
    version: int


Seconds = Annotated[float, Field(ge=0, le=86_400)]
LEAST_REPEAT_S = 300.0
"""More often, messages would hide each other."""


class AlertRuleChange(Frozen):
    """Body of PATCH /alert-rules/{kind}; what is left out stays."""

    enabled: bool | None = None
    severity: AlertSeverity | None = None
    fire_after_s: Seconds | None = None
    resolve_after_s: Seconds | None = None
    repeat_after_s: Seconds | None = None
    """0, or at least 300."""
    parameters: dict[str, float] | None = None
    """By name; others stay."""

    @field_validator("repeat_after_s")
    @classmethod
    def _not_too_often(cls, value: float | None) -> float | None:
        if value and value < LEAST_REPEAT_S:
            raise ValueError(f"must be 0 (sent once) or at least {LEAST_REPEAT_S:g}")
        return value
