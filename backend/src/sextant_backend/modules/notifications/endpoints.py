"""Where alerts are sent, what was sent, and which private networks may be sent to."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.notifications import (
    Channel,
    ChannelChange,
    ChannelKind,
    ChannelMade,
    ChannelNew,
    Delivery,
    DeliveryState,
    NotificationSettings,
    NotificationSettingsView,
)
from sextant_domain.console.views import Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.notifications import repository, service, views

router = APIRouter(tags=["alerts"], route_class=IdempotentRoute)
MayManage = Annotated[Principal, may(Permission.NOTIFICATIONS_MANAGE)]
RowId = Annotated[int, Path(ge=1, lt=2**63)]


@router.get("/notification-channels", operation_id="listChannels")
def list_channels(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, service.ORDER.asked],
    kind: Annotated[ChannelKind | None, Query(description="Only those of this kind")] = None,
    enabled: Annotated[bool | None, Query(description="Only those that are switched on, or off")] = None,
) -> Page[Channel]:
    """Where alerts are sent, by name; without secrets."""
    return service.page(session, asked, kind, enabled)


@router.post("/notification-channels", operation_id="createChannel", status_code=201)
def create_channel(session: SessionDep, admin: MayManage, response: Response, asked: ChannelNew) -> ChannelMade:
    """Make a webhook or a mail channel. A webhook without a secret gets one, which this answer alone shows.

    No Idempotency-Key: a kept answer would keep the secret. Asked twice, the second request is refused.
    """
    made = service.create(session, asked, admin)
    response.headers["Location"] = f"/api/v1/notification-channels/{made.channel.id}"
    return made


@router.get("/notification-channels/{channel_id}", operation_id="getChannel")
def get_channel(session: SessionDep, _viewer: Viewer, response: Response, channel_id: RowId) -> Channel:
    """One channel."""
    channel = service.one(session, service.found(session, channel_id))
    set_etag(response, channel.version)
    return channel


@router.patch("/notification-channels/{channel_id}", operation_id="changeChannel")
def change_channel(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    admin: MayManage,
    channel_id: RowId,
    wanted: ChannelChange,
    _if_match: IfMatch = None,
) -> Channel:
    """Switch a channel on or off, give it another target, or say what is sent to it."""
    row = service.found(session, channel_id, lock=True)
    require_if_match(request, row.version)
    changed = service.change(session, row, wanted, admin)
    set_etag(response, changed.version)
    return changed


@router.delete("/notification-channels/{channel_id}", operation_id="deleteChannel", status_code=204)
def delete_channel(
    request: Request, session: SessionDep, admin: MayManage, channel_id: RowId, _if_match: IfMatch = None
) -> None:
    """Delete a channel; what was sent to it stays in the log."""
    row = service.found(session, channel_id, lock=True)
    require_if_match(request, row.version)
    service.delete(session, row, admin)


@router.post("/notification-channels/{channel_id}/secret", operation_id="renewChannelSecret")
def renew_channel_secret(session: SessionDep, admin: MayManage, channel_id: RowId) -> ChannelMade:
    """Sign with another secret from now on, which this answer alone shows. 404 for a mail channel.

    No Idempotency-Key: a kept answer would keep the secret. Asked twice, the second secret replaces the first.
    """
    return service.renew_secret(session, service.found(session, channel_id, lock=True), admin)


@router.post(
    "/notification-channels/{channel_id}/test",
    operation_id="testChannel",
    status_code=202,
    dependencies=[Idempotent],
)
def test_channel(session: SessionDep, admin: MayManage, response: Response, channel_id: RowId) -> Delivery:
    """Send a message that says that messages arrive; what comes of it is its delivery's log."""
    made = service.test(session, service.found(session, channel_id), admin)
    response.headers["Location"] = f"/api/v1/notification-deliveries/{made.id}"
    return made


@router.get("/notification-deliveries", operation_id="listDeliveries")
def list_deliveries(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    state: DeliveryState | None = None,
    channel: Name | None = None,
    alert: Annotated[int | None, Query(ge=1, lt=2**63, description="Only those that name this alert")] = None,
) -> Page[Delivery]:
    """Messages with every attempt, newest first; kept for 30 days."""
    return service.deliveries(session, asked, state=state, channel=channel, alert=alert)


@router.get("/notification-deliveries/{delivery_id}", operation_id="getDelivery")
def get_delivery(session: SessionDep, _viewer: Viewer, delivery_id: RowId) -> Delivery:
    """One message with every attempt."""
    return service.delivery(session, delivery_id)


@router.get("/notification-settings", operation_id="getNotificationSettings")
def get_notification_settings(session: SessionDep, _viewer: Viewer, response: Response) -> NotificationSettingsView:
    """Which private networks may be sent to."""
    row = repository.settings(session)
    set_etag(response, row.version)
    return views.settings(row)


@router.put("/notification-settings", operation_id="setNotificationSettings")
def set_notification_settings(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    admin: MayManage,
    wanted: NotificationSettings,
    _if_match: IfMatch = None,
) -> NotificationSettingsView:
    """Allow private networks, in the place of those that are. Metadata services, link-local and multicast addresses
    stay refused, and so do database, queue and listeners of this installation."""
    row = repository.settings(session, lock=True)
    require_if_match(request, row.version)
    allowed = service.allow(session, row, wanted, admin)
    set_etag(response, allowed.version)
    return allowed
