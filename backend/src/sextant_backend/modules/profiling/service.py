"""Designs and starts profiling jobs, shows them, and takes operators' actions. Measuring is `tasks.py`."""

import secrets

from sextant_domain.console.views import Page
from sextant_domain.problem import NextAction
from sextant_domain.profiling.job import (
    JobAction,
    JobState,
    PointState,
    ProfileRecord,
    ProfilingAsk,
    ProfilingDesign,
    ProfilingJob,
    ProfilingPoint,
)
from sqlalchemy.orm import Session

from sextant_backend.domain_events import HostsLeave
from sextant_backend.kit import outbox
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.logging import current_request_id
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.hosts.service import HostInUse
from sextant_backend.modules.profiling import claim_next, repository, views
from sextant_backend.modules.profiling.errors import JobActionNotAllowed
from sextant_backend.modules.profiling.job_design import Designed, Point, designed
from sextant_backend.modules.profiling.models import ProfilingJobRow, ProfilingPointRow
from sextant_backend.modules.profiling.operator_actions import offers
from sextant_backend.modules.profiling.point_rows import new_point
from sextant_backend.modules.profiling.record import JobActionAsked
from sextant_backend.modules.records.views import record as record_view


def design(session: Session, ask: ProfilingAsk) -> ProfilingDesign:
    """What a job would measure and how long it would take; nothing is stored. Raises as `start`."""
    return designed(session, ask).design


def start(session: Session, ask: ProfilingAsk, who: Principal) -> ProfilingJob:
    """Store a job and ring for a worker; raises ValidationFailed with the field, or HostCannotProfile."""
    made = designed(session, ask)
    row = _row(made, who)
    repository.add(session, row, [_point(session, number, point) for number, point in enumerate(made.points)])
    other = repository.before_it(session, row)
    if other is not None:
        row.note = f"job {other} is at work on {row.host_id}, or comes first"
    detail = {"nf_type": ask.nf_type, "host": ask.host, "points": len(made.design.points), "known": made.design.known}
    if made.design.grid_points is not None:
        detail["grid_points"] = made.design.grid_points
    audit.record(
        session, who.username, "profiling.start", f"profiling/{row.id}", detail, name=f"{ask.nf_type} on {ask.host}"
    )
    outbox.ring(session, TaskName.PROFILE, row.id)
    views.publish_job(session, row, None)
    return views.jobs(session, [row])[0]


def _row(made: Designed, who: Principal) -> ProfilingJobRow:
    ask = made.design.ask
    return ProfilingJobRow(
        ask=ask.model_dump(mode="json"),
        nf_type=ask.nf_type,
        host_id=ask.host,
        host_model=made.design.host_model,
        versions=dict(made.versions),
        mark=secrets.token_hex(4),
        left_out=list(made.design.left_out),
        expected_s=made.design.expected_s,
        grid_points=made.design.grid_points,
        request_id=current_request_id(),
        created_by=who.username,
    )


def _point(session: Session, number: int, point: Point) -> ProfilingPointRow:
    return new_point(session, number, point.setting, point.request.model_dump(mode="json"), point.record)


def page(
    session: Session, asked: Paging, nf_type: str | None, state: JobState | None, host: str | None
) -> Page[ProfilingJob]:
    """A page of jobs: of one NF type, in one state, on one host."""
    found = repository.page(session, asked, nf_type=nf_type, state=state.value if state else None, host=host)
    return found.page(views.jobs(session, found.rows))


def newest(session: Session, count: int) -> tuple[ProfilingJob, ...]:
    """Every job that is not final, and the newest `count`: for the snapshot of the event stream."""
    return tuple(views.jobs(session, repository.newest(session, count)))


def one(session: Session, job_id: int) -> ProfilingJob:
    """One job; raises NotFound."""
    return views.jobs(session, [_found(session, job_id)])[0]


def _found(session: Session, job_id: int, *, lock: bool = False) -> ProfilingJobRow:
    row = repository.job(session, job_id, lock=lock)
    if row is None:
        raise NotFound(f"There is no profiling job {job_id}; `sextant profile jobs` shows those that are.")
    return row


def points(session: Session, job_id: int, asked: Paging, state: PointState | None) -> Page[ProfilingPoint]:
    """A page of a job's points, in one state; raises NotFound."""
    _found(session, job_id)
    found = repository.points(session, asked, job_id, state.value if state else None)
    return found.page(views.points(session, job_id, found.rows))


def records(
    session: Session, asked: Paging, nf_type: str | None, host_model: str | None, job_id: int | None
) -> Page[ProfileRecord]:
    """A page of stored measurements."""
    found = repository.records(session, asked, nf_type=nf_type, host_model=host_model, job_id=job_id)
    return found.page(record_view(row) for row in found.rows)


def ask(session: Session, job_id: int, action: JobAction, who: Principal) -> ProfilingJob:
    """Pause, resume, cancel or retry; raises JobActionNotAllowed with the reason."""
    row = _found(session, job_id, lock=True)
    counts = repository.point_counts(session, [row.id])[row.id]
    offer = next(offer for offer in offers(row, counts) if offer.action is action)
    if not offer.allowed:
        raise JobActionNotAllowed(
            f"Profiling job {job_id} cannot {action.value}: {offer.reason}. Nothing was changed.",
            next_actions=[NextAction(label="See what it allows", command=f"sextant profile show {job_id}")],
        )
    name = f"{row.nf_type} on {row.host_id}"
    detail = {"nf_type": row.nf_type}
    audit.record(session, who.username, f"profiling.{action.value}", f"profiling/{job_id}", detail, name=name)
    claim_next.apply(session, row, JobActionAsked(action))
    return views.jobs(session, [row])[0]


def refuse_leaving(session: Session, leaving: HostsLeave) -> None:
    """HostInUse where a job measures on one of the (locked) hosts."""
    for host_id, job in sorted(repository.measuring(session, leaving.host_ids).items()):
        raise HostInUse(
            f"Profiling job {job} measures on {host_id}. Nothing was removed.",
            next_actions=[NextAction(label="Cancel it, or let it end", command=f"sextant profile cancel {job}")],
        )
