"""Queries of fits and model versions."""

from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy import delete, exists, func, select, text
from sqlalchemy.orm import Session, undefer

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.models.models import FitRow, ModelVersionRow

ORDER = Order("id", "-id", id=FitRow.id, host_model=FitRow.host_model, state=FitRow.state)
VERSION_ORDER = Order(
    "id",
    "-id",
    id=ModelVersionRow.id,
    nf_type=ModelVersionRow.nf_type,
    host_model=ModelVersionRow.host_model,
    state=ModelVersionRow.state,
    decided_at=ModelVersionRow.decided_at,
)


def add(session: Session, row: FitRow) -> FitRow:
    """Store a new fit; it has its id then."""
    session.add(row)
    session.flush()
    return row


def get(session: Session, fit_id: int, *, lock: bool = False, body: bool = False) -> FitRow | None:
    """The fit of that id; its body only where it is asked for."""
    query = select(FitRow).where(FitRow.id == fit_id)
    if body:
        query = query.options(undefer(FitRow.body))
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def not_begun(session: Session, host_model: str) -> FitRow | None:
    """A fit of this host model that no worker has begun: it will see all that is stored by now. Locked."""
    query = select(FitRow).where(
        FitRow.host_model == host_model, FitRow.state == "fitting", FitRow.tries == 0, FitRow.claim_token.is_(None)
    )
    return session.scalars(query.order_by(FitRow.id).limit(1).with_for_update(skip_locked=True)).one_or_none()


def page(session: Session, asked: Paging, *, host_model: str | None, state: str | None) -> Found[FitRow]:
    """A page of fits: of one host model, in one state."""
    row = FitRow
    return ORDER.read(session, select(row).where(*equal({row.host_model: host_model, row.state: state})), asked)


def versions_of(session: Session, fit_ids: Iterable[int], *, body: bool = False) -> dict[int, list[ModelVersionRow]]:
    """The model versions of each fit, by NF type; one query. Their bodies and processes only where they are
    asked for."""
    query = select(ModelVersionRow).where(ModelVersionRow.fit_id.in_(list(fit_ids))).order_by(ModelVersionRow.nf_type)
    if body:
        query = query.options(undefer(ModelVersionRow.body), undefer(ModelVersionRow.process))
    found: dict[int, list[ModelVersionRow]] = {}
    for row in session.scalars(query):
        found.setdefault(row.fit_id, []).append(row)
    return found


def version(session: Session, version_id: int) -> ModelVersionRow | None:
    """The model version of that id, with its body and its process."""
    whole = undefer(ModelVersionRow.body), undefer(ModelVersionRow.process)
    query = select(ModelVersionRow).where(ModelVersionRow.id == version_id).options(*whole)
    return session.scalars(query).one_or_none()


def version_page(
    session: Session,
    asked: Paging,
    *,
    nf_type: str | None,
    host_model: str | None,
    state: str | None,
) -> Found[ModelVersionRow]:
    """A page of model versions with their bodies."""
    row = ModelVersionRow
    wanted = equal({row.nf_type: nf_type, row.host_model: host_model, row.state: state})
    return VERSION_ORDER.read(session, select(row).options(undefer(row.body)).where(*wanted), asked)


def scale_in_use(session: Session, host_model: str) -> tuple[str, float] | None:
    """Metric and scale of the models that plans use there; None where there are none."""
    query = (
        select(FitRow.metric, FitRow.scale)
        .join(ModelVersionRow, ModelVersionRow.fit_id == FitRow.id)
        .where(ModelVersionRow.host_model == host_model, ModelVersionRow.state == "promoted")
    )
    found = session.execute(query.limit(1)).one_or_none()
    return None if found is None or found.metric is None or found.scale is None else (found.metric, found.scale)


def hold(session: Session, host_model: str) -> None:
    """Until this transaction ends, no other promotes models of this host model."""
    session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended('models ' || :name, 0))"), {"name": host_model})


def forget_old(session: Session, age: timedelta) -> int:
    """Drop fits older than `age` of which nothing was ever promoted, but the newest of a host model; returns how
    many."""
    kept = exists().where(ModelVersionRow.fit_id == FitRow.id, ModelVersionRow.state.in_(("promoted", "retired")))
    newest = select(func.max(FitRow.id)).group_by(FitRow.host_model)
    old = delete(FitRow).where(
        FitRow.state != "fitting", FitRow.created_at < func.clock_timestamp() - age, ~kept, FitRow.id.not_in(newest)
    )
    return len(session.execute(old.returning(FitRow.id)).all())
