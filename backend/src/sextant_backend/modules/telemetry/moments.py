"""When something was measured, by the clock of a host that may be wrong."""

from datetime import UTC, datetime, timedelta

import structlog

LATE = timedelta(minutes=5)
"""An agent keeps at most 120 batches of a second each: older ones come from a clock that is wrong."""
EARLY = timedelta(seconds=5)
_log = structlog.get_logger()


def measured_at(host_id: str, said: datetime, now: datetime) -> datetime:
    """As the host says; `now` where its clock cannot be right."""
    taken_at = said if said.tzinfo else said.replace(tzinfo=UTC)
    if now - LATE <= taken_at <= now + EARLY:
        return taken_at
    _log.debug("clock_differs", host=host_id, seconds=round((taken_at - now).total_seconds()))
    return now
