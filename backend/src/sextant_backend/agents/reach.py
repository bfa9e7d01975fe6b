"""What must be known of a host before its agent is asked anything."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Reach:
    """Where an agent listens, and which certificates it may show."""

    url: str | None
    """None: it has not registered yet."""
    trusted_after: datetime | None = None
    """Certificates that begin before are refused."""
    revoked: str | None = None
    """Why nothing may be sent to it at all."""
