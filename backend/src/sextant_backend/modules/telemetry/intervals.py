"""The ten-second intervals by which history begins. Pure."""

from datetime import UTC, datetime, timedelta

INTERVAL = timedelta(seconds=10)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def start_of(moment: datetime, length: timedelta = INTERVAL) -> datetime:
    """When the interval of that length began that holds the moment; intervals are counted from 1970, in UTC."""
    return _EPOCH + (moment - _EPOCH) // length * length
