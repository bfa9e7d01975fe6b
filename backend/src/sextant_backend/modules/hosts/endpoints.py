"""Read hosts, cordon them, reserve cores, refuse certificates of a host that is not trusted, forget one that left."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import HostView, Page
from sextant_domain.hosts.enrolment import HostsRemoved, RemoveHostsRequest, RevokeRequest
from sextant_domain.hosts.host import CordonRequest, CoreSlotsRequest, HostStatus, ReservedCoresRequest

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging, Search
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.hosts import (
    cordons,
    core_reservations,
    core_slots,
    removal,
    renumbering,
    repository,
    service,
)

router = APIRouter(tags=["hosts"], route_class=IdempotentRoute)
MayEnrolHosts = Annotated[Principal, may(Permission.HOSTS_ENROL)]
MayMaintain = Annotated[Principal, may(Permission.HOSTS_MAINTAIN)]
MayManageAuthority = Annotated[Principal, may(Permission.AUTHORITY_MANAGE)]


@router.get("/hosts", operation_id="listHosts")
def list_hosts(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    status: Annotated[HostStatus | None, Query(description="Only those of this status")] = None,
    cordoned: Annotated[bool | None, Query(description="Only those that are cordoned, or that are not")] = None,
    label: Annotated[
        str | None, Query(max_length=300, pattern="^[^=]+=.*$", description="Only those with this label: `zone=a`")
    ] = None,
    search: Search = None,
) -> Page[HostView]:
    """Hosts with their latest figures, by name."""
    return service.page(session, asked, status=status, cordoned=cordoned, label=label, search=search)


@router.get("/hosts/{host_id}", operation_id="getHost")
def get_host(response: Response, session: SessionDep, _viewer: Viewer, host_id: Name) -> HostView:
    """One host."""
    host = service.one(session, host_id)
    set_etag(response, host.version)
    return host


@router.delete("/hosts/{host_id}", operation_id="removeHost", status_code=204)
def remove_host(
    request: Request,
    session: SessionDep,
    admin: MayEnrolHosts,
    host_id: Name,
    _if_match: IfMatch = None,
) -> None:
    """Remove a host on which no chain runs, with its figures; its certificates are refused from then on.

    If its agent still runs, it is refused like an unknown host until it is enrolled again."""
    host = removal.found_for_removal(session, host_id)
    require_if_match(request, host.version)
    removal.remove(session, host, admin.username)


@router.post("/hosts/removals", operation_id="removeHosts", dependencies=[Idempotent])
def remove_hosts(session: SessionDep, admin: MayEnrolHosts, asked: RemoveHostsRequest) -> HostsRemoved:
    """Remove several hosts as one is removed: all of them, or none where a chain runs on one. Those that are not
    enrolled are not missed."""
    return HostsRemoved(removed=tuple(removal.remove_all(session, set(asked.hosts), admin.username)))


@router.post("/hosts/{host_id}/revoke", operation_id="revokeHost", dependencies=[Idempotent])
def revoke_host(
    session: SessionDep,
    admin: MayManageAuthority,
    host_id: Name,
    why: RevokeRequest,
) -> HostView:
    """Refuse every certificate of the host from the next request on; its NFs keep running, but it cannot report.

    Enrolling it again restores access."""
    service.revoke(session, host_id, why.reason, admin.username)
    return service.one(session, host_id)


@router.post("/hosts/{host_id}/cordon", operation_id="cordonHost", dependencies=[Idempotent])
def cordon_host(session: SessionDep, operator: MayMaintain, host_id: Name, why: CordonRequest) -> HostView:
    """Let no NF start or move on the host from now on; what stands there goes on running.

    A plan that would put an NF there cannot be applied until the host is uncordoned."""
    cordons.cordon(session, host_id, why.reason, operator.username)
    return service.one(session, host_id)


@router.post("/hosts/{host_id}/uncordon", operation_id="uncordonHost", dependencies=[Idempotent])
def uncordon_host(session: SessionDep, operator: MayMaintain, host_id: Name) -> HostView:
    """Let plans put NFs on the host again."""
    cordons.uncordon(session, host_id, operator.username)
    return service.one(session, host_id)


@router.put("/hosts/{host_id}/reserved-cores", operation_id="setReservedCores")
def set_reserved_cores(
    request: Request,
    session: SessionDep,
    operator: MayMaintain,
    host_id: Name,
    wanted: ReservedCoresRequest,
    _if_match: IfMatch = None,
) -> HostView:
    """Keep exactly these cores of the host from NFs, in addition to those that its agent reserves.

    An NF that stands on one of them stays until a plan moves it. A plan that would put an NF there cannot be applied.
    Refused where no core would be left for NFs."""
    host = service.found_for_change(session, host_id)
    require_if_match(request, host.version)
    core_reservations.set_all(session, host, wanted, operator.username)
    return service.one(session, host_id)


@router.put("/hosts/{host_id}/core-slots", operation_id="setCoreSlots")
def set_core_slots(
    request: Request,
    session: SessionDep,
    operator: MayMaintain,
    host_id: Name,
    wanted: CoreSlotsRequest,
    _if_match: IfMatch = None,
) -> HostView:
    """Set how many NFs may share each core that the host's agent offers to NFs, or leave that to the agent again.

    NFs beyond it stay until a plan moves them. A plan that would put an NF into a slot that is not there any more
    cannot be applied. Refused, with the reason, where the host's driver cannot share cores."""
    host = service.found_for_change(session, host_id)
    require_if_match(request, host.version)
    core_slots.set_slots(session, host, wanted, operator.username)
    return service.one(session, host_id)


@router.post("/hosts/{host_id}/renumber", operation_id="renumberHost", dependencies=[Idempotent])
def renumber_host(session: SessionDep, operator: MayMaintain, host_id: Name) -> HostView:
    """Give this console's order for a host a number above what the host runs, as after a backup was restored.

    Nothing is sent: the next plan that is applied to the host replaces what runs there."""
    renumbering.renumber(session, host_id, operator.username)
    return service.one(session, host_id)
