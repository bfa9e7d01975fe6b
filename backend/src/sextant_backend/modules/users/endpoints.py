"""Users: list, create, change, reset a password. All of it is an administrator's."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from sextant_domain.console.access import Permission, Role
from sextant_domain.console.accounts import PasswordShownOnce, UserView
from sextant_domain.console.views import Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.paging import Paging, Search
from sextant_backend.kit.principal import Principal, may
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.users import repository, service
from sextant_backend.modules.users.schemas import UserChange, UserNew

router = APIRouter(prefix="/users", tags=["users"], route_class=LateRoute)
MayManage = Annotated[Principal, may(Permission.USERS_MANAGE)]
UserName = Annotated[str, Path(pattern=r"^[a-z0-9]([a-z0-9._@-]{0,61}[a-z0-9])?$")]


@router.get("", operation_id="listUsers")
def list_users(
    session: SessionDep,
    _admin: MayManage,
    asked: Annotated[Paging, repository.ORDER.asked],
    role: Annotated[Role | None, Query(description="Only those of this role")] = None,
    disabled: Annotated[bool | None, Query(description="Only those that are disabled, or that are not")] = None,
    search: Search = None,
) -> Page[UserView]:
    """Users in the order of their names."""
    return service.page(session, asked, role, disabled, search)


@router.post("", operation_id="createUser", status_code=201)
def create_user(session: SessionDep, admin: MayManage, response: Response, asked: UserNew) -> PasswordShownOnce:
    """Create a user with a generated password, which this answer alone shows and the user must change at first.

    No Idempotency-Key: a kept answer would keep the password. Asked twice, the second request is refused.
    """
    made = service.create(session, asked, admin.username)
    response.headers["Location"] = f"/api/v1/users/{made.user.username}"
    return made


@router.get("/{name}", operation_id="getUser")
def get_user(session: SessionDep, _admin: MayManage, response: Response, name: UserName) -> UserView:
    """One user."""
    user = service.one(session, name)
    set_etag(response, user.version)
    return user


@router.patch("/{name}", operation_id="changeUser")
def change_user(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    admin: MayManage,
    name: UserName,
    wanted: UserChange,
    _if_match: IfMatch = None,
) -> UserView:
    """Set the role, disable or enable. Disabling ends the user's sessions and API tokens at once. 409 for the last
    active administrator."""
    user = service.for_change(session, name)
    require_if_match(request, user.version)
    changed = service.change(session, user, wanted, admin.username)
    set_etag(response, changed.version)
    return changed


@router.post("/{name}/password-reset", operation_id="resetPassword")
def reset_password(session: SessionDep, admin: MayManage, name: UserName) -> PasswordShownOnce:
    """Give the user a generated password, which this answer alone shows; it must be changed at the next sign-in. The
    user's sessions end, and API tokens are refused until then.

    No Idempotency-Key: a kept answer would keep the password. Asked twice, the second password replaces the first.
    """
    return service.reset_password(session, service.for_change(session, name), admin.username)
