"""The next packets that leave a chain."""

from typing import Annotated

from fastapi import APIRouter
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.hosts.packet_capture import PacketCapture

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Principal, may
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.captures import service
from sextant_backend.modules.captures.schemas import PacketsWanted

router = APIRouter(prefix="/chains/{name}/captures", tags=["chains"], route_class=LateRoute)
MayCapture = Annotated[Principal, may(Permission.PACKETS_CAPTURE)]


@router.post("", operation_id="captureChainPackets")
def capture(session: SessionDep, operator: MayCapture, name: Name, wanted: PacketsWanted) -> PacketCapture:
    """The next packets that leave a chain, with what they measured of themselves and the bytes of their headers. Takes
    2 s at most, and answers as many as came by then. Hosts of the driver srv6 alone; others refuse.
    """
    return service.capture(session, name, wanted.packets, operator.username)
