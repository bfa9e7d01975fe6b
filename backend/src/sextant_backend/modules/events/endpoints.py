"""GET /events."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from sextant_domain.console.live import LiveEvent
from sse_starlette import EventSourceResponse, ServerSentEvent

from sextant_backend.kit.db import session_factory
from sextant_backend.kit.principal import Viewer
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.events import service
from sextant_backend.modules.events.response import EventsInTurn
from sextant_backend.settings import get_settings

HEARTBEAT_S = 1
RETRY_MS = 1_000

router = APIRouter(tags=["events"], route_class=LateRoute)
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"model": LiveEvent, "description": "`data:` is a LiveEvent; a comment line comes every second"}
}


@router.get("/events", operation_id="streamEvents", response_class=EventSourceResponse, responses=_STREAM)
async def stream_events(
    request: Request,
    viewer: Viewer,
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID", max_length=64)] = None,
) -> EventSourceResponse:
    """A snapshot, then deltas; with Last-Event-ID only what was missed, if it is still known."""

    def holds() -> datetime | None:
        with session_factory()() as session:
            return auth.session_ends_at(session, request)

    stream = await service.admit(
        request.app.state.hub, viewer.username, holds, last_event_id, get_settings().max_streams
    )
    return EventsInTurn(
        _written(stream),
        ping=HEARTBEAT_S,
        ping_message_factory=lambda: ServerSentEvent(comment="alive"),
        send_timeout=10,
        headers={"X-Accel-Buffering": "no"},
    )


async def _written(stream: service.Stream) -> AsyncIterator[ServerSentEvent]:
    async for delta in stream.deltas():
        yield ServerSentEvent(data=delta.body, id=delta.id, retry=RETRY_MS)
