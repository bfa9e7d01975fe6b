"""Claims: who works on a plan or an operation, for how long, by the database's clock."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from sextant_backend.kit.leases.limits import LEASE_S


class Leased:
    """Columns of a row that one worker at a time works on. Mixed into models that have an `id`."""

    id: Mapped[int]
    claim_token: Mapped[str | None] = mapped_column(default=None)
    lease_until: Mapped[datetime | None] = mapped_column(default=None)
    rung_at: Mapped[datetime | None] = mapped_column(default=None)
    """When the sweep last rang for it: it waits one lease before it rings again."""


class ClaimLostError(Exception):
    """Another worker has taken it over: stop at once, store nothing."""


def new_token() -> str:
    """A token that no other claim has."""
    return secrets.token_hex(16)


def _in(seconds: float) -> ColumnElement[datetime]:
    return func.clock_timestamp() + timedelta(seconds=seconds)


def free(model: type[Leased]) -> ColumnElement[bool]:
    """True for rows that nobody holds, or whose holder has not renewed."""
    return or_(model.claim_token.is_(None), model.lease_until < func.clock_timestamp())


def claim(session: Session, model: type[Leased], row_id: int, *conditions: ColumnElement[bool]) -> str | None:
    """Take the row if it is free and fits the conditions; the token, or None.

    Waits for nobody: whoever has locked the row is about to hold it, or rings once it does not; where that process is
    frozen, the database ends its transaction (IDLE_LIMIT_MS) and the sweep rings.
    """
    token = new_token()
    fits = select(model.id).where(model.id == row_id, free(model), *conditions)
    taken = (
        update(model)
        .where(model.id == fits.with_for_update(key_share=True, skip_locked=True).scalar_subquery())
        .values(claim_token=token, lease_until=_in(LEASE_S))
        .returning(model.id)
    )
    return token if session.execute(taken).first() is not None else None


def extend(session: Session, model: type[Leased], row_id: int, token: str) -> bool:
    """Renew the lease; False where the claim is lost."""
    renewed = (
        update(model)
        .where(model.id == row_id, model.claim_token == token)
        .values(lease_until=_in(LEASE_S))
        .returning(model.id)
    )
    return session.execute(renewed).first() is not None


def held(row: Leased, token: str) -> None:
    """ClaimLostError unless the (locked) row is still claimed with this token."""
    if row.claim_token != token:
        raise ClaimLostError(f"{type(row).__name__} {row.id} was taken over")


def give_back(row: Leased) -> None:
    """The (locked) row is free, and the sweep rings for it as soon as it is due again."""
    row.claim_token = row.rung_at = None


def unattended(session: Session, model: type[Leased], *conditions: ColumnElement[bool]) -> Sequence[int]:
    """Ids of free rows that fit and that were not rung for within one lease; notes the ring. At most 1000."""
    rung_long_ago = or_(model.rung_at.is_(None), model.rung_at < _in(-LEASE_S))
    due = select(model.id).where(free(model), rung_long_ago, *conditions).order_by(model.id).limit(1000)
    ids = session.scalars(due.with_for_update(skip_locked=True)).all()
    if ids:
        session.execute(update(model).where(model.id.in_(ids)).values(rung_at=func.clock_timestamp()))
    return ids
