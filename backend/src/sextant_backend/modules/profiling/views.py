"""Jobs and points as the API shows them, and the event of their changes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sextant_domain.base import Frozen
from sextant_domain.console.live import ProfilingEvent
from sextant_domain.profiling.job import (
    PointPurpose,
    PointSetting,
    ProfilingJob,
    ProfilingPoint,
)
from sextant_domain.profiling.profile import Estimate, ProfileResult
from sextant_engine.profiling.levels.design import EXPECTED_SHARE
from sqlalchemy.orm import Session

from sextant_backend.kit.outbox import publish
from sextant_backend.modules.profiling import repository
from sextant_backend.modules.profiling.models import ProfilingJobRow, ProfilingPointRow
from sextant_backend.modules.profiling.operator_actions import offers
from sextant_backend.modules.profiling.repository import PointCounts


class PointFigures(Frozen):
    """What lists show of a point's result."""

    mpps: Estimate | None
    drop_percent: Estimate | None
    cpu_percent: Estimate | None = None
    """Only where a rate was offered: all else takes a core of its own wholly."""
    delay_us: Estimate | None = None
    """Only of a hop."""
    samples: int
    void_tries: int = 0


def figures_of(result: ProfileResult) -> PointFigures:
    """Of the NF whose figures were asked for: with its competitors, where there are any."""
    found = result.beside or result.nf
    return PointFigures(
        mpps=found.mpps if found else None,
        drop_percent=result.throughput_drop_percent,
        cpu_percent=found.cpu_percent if found and result.request.offered_mpps is not None else None,
        delay_us=found.delay_us if found else None,
        samples=len(result.samples),
        void_tries=result.void_tries,
    )


def jobs(session: Session, rows: Sequence[ProfilingJobRow]) -> list[ProfilingJob]:
    """Each with how far it is; one more query for all."""
    counts = repository.point_counts(session, [row.id for row in rows])
    return [job(row, counts[row.id]) for row in rows]


def job(row: ProfilingJobRow, counts: PointCounts) -> ProfilingJob:
    """The job with these counts of its points."""
    return ProfilingJob.model_validate(
        {
            "id": row.id,
            "state": row.state,
            "ask": row.ask,
            "nf_version": row.versions[row.nf_type],
            "host_model": row.host_model,
            "points": counts.points,
            "done": counts.done,
            "not_measurable": counts.not_measurable,
            "failed": counts.failed,
            "running": row.running,
            "seconds_left": _seconds_left(row, counts),
            "left_out": row.left_out,
            "note": row.note,
            "fit_id": row.fit_id,
            "grid_points": row.grid_points,
            "levels_id": row.levels_id,
            "shares_id": row.shares_id,
            "error": row.error,
            "actions": offers(row, counts),
            "created_at": row.created_at,
            "created_by": row.created_by,
            "started_at": row.started_at,
            "finished_at": row.finished_at,
            "version": row.version,
        }
    )


def _seconds_left(row: ProfilingJobRow, counts: PointCounts) -> float | None:
    """By the points that this job has measured so far; before the first, as it was announced before the start."""
    if row.finished_at is not None:
        return None
    left = counts.waiting + counts.running
    if row.grid_points is not None:
        expected_points = row.grid_points if "shares" in row.ask else round(EXPECTED_SHARE * row.grid_points)
        left = max(left, expected_points - counts.done - counts.failed)
    expected = row.expected_s / max(1, left + counts.measured + counts.failed)
    return left * (expected if counts.mean_s is None else counts.mean_s)


def points(session: Session, job_id: int, rows: Iterable[ProfilingPointRow]) -> list[ProfilingPoint]:
    """Those of a chain of NFs lose what the NF alone does more."""
    ideals = _ideals(session, job_id)
    return [point(row, ideals) for row in rows]


def point(row: ProfilingPointRow, ideals: dict[bool, Estimate] | None = None) -> ProfilingPoint:
    """One point; `ideals` as `_ideals` gives them."""
    figures = None if row.figures is None else PointFigures.model_validate(row.figures)
    setting = _with_rate(PointSetting.model_validate(row.setting), row.request)
    return ProfilingPoint.model_validate(
        {
            "id": row.id,
            "job_id": row.job_id,
            "number": row.number,
            "setting": setting,
            "state": row.state,
            "tries": row.tries,
            "progress": row.progress,
            "mpps": figures and figures.mpps,
            "cpu_percent": figures and figures.cpu_percent,
            "delay_us": figures and figures.delay_us,
            "drop_percent": figures and _drop(figures, setting, ideals or {}),
            "samples": figures.samples if figures else 0,
            "void_tries": figures.void_tries if figures else 0,
            "reused": row.reused,
            "record_id": row.record_id,
            "note": row.note,
            "error": row.error,
            "started_at": row.started_at,
            "finished_at": row.finished_at,
        }
    )


def _with_rate(setting: PointSetting, request: Mapping[str, Any]) -> PointSetting:
    """With its competitors' rate, where the request sets one: their pressure depends on it."""
    others = request.get("others") or ()
    rate = others[0]["traffic"].get("rate_mpps") if others else None
    return setting if rate is None else setting.model_copy(update={"rate_mpps": rate})


def _ideals(session: Session, job_id: int) -> dict[bool, Estimate]:
    """Throughput alone on local (True) and remote nodes, where it is measured."""
    found: dict[bool, Estimate] = {}
    for row in repository.ideals(session, job_id):
        figures = None if row.figures is None else PointFigures.model_validate(row.figures)
        if figures is not None and figures.mpps is not None:
            found[PointSetting.model_validate(row.setting).local] = figures.mpps
    return found


def _drop(figures: PointFigures, setting: PointSetting, ideals: dict[bool, Estimate]) -> Estimate | None:
    """What its competitors take; with others of its chain: what it carries less than alone."""
    if setting.purpose in {PointPurpose.IDEAL, PointPurpose.SHARE, PointPurpose.HOP}:
        return None
    alone, now = ideals.get(setting.local), figures.mpps
    by_others = len(setting.chain) == 1 and not setting.downstream
    if by_others or alone is None or now is None or alone.value <= 0:
        return figures.drop_percent
    errors = [one.standard_error / one.value for one in (alone, now) if one.standard_error is not None and one.value]
    error = 100 * now.value / alone.value * sum(share**2 for share in errors) ** 0.5 if len(errors) == 2 else None
    return Estimate(value=100 * (1 - now.value / alone.value), standard_error=error, count=now.count)


def changed(session: Session, row: ProfilingJobRow, of_it: ProfilingPointRow | None = None) -> None:
    """Count a change and publish it to every console."""
    row.version += 1
    publish_job(session, row, of_it)


def publish_job(session: Session, row: ProfilingJobRow, of_it: ProfilingPointRow | None) -> None:
    """Publish its state, and the point that changed, to every console."""
    session.flush()
    shown = None if of_it is None else point(of_it, _ideals(session, row.id))
    publish(session, ProfilingEvent(job=jobs(session, [row])[0], point=shown))
