"""Make, list and withdraw the tokens that hosts enrol with."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.hosts.enrolment import Enrolment, EnrolmentMade, EnrolmentRequest

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.paging import Paging, Search
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.enrolments import repository, service

router = APIRouter(prefix="/enrolments", tags=["enrolments"], route_class=LateRoute)
MayEnrolHosts = Annotated[Principal, may(Permission.HOSTS_ENROL)]


@router.post("", operation_id="makeEnrolment", status_code=201)
def make_enrolment(session: SessionDep, admin: MayEnrolHosts, asked: EnrolmentRequest) -> EnrolmentMade:
    """Make a token for a host, or for several that one process serves; the answer alone shows it.

    No Idempotency-Key: a kept answer would keep the token. Asked twice, the second token replaces the first.
    """
    return service.make(session, asked, admin.username)


@router.get("", operation_id="listEnrolments")
def list_enrolments(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    fleet: Annotated[bool | None, Query(description="Only those for several hosts, or for one")] = None,
    search: Search = None,
) -> Page[Enrolment]:
    """Tokens that can still be used, newest first."""
    return service.page(session, asked, fleet, search)


@router.delete("/{enrolment_id}", operation_id="withdrawEnrolment", status_code=204)
def withdraw_enrolment(
    session: SessionDep,
    admin: MayEnrolHosts,
    enrolment_id: Annotated[int, Path(ge=1, lt=2**63)],
) -> None:
    """Take a token back."""
    service.withdraw(session, enrolment_id, admin.username)
