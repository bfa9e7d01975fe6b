"""How much is to be captured."""

from pydantic import Field
from sextant_domain.base import Frozen, StrictInt
from sextant_domain.hosts.packet_capture import MOST_PACKETS, USUAL_PACKETS


class PacketsWanted(Frozen):
    """Body of a capture."""

    packets: StrictInt = Field(default=USUAL_PACKETS, ge=1, le=MOST_PACKETS)
