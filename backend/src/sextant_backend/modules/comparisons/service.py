"""Starts comparisons and shows them. Their plans are made as all plans are, but from the snapshot of the comparison."""

from datetime import timedelta

from sextant_domain.console.views import Page
from sextant_domain.plans.comparison import Comparison
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.kit.db import allow_idle
from sextant_backend.kit.errors import NotFound, ValidationFailed
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.comparisons import repository, views
from sextant_backend.modules.comparisons.consistency import MAX_ERRORS, inconsistencies, without_schemas
from sextant_backend.modules.comparisons.schemas import ComparisonRequest
from sextant_backend.modules.comparisons.secrets import without_secrets
from sextant_backend.modules.plans import named_chains
from sextant_backend.modules.plans import repository as plan_repository
from sextant_backend.modules.plans import service as plans
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.snapshots import service as snapshots
from sextant_backend.modules.snapshots.models import ComparisonRow
from sextant_backend.settings import get_settings


def start(session: Session, asked: ComparisonRequest, who: Principal) -> Comparison:
    """Keep the snapshot, store a plan for each algorithm and ring for workers; raises ValidationFailed."""
    source = "fleet" if asked.snapshot is None else "file"
    allow_idle(session)
    snapshot = snapshots.take(session) if asked.snapshot is None else without_schemas(without_secrets(asked.snapshot))
    errors = inconsistencies(snapshot) if source == "file" else []
    chains = {spec.name for spec in snapshot.chains}
    for position, name in enumerate(asked.intent.chains if asked.intent.kind == "place" else ()):
        if name not in chains:
            field = "intent.chain" if position == 0 else f"intent.more.{position - 1}"
            errors.append(FieldError(field=field, message=f"there is no chain {name} in it"))
    if errors:
        raise ValidationFailed.of(errors[:MAX_ERRORS], "Nothing was stored.")
    row = _row(asked, snapshot, source, who)
    repository.add(session, row)
    made = [_plan(session, row, asked, algorithm, who) for algorithm in asked.algorithms]
    detail = {"source": source, "label": row.label, "algorithms": ", ".join(asked.algorithms)}
    audit.record(session, who.username, "comparison.start", f"comparison/{row.id}", detail, name=row.label)
    return views.view(row, made)


def _row(asked: ComparisonRequest, snapshot: FleetSnapshot, source: str, who: Principal) -> ComparisonRow:
    return ComparisonRow(
        label=asked.label or source,
        source=source,
        taken_at=snapshot.taken_at,
        hosts=len(snapshot.hosts),
        chains=len(snapshot.chains),
        intent=asked.intent.model_dump(mode="json"),
        time_limit_s=asked.time_limit_s,
        snapshot=snapshots.pack(snapshot),
        created_by=who.username,
    )


def _plan(
    session: Session, comparison: ComparisonRow, asked: ComparisonRequest, algorithm: Algorithm, who: Principal
) -> PlanRow:
    """One of its plans. A study on a file names no chain or host of ours: what happens to ours cannot touch it."""
    names = named_chains.chains_of(session, asked.intent) if comparison.source == "fleet" else []
    row = plans.row_of(asked.intent, names, asked.with_algorithm(algorithm), who)
    row.comparison_id = comparison.id
    if row.source != "preview":
        row.source = comparison.source
    plan_repository.add(session, row)
    plans.ring(session, row)
    return row


def page(session: Session, asked: Paging, source: str | None, search: str | None) -> Page[Comparison]:
    """A page of comparisons."""
    found = repository.page(session, asked, source=source, search=search)
    compared = repository.plans_of(session, [row.id for row in found.rows])
    return found.page(views.view(row, compared.get(row.id, ())) for row in found.rows)


def one(session: Session, comparison_id: int) -> Comparison:
    """One comparison; raises NotFound."""
    row = repository.get(session, comparison_id)
    if row is None:
        raise NotFound(f"There is no comparison {comparison_id}; those of which nothing was applied are not kept.")
    return views.view(row, repository.plans_of(session, [row.id]).get(row.id, ()))


def forget_old(session: Session) -> int:
    """Drop comparisons that are older than the setting allows and of which nothing was applied; returns how many."""
    return repository.forget_old(session, timedelta(days=get_settings().comparison_retention_days))
