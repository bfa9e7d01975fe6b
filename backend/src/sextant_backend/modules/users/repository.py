"""Queries of users."""

from collections.abc import Sequence
from datetime import datetime

from sextant_domain.console.access import Role
from sqlalchemy import func, select, union_all
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, contains, equal
from sextant_backend.modules.auth.models import ApiToken, BrowserSession, User

ORDER = Order("username", "username", username=User.username, role=User.role, created_at=User.created_at)


def page(
    session: Session, asked: Paging, *, role: Role | None, disabled: bool | None, search: str | None
) -> Found[User]:
    """A page of users: of one role, those that are disabled or not, with `search` in the name."""
    query = select(User).where(*equal({User.role: role}), *contains(User.username, search))
    if disabled is not None:
        query = query.where(User.disabled_at.is_not(None) if disabled else User.disabled_at.is_(None))
    return ORDER.read(session, query, asked)


def locked(session: Session, username: str) -> User | None:
    """A user, for a change; other changes of users wait, so that two cannot remove the last two administrators."""
    session.execute(select(func.pg_advisory_xact_lock(func.hashtext("sextant users"))))
    return session.scalars(select(User).where(User.username == username).with_for_update()).one_or_none()


def other_active_admins(session: Session, user: User) -> int:
    """How many there are besides this user, with a local account: the identity provider may be away."""
    query = select(func.count()).where(
        User.role == Role.ADMIN, User.disabled_at.is_(None), User.issuer.is_(None), User.id != user.id
    )
    return session.execute(query).scalar_one()


def last_uses(session: Session, users: Sequence[User]) -> dict[int, datetime]:
    """When a session or token of each was last used."""
    ids = [user.id for user in users]
    uses = union_all(
        *(select(kind.user_id, kind.last_used_at).where(kind.user_id.in_(ids)) for kind in (BrowserSession, ApiToken))
    ).subquery()
    query = select(uses.c.user_id, func.max(uses.c.last_used_at)).group_by(uses.c.user_id)
    return {user_id: at for user_id, at in session.execute(query).all() if at is not None}
