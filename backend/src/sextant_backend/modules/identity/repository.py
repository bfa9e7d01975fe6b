"""Queries of the identity provider and of its users."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.auth.models import User
from sextant_backend.modules.identity.models import PROVIDER_ROW_ID, IdentityProviderRow


def provider(session: Session, *, lock: bool = False) -> IdentityProviderRow | None:
    """The provider that is set up, if any."""
    query = select(IdentityProviderRow).where(IdentityProviderRow.id == PROVIDER_ROW_ID)
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def user_of(session: Session, issuer: str, subject: str) -> User | None:
    """Who is known to the provider by that subject."""
    return session.scalars(select(User).where(User.issuer == issuer, User.subject == subject)).one_or_none()
