"""Queries of networks and promotions."""

from collections.abc import Collection, Sequence

from sqlalchemy import delete, func, select, text
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.networks.models import NetworkRow, PromotionRow

ORDER = Order("weights", "-trained_at", weights=NetworkRow.weights, trained_at=NetworkRow.trained_at)
PROMOTION_ORDER = Order("id", "-id", id=PromotionRow.id)

_CHANGING = text("SELECT pg_advisory_xact_lock(hashtext('sextant.networks'))")
_IN_FORCE = PromotionRow.ended.is_(None)


def lock(session: Session) -> None:
    """Until the end of the transaction nobody else stores, promotes or reverts one."""
    session.execute(_CHANGING)


def add(session: Session, row: NetworkRow) -> None:
    """Store one; weights that are there already stay as they are."""
    names = [column.key for column in NetworkRow.__table__.columns]
    values = {name: row.__dict__[name] for name in names if name in row.__dict__}
    session.execute(insert(NetworkRow).values(**values).on_conflict_do_nothing())


def forget_oldest(session: Session, most: int) -> None:
    """Beyond so many, of those that were never promoted the ones that were trained first."""
    beyond = (session.scalar(select(func.count()).select_from(NetworkRow)) or 0) - most
    if beyond > 0:
        used = select(PromotionRow.weights).union(select(PromotionRow.before).where(PromotionRow.before.is_not(None)))
        oldest = select(NetworkRow.weights).where(NetworkRow.weights.not_in(used)).order_by(NetworkRow.trained_at)
        session.execute(delete(NetworkRow).where(NetworkRow.weights.in_(oldest.limit(beyond))))


def get(session: Session, weights: str) -> NetworkRow | None:
    """By digest, without its document."""
    return session.scalars(select(NetworkRow).where(NetworkRow.weights == weights)).one_or_none()


def documents(session: Session, weights: Collection[str]) -> dict[str, bytes]:
    """Of these, by digest."""
    query = select(NetworkRow.weights, NetworkRow.document).where(NetworkRow.weights.in_(weights))
    return dict(session.execute(query).all()) if weights else {}


def page(session: Session, asked: Paging, cores: int | None) -> Found[NetworkRow]:
    """A page of networks: for so many cores."""
    return ORDER.read(session, select(NetworkRow).where(*equal({NetworkRow.cores: cores})), asked)


def promotion_page(session: Session, asked: Paging, cores: int | None) -> Found[PromotionRow]:
    """A page of promotions: for so many cores."""
    return PROMOTION_ORDER.read(session, select(PromotionRow).where(*equal({PromotionRow.cores: cores})), asked)


def in_force(session: Session) -> Sequence[PromotionRow]:
    """By number of cores."""
    query = select(PromotionRow).where(_IN_FORCE).order_by(PromotionRow.cores)
    return session.scalars(query.execution_options(populate_existing=True)).all()


def steps_of(session: Session, weights: Collection[str]) -> dict[str, int]:
    """How long these were trained."""
    query = select(NetworkRow.weights, NetworkRow.report["steps"].as_integer()).where(NetworkRow.weights.in_(weights))
    return dict(session.execute(query).all()) if weights else {}


def newest_of_each(session: Session) -> Sequence[PromotionRow]:
    """Of each number of cores the last promotion, in force or ended."""
    row = PromotionRow
    query = select(row).ext(distinct_on(row.cores)).order_by(row.cores, row.id.desc())
    return session.scalars(query.execution_options(populate_existing=True)).all()
