"""Users, their sessions and API tokens, as the console shows them: without secrets, but for what is shown once."""

from datetime import datetime

from sextant_domain.base import Frozen
from sextant_domain.console.access import Role

DEFAULT_TOKEN_DAYS = 90
MOST_TOKEN_DAYS = 365
LEAST_PASSWORD = 12
"""Characters."""


class UserView(Frozen):
    """A user of the console."""

    username: str
    role: Role
    disabled_at: datetime | None
    """Since when nobody can sign in by this name; None for an active user."""
    issuer: str | None
    """The identity provider by which the user signs in, and whose groups give the role; None for a local account."""
    must_change_password: bool
    """Until it is changed, nothing else can be done by this name."""
    created_at: datetime
    last_used_at: datetime | None
    """When a session or token of the user was last used, to the minute; None where none that is left was."""
    version: int


class PasswordShownOnce(Frozen):
    """A user with a generated password, which is not kept and must be changed at the next sign-in."""

    user: UserView
    password: str


class SessionView(Frozen):
    """A signed-in browser of one's own."""

    id: int
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime
    client: str
    """The address it signed in from."""
    browser: str
    """As it names itself."""
    browser_name: str
    """The same in words: `Firefox on Linux`."""
    current: bool
    """Whether it asks now."""


class TokenView(Frozen):
    """An API token of one's own."""

    id: int
    name: str
    role: Role
    """What it may do at most; never more than its user."""
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime


class TokenShownOnce(Frozen):
    """A new token, which is not shown again."""

    token: TokenView
    secret: str
