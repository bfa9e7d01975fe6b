"""Tables of users, sessions, tokens and failed sign-ins. No secret is stored, only its hash."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, UniqueConstraint, false, func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base

_ROLES = "role IN ('viewer', 'operator', 'admin')"


class User(Base):
    """A person, or the installation itself."""

    __tablename__ = "users"
    __table_args__ = (
        CheckConstraint(_ROLES, name="role"),
        CheckConstraint("num_nonnulls(issuer, subject) IN (0, 2)", name="provider"),
        CheckConstraint("(issuer IS NULL) = (password_hash IS NOT NULL)", name="signs_in_one_way"),
        UniqueConstraint("issuer", "subject"),
    )

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    username: Mapped[str] = mapped_column(unique=True)
    password_hash: Mapped[str | None]
    """argon2id; None for who signs in by an identity provider."""
    issuer: Mapped[str | None]
    """The identity provider by which the user signs in; None for a local account."""
    subject: Mapped[str | None]
    """What the provider calls the user for good, whatever the name."""
    role: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    disabled_at: Mapped[datetime | None]
    must_change_password: Mapped[bool] = mapped_column(server_default=false())
    version: Mapped[int] = mapped_column(server_default="1")


class BrowserSession(Base):
    """A signed-in browser."""

    __tablename__ = "sessions"

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    """SHA-256 of the cookie."""
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    expires_at: Mapped[datetime] = mapped_column(index=True)
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), unique=True)
    last_used_at: Mapped[datetime | None]
    client: Mapped[str] = mapped_column(server_default="")
    """The address it signed in from."""
    browser: Mapped[str] = mapped_column(server_default="")
    """As it names itself."""


class ApiToken(Base):
    """A token of a command-line client; its role never exceeds its user's."""

    __tablename__ = "api_tokens"
    __table_args__ = (CheckConstraint(_ROLES, name="role"), UniqueConstraint("user_id", "name"))

    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str]
    role: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), unique=True)
    last_used_at: Mapped[datetime | None]
    expires_at: Mapped[datetime]


class LoginFailure(Base):
    """One refused sign-in; counted by name and address over a minute."""

    __tablename__ = "login_failures"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    username: Mapped[str] = mapped_column(index=True)
    client: Mapped[str] = mapped_column(index=True, server_default="")
    """The address it came from."""
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
