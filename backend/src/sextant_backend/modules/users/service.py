"""Create users, set their roles, disable them, reset their passwords."""

from collections.abc import Sequence

from sextant_domain.console.access import Role
from sextant_domain.console.accounts import PasswordShownOnce, UserView
from sextant_domain.console.views import Page
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import NameTaken, NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.auth import repository as auth_repository
from sextant_backend.modules.auth import secrets
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.auth.models import User
from sextant_backend.modules.users import repository
from sextant_backend.modules.users.errors import LastAdmin, NotLocal
from sextant_backend.modules.users.schemas import UserChange, UserNew


def page(
    session: Session, asked: Paging, role: Role | None, disabled: bool | None, search: str | None
) -> Page[UserView]:
    """A page of users."""
    found = repository.page(session, asked, role=role, disabled=disabled, search=search)
    return found.page(_views(session, found.rows))


def one(session: Session, username: str) -> UserView:
    """One user; raises NotFound."""
    user = auth_repository.user_named(session, username)
    if user is None:
        raise _unknown(username)
    return _views(session, [user])[0]


def create(session: Session, asked: UserNew, by: str) -> PasswordShownOnce:
    """With a generated password that must be changed at the first sign-in."""
    repository.locked(session, asked.username)
    if auth_repository.user_named(session, asked.username) is not None:
        raise NameTaken(
            f"There is a user {asked.username} already. Nothing was stored.",
            errors=[FieldError(field="username", message="choose another name")],
            next_actions=[NextAction(label="See the users", command="sextant users list")],
        )
    password = secrets.new_password()
    user = auth.create_user(session, asked.username, password, asked.role, by=by, must_change=True)
    return PasswordShownOnce(user=_views(session, [user])[0], password=password)


def for_change(session: Session, username: str) -> User:
    """The user, locked; raises NotFound."""
    user = repository.locked(session, username)
    if user is None:
        raise _unknown(username)
    return user


def change(session: Session, user: User, wanted: UserChange, by: str) -> UserView:
    """Set role or disabled; raises LastAdmin. Disabling ends the user's sessions and tokens at once."""
    before = _described(user)
    disabled = user.disabled_at is not None if wanted.disabled is None else wanted.disabled
    role = wanted.role or Role(user.role)
    if user.issuer is not None and role != user.role:
        raise NotLocal(
            f"{user.username} has the role that groups of {user.issuer} give. Nothing was changed.",
            errors=[FieldError(field="role", message="it follows the groups at every sign-in")],
            next_actions=[NextAction(label="Change the user's groups there, or what role a group gives")],
        )
    was_admin = user.role == Role.ADMIN and user.disabled_at is None and user.issuer is None
    if was_admin and (disabled or role is not Role.ADMIN) and not repository.other_active_admins(session, user):
        raise LastAdmin(
            f"{user.username} is the last active administrator. Nothing was changed.",
            errors=[FieldError(field="disabled" if disabled else "role", message="another administrator must remain")],
            next_actions=[NextAction(label="Make another one first", command="sextant users role USER admin")],
        )
    user.role = role.value
    if disabled and user.disabled_at is None:
        user.disabled_at = session.execute(select(func.clock_timestamp())).scalar_one()
        auth_repository.end_sessions_of(session, user)
        auth_repository.end_tokens_of(session, user)
    elif not disabled:
        user.disabled_at = None
    if (after := _described(user)) != before:
        user.version += 1
        session.flush()
        audit.record(session, by, "user.change", f"user/{user.username}", before=before, after=after)
    return _views(session, [user])[0]


def reset_password(session: Session, user: User, by: str) -> PasswordShownOnce:
    """A generated password in the place of the user's; ends the user's sessions, and holds up the tokens until it is
    changed."""
    if user.issuer is not None:
        raise NotLocal(
            f"{user.username} has no password here, but signs in by {user.issuer}. Nothing was changed.",
            next_actions=[NextAction(label="Reset the password there")],
        )
    password = secrets.new_password()
    auth.set_password(session, user, password, by=by, must_change=True)
    session.flush()
    return PasswordShownOnce(user=_views(session, [user])[0], password=password)


def _described(user: User) -> dict[str, object]:
    return {"role": user.role, "disabled": user.disabled_at is not None}


def _unknown(username: str) -> NotFound:
    return NotFound(
        f"There is no user {username}.", next_actions=[NextAction(label="See the users", command="sextant users list")]
    )


def _views(session: Session, users: Sequence[User]) -> list[UserView]:
    used = repository.last_uses(session, users)
    return [
        UserView(
            username=user.username,
            role=Role(user.role),
            disabled_at=user.disabled_at,
            issuer=user.issuer,
            must_change_password=user.must_change_password,
            created_at=user.created_at,
            last_used_at=used.get(user.id),
            version=user.version,
        )
        for user in users
    ]
