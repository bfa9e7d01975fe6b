"""Early reports: taken in as far as a host's budget goes, read back while nothing newer is known. One that is lost, or
that is not taken, is made up for by the report of the second."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sextant_domain.hosts.early_report import EarlyReport
from sextant_domain.problem import FieldError
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.telemetry import moments
from sextant_backend.modules.telemetry.models import EarlyReportRow

BURST = 10.0
"""Reports of a host that are taken one after another; agents keep to fewer."""
REFILL_S = 2.5
"""After them one more is taken in so long."""
NEWS = timedelta(seconds=1)
"""Older ones are no reason for a turn of their own."""

_STORE = text(
    """
    INSERT INTO early_reports AS known (host_id, heard_at, budget, taken_at, report)
    SELECT host_id, clock_timestamp(), :burst - 1, :taken_at, :report FROM latest_hosts
    WHERE host_id = :host_id AND taken_at IS NOT NULL
    ON CONFLICT (host_id) DO UPDATE SET heard_at = excluded.heard_at, taken_at = excluded.taken_at,
        report = excluded.report, budget = LEAST(
            :burst, known.budget + EXTRACT(EPOCH FROM excluded.heard_at - known.heard_at) / :refill_s
        ) - 1
    WHERE known.taken_at < excluded.taken_at
        AND known.budget + EXTRACT(EPOCH FROM excluded.heard_at - known.heard_at) / :refill_s >= 1
    RETURNING host_id
    """
)


@dataclass(frozen=True, slots=True)
class Early:
    """What a host reported early, when that was measured, and when it was heard, by the database's clock."""

    at: datetime
    heard_at: datetime
    report: EarlyReport


def ingest(session: Session, report: EarlyReport) -> bool:
    """Store it, and wake the laws that look at such; False where it is older than the last one, comes from a host that
    has not reported a second yet, or is more than its budget allows."""
    _refuse_repeats_within(report)
    _refuse_other_chains(report)
    said = {
        "host_id": report.host_id,
        "taken_at": moments.measured_at(report.host_id, report.taken_at, db_now(session)),
        "report": report.model_dump_json(exclude_defaults=True),
        "burst": BURST,
        "refill_s": REFILL_S,
    }
    stored = session.execute(_STORE, said).first() is not None
    if stored:
        outbox.ring(session, TaskName.CONTROL_EARLY)
    return stored


def _refuse_repeats_within(report: EarlyReport) -> None:
    for field, named, names in (
        ("nfs", report.nfs, {one.nf_id for one in report.nfs}),
        ("chains", report.chains, {one.chain for one in report.chains}),
        ("cores", report.cores, {one.core for one in report.cores}),
        ("overloaded", report.overloaded, {one.nf_id for one in report.overloaded}),
        ("bounded_nfs", report.bounded_nfs, {one.nf_id for one in report.bounded_nfs}),
    ):
        if len(names) != len(named):
            error = FieldError(field=field, message="names one of them twice")
            raise ValidationFailed("An early report names each once. Nothing was stored.", errors=[error])


def _refuse_other_chains(report: EarlyReport) -> None:
    """An NF's id names its chain."""
    errors = [
        FieldError(field=f"bounded_nfs.{place}.chain", message=f"{nf.nf_id} is an NF of another chain")
        for place, nf in enumerate(report.bounded_nfs)
        if nf.nf_id.partition(".")[0] != nf.chain
    ]
    if errors:
        raise ValidationFailed.of(errors, "Nothing was stored.")


def of(session: Session, host_ids: Collection[str]) -> dict[str, Early]:
    """The newest of each of these hosts that has made one."""
    if not host_ids:
        return {}
    query = select(EarlyReportRow.host_id, EarlyReportRow.taken_at, EarlyReportRow.heard_at, EarlyReportRow.report)
    found = session.execute(query.where(EarlyReportRow.host_id.in_(host_ids)))
    return {name: Early(at, heard_at, EarlyReport.model_validate_json(said)) for name, at, heard_at, said in found}


def hosts_with_news(session: Session) -> frozenset[str]:
    """Those that have made one just now."""
    just_now = EarlyReportRow.heard_at > func.clock_timestamp() - NEWS
    return frozenset(session.scalars(select(EarlyReportRow.host_id).where(just_now)))
