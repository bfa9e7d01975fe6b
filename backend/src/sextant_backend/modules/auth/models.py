"""Tables of users, sessions, tokens and failed sign-ins. No secret is stored, only its hash."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base

_ROLES = "role IN ('viewer', 'operator', 'admin')"


class User(Base):
    """A person, or the installation itself."""

    __tablename__ = "users"
    __table_args__ = (CheckConstraint(_ROLES, name="role"),)

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    username: Mapped[str] = mapped_column(unique=True)
    password_hash: Mapped[str]
    """argon2id."""
    role: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())


class BrowserSession(Base):
    """A signed-in browser."""

    __tablename__ = "sessions"

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    """SHA-256 of the cookie."""
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    expires_at: Mapped[datetime] = mapped_column(index=True)


class ApiToken(Base):
    """A token of a command-line client; its role never exceeds its user's."""

    __tablename__ = "api_tokens"
    __table_args__ = (CheckConstraint(_ROLES, name="role"), UniqueConstraint("user_id", "name"))

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str]
    role: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())


class LoginFailure(Base):
    """One refused sign-in; counted by name and address over a minute."""

    __tablename__ = "login_failures"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    username: Mapped[str] = mapped_column(index=True)
    client: Mapped[str] = mapped_column(index=True, server_default="")
    """The address it came from."""
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
