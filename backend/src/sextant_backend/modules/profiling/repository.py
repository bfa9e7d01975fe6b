"""Queries of profiling jobs, points and records."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sextant_domain.profiling.job import FINAL_JOB_STATES, JobState, PointPurpose, PointState
from sqlalchemy import ColumnElement, and_, func, or_, select, text
from sqlalchemy.orm import Session

from sextant_backend.kit.leases.claims import any_unattended, unattended
from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.profiling.models import ProfilingJobRow, ProfilingPointRow
from sextant_backend.modules.records.models import ProfileRecordRow

ORDER = Order(
    "id",
    "-id",
    id=ProfilingJobRow.id,
    nf_type=ProfilingJobRow.nf_type,
    host=ProfilingJobRow.host_id,
    state=ProfilingJobRow.state,
    finished_at=ProfilingJobRow.finished_at,
)
POINT_ORDER = Order(
    "number",
    "number",
    number=ProfilingPointRow.number,
    state=ProfilingPointRow.state,
    finished_at=ProfilingPointRow.finished_at,
)
RECORD_ORDER = Order(
    "id", "id", id=ProfileRecordRow.id, nf_type=ProfileRecordRow.nf_type, host_model=ProfileRecordRow.host_model
)

_ACTIVE = (JobState.QUEUED.value, JobState.PROCESSING.value)
_HOST_TURN = text("SELECT pg_advisory_xact_lock(hashtext('sextant.profiling.' || :host))")


@dataclass(frozen=True)
class PointCounts:
    """How many of a job's points are how far."""

    points: int = 0
    waiting: int = 0
    running: int = 0
    done: int = 0
    """Measured, reused, or found not to be measurable."""
    failed: int = 0
    not_measurable: int = 0
    """Of those done."""
    measured: int = 0
    """By this job, with figures or without."""
    mean_s: float | None = None
    """Of these, from being sent to being stored."""


def add(session: Session, job: ProfilingJobRow, points: Iterable[ProfilingPointRow]) -> None:
    """Store a new job with its points; they have their ids then."""
    session.add(job)
    session.flush()
    for point in points:
        point.job_id = job.id
        session.add(point)
    session.flush()


def job(session: Session, job_id: int, *, lock: bool = False) -> ProfilingJobRow | None:
    """The job of that id; locked, fresh from the database."""
    query = select(ProfilingJobRow).where(ProfilingJobRow.id == job_id)
    if lock:
        query = query.with_for_update()
    return session.scalars(query.execution_options(populate_existing=True)).one_or_none()


def page(
    session: Session, asked: Paging, *, nf_type: str | None, state: str | None, host: str | None
) -> Found[ProfilingJobRow]:
    """A page of jobs: of one NF type, in one state, on one host."""
    row = ProfilingJobRow
    query = select(row).where(*equal({row.nf_type: nf_type, row.state: state, row.host_id: host}))
    return ORDER.read(session, query, asked)


def newest(session: Session, count: int) -> Sequence[ProfilingJobRow]:
    """Every job that is not final and the newest `count`, newest first: what a console starts with."""
    recent = select(ProfilingJobRow.id).order_by(ProfilingJobRow.id.desc()).limit(count)
    final = [state.value for state in FINAL_JOB_STATES]
    query = select(ProfilingJobRow).where(or_(ProfilingJobRow.state.not_in(final), ProfilingJobRow.id.in_(recent)))
    return session.scalars(query.order_by(ProfilingJobRow.id.desc())).all()


def open_on(session: Session, host_id: str, limit: int) -> Sequence[ProfilingJobRow]:
    """At most `limit` jobs of a host that are not final, oldest first."""
    row = ProfilingJobRow
    is_open = row.state.not_in([state.value for state in FINAL_JOB_STATES])
    return session.scalars(select(row).where(row.host_id == host_id, is_open).order_by(row.id).limit(limit)).all()


def point_counts(session: Session, job_ids: Sequence[int]) -> dict[int, PointCounts]:
    """Of each job; one query."""
    point, states = ProfilingPointRow, PointState

    def count(*conditions: ColumnElement[bool]) -> ColumnElement[int]:
        return func.count().filter(*conditions)

    measured = and_(point.state.in_((states.DONE, states.NOT_MEASURABLE)), ~point.reused)
    took = func.extract("epoch", point.finished_at - point.started_at)
    query = (
        select(
            point.job_id,
            count(),
            count(point.state == states.WAITING),
            count(point.state == states.RUNNING),
            count(point.state.in_((states.DONE, states.NOT_MEASURABLE))),
            count(point.state == states.FAILED),
            count(point.state == states.NOT_MEASURABLE),
            count(measured),
            func.avg(took).filter(measured),
        )
        .where(point.job_id.in_(job_ids))
        .group_by(point.job_id)
    )
    found = {
        job_id: PointCounts(
            points, waiting, running, done, failed, unmeasurable, own, None if mean is None else float(mean)
        )
        for job_id, points, waiting, running, done, failed, unmeasurable, own, mean in session.execute(query)
    }
    return {job_id: found.get(job_id, PointCounts()) for job_id in job_ids}


# -- points


def points(session: Session, asked: Paging, job_id: int, state: str | None) -> Found[ProfilingPointRow]:
    """A page of a job's points, in one state."""
    row = ProfilingPointRow
    return POINT_ORDER.read(session, select(row).where(row.job_id == job_id, *equal({row.state: state})), asked)


