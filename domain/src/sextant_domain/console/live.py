"""The event stream: one snapshot, then deltas; a full snapshot again after a gap."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name
from sextant_domain.console.alerts import AlertCounts
from sextant_domain.console.views import ChainView, HostView, NfView
from sextant_domain.hosts.telemetry import TelemetryBatch
from sextant_domain.laws.recommendation import Recommendation
from sextant_domain.plans.evidence import Algorithm, Doubt, PlanProgress, PlanStatus
from sextant_domain.plans.operation import Operation
from sextant_domain.plans.plan import PlanSource, PlanState, PlanWait
from sextant_domain.profiling.job import ProfilingJob, ProfilingPoint
from sextant_domain.studies.study import Study


class PlanBrief(Frozen):
    """A plan as lists show it: without its body."""

    id: int
    state: PlanState
    kind: str
    subject: str
    """Chain or NF it is about, 'fleet' for a re-placement."""
    changes: int
    rejected: int
    operation_id: int | None
    algorithm: Algorithm | None = None
    """What was asked for; None: the engine's choice."""
    status: PlanStatus | None = None
    doubt: Doubt | None = None
    """Why a plan of status `optimal` is not called so: its models were never tested, or did not hold."""
    gap: float | None = None
    """Relative; None without a bound."""
    source: PlanSource = "fleet"
    comparison_id: int | None = None
    progress: PlanProgress | None = None
    waits_for: PlanWait | None = None
    created_at: datetime
    created_by: str


class SnapshotEvent(Frozen):
    """Everything the console shows, at one moment."""

    event: Literal["snapshot"] = "snapshot"
    taken_at: datetime
    hosts: tuple[HostView, ...]
    nfs: tuple[NfView, ...]
    chains: tuple[ChainView, ...]
    plans: tuple[PlanBrief, ...]
    """Open ones (planning, proposed, applying) and the newest 20."""
    operations: tuple[Operation, ...]
    """Those not final, and the newest 20."""
    profiling: tuple[ProfilingJob, ...] = ()
    """Jobs that are not final, and the newest 20."""
    studies: tuple[Study, ...] = ()
    """Those that are not final, and the newest 20."""
    recommendations: tuple[Recommendation, ...] = ()
    """The open one, if there is one."""
    alerts: AlertCounts = AlertCounts()


class TelemetryEvent(Frozen):
    """A batch, as it came from the agent."""

    event: Literal["telemetry"] = "telemetry"
    batch: TelemetryBatch


class HostEvent(Frozen):
    """A host's status, inventory or generation changed."""

    event: Literal["host"] = "host"
    host: HostView
    nfs: tuple[NfView, ...]
    """All NFs of that host, replacing what was known."""


class HostGoneEvent(Frozen):
    """A host left the fleet."""

    event: Literal["host_gone"] = "host_gone"
    host: Name


class ChainEvent(Frozen):
    """A chain was submitted or changed its state."""

    event: Literal["chain"] = "chain"
    chain: ChainView


class ChainGoneEvent(Frozen):
    """A chain was removed."""

    event: Literal["chain_gone"] = "chain_gone"
    name: Name


class PlanEvent(Frozen):
    """A plan was made or changed its state."""

    event: Literal["plan"] = "plan"
    plan: PlanBrief


class OperationEvent(Frozen):
    """An operation moved on."""

    event: Literal["operation"] = "operation"
    operation: Operation


class ProfilingEvent(Frozen):
    """A profiling job moved on, or one of its points."""

    event: Literal["profiling"] = "profiling"
    job: ProfilingJob
    point: ProfilingPoint | None
    """The one that changed; None where the job as a whole did."""


class StudyEvent(Frozen):
    """A study was asked for, moved on or ended."""

    event: Literal["study"] = "study"
    study: Study


class StudyGoneEvent(Frozen):
    """A study was removed."""

    event: Literal["study_gone"] = "study_gone"
    id: int


class RecommendationEvent(Frozen):
    """A re-placement is recommended, or a recommendation was decided or withdrawn."""

    event: Literal["recommendation"] = "recommendation"
    recommendation: Recommendation


class AlertsEvent(Frozen):
    """Alerts or silences changed; lists of them are to be fetched again."""

    event: Literal["alerts"] = "alerts"
    counts: AlertCounts


LiveEvent = Annotated[
    SnapshotEvent
    | TelemetryEvent
    | HostEvent
    | HostGoneEvent
    | ChainEvent
    | ChainGoneEvent
    | PlanEvent
    | OperationEvent
    | ProfilingEvent
    | StudyEvent
    | StudyGoneEvent
    | RecommendationEvent
    | AlertsEvent,
    Field(discriminator="event"),
]
"""`data:` of a server-sent event; `id:` is the stream's position; a comment line keeps an idle stream alive."""