def all_points(session: Session, job_id: int) -> Sequence[ProfilingPointRow]:
    """Every point, in the order in which they are measured, fresh from the database."""
    query = select(ProfilingPointRow).where(ProfilingPointRow.job_id == job_id).order_by(ProfilingPointRow.number)
    return session.scalars(query.execution_options(populate_existing=True)).all()


def point(session: Session, job_id: int, number: int) -> ProfilingPointRow | None:
    """The point of that number, fresh from the database."""
    query = select(ProfilingPointRow).filter_by(job_id=job_id, number=number)
    return session.scalars(query.execution_options(populate_existing=True)).one_or_none()


def waiting(session: Session, job_id: int) -> Sequence[ProfilingPointRow]:
    """Every point that waits, in order."""
    query = select(ProfilingPointRow).filter_by(job_id=job_id, state=PointState.WAITING.value)
    return session.scalars(query.order_by(ProfilingPointRow.number)).all()


def has_figures(session: Session, job_id: int, *, own: bool) -> bool:
    """Whether some point of the job was measured: by it (`own`), or before as well."""
    query = select(ProfilingPointRow.id).filter_by(job_id=job_id, state=PointState.DONE.value)
    if own:
        query = query.where(~ProfilingPointRow.reused)
    return session.scalar(query.limit(1)) is not None


def ideals(session: Session, job_id: int) -> Sequence[ProfilingPointRow]:
    """The points that measure the throughput alone."""
    return session.scalars(select(ProfilingPointRow).filter_by(job_id=job_id, purpose=PointPurpose.IDEAL.value)).all()


def add_point(session: Session, job_id: int, point: ProfilingPointRow) -> None:
    """Store a further point of a job; it has its id then."""
    point.job_id = job_id
    session.add(point)
    session.flush()


def provenances(session: Session, job_id: int) -> set[str]:
    """Of the measurements that a job's points have."""
    record, of_points = ProfileRecordRow, select(ProfilingPointRow.record_id).filter_by(job_id=job_id)
    return set(session.scalars(select(record.provenance).where(record.id.in_(of_points)).distinct()))


# -- whose turn it is


def lock_turns(session: Session, host_id: str) -> None:
    """Until the end of the transaction nobody else says whose turn it is on that host."""
    session.execute(_HOST_TURN, {"host": host_id})


def measuring(session: Session, host_ids: Collection[str]) -> dict[str, int]:
    """The job that measures on each of these hosts."""
    row = ProfilingJobRow
    return dict(session.execute(select(row.host_id, row.id).where(row.host_id.in_(host_ids), row.holding)).all())


def before_it(session: Session, row: ProfilingJobRow) -> int | None:
    """The job that is at work on its host, or that came earlier and waits for it, too."""
    others = select(ProfilingJobRow.id).where(
        ProfilingJobRow.host_id == row.host_id,
        ProfilingJobRow.id != row.id,
        or_(
            ProfilingJobRow.holding,
            and_(ProfilingJobRow.state == JobState.QUEUED.value, ProfilingJobRow.id < row.id),
        ),
    )
    return session.scalar(others.order_by(ProfilingJobRow.holding.desc(), ProfilingJobRow.id).limit(1))


def next_on(session: Session, host_id: str) -> ProfilingJobRow | None:
    """The job that has waited longest for a host, locked; None where another transaction is at it."""
    query = select(ProfilingJobRow).filter_by(host_id=host_id, state=JobState.QUEUED.value)
    query = query.order_by(ProfilingJobRow.id).limit(1).with_for_update(skip_locked=True)
    return session.scalars(query.execution_options(populate_existing=True)).one_or_none()


def due() -> tuple[ColumnElement[bool], ...]:
    """Conditions of jobs that a worker shall take up: also of paused ones whose last point is under way."""
    row = ProfilingJobRow
    return (
        or_(row.state.in_(_ACTIVE), and_(row.state == JobState.PAUSED.value, row.running.is_not(None))),
        or_(row.next_attempt_at.is_(None), row.next_attempt_at <= func.clock_timestamp()),
    )


def any_to_ring() -> ColumnElement[bool]:
    """Whether `to_ring` would find one."""
    return any_unattended(ProfilingJobRow, *due())


def to_ring(session: Session) -> Sequence[int]:
    """Jobs that no worker is at although one should be."""
    return unattended(session, ProfilingJobRow, *due())


# -- records


def usual_samples(session: Session, host_model: str) -> dict[str, float]:
    """Samples that points took on a host model so far, by purpose."""
    samples = func.avg(ProfilingPointRow.figures["samples"].as_float())
    query = (
        select(ProfilingPointRow.purpose, samples)
        .join(ProfilingJobRow, ProfilingJobRow.id == ProfilingPointRow.job_id)
        .where(ProfilingJobRow.host_model == host_model, ProfilingPointRow.state == PointState.DONE.value)
        .group_by(ProfilingPointRow.purpose)
    )
    return {purpose: float(mean) for purpose, mean in session.execute(query)}


def records(
    session: Session,
    asked: Paging,
    *,
    nf_type: str | None = None,
    host_model: str | None = None,
    job_id: int | None = None,
) -> Found[ProfileRecordRow]:
    """A page of records: of one NF type, host model, or of the points of one job."""
    row = ProfileRecordRow
    query = select(row).where(*equal({row.nf_type: nf_type, row.host_model: host_model}))
    if job_id is not None:
        query = query.where(row.id.in_(select(ProfilingPointRow.record_id).filter_by(job_id=job_id)))
    return RECORD_ORDER.read(session, query, asked)
