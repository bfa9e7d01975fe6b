"""What tests of history share: samples stored, and rolled up as if it were later."""

from datetime import datetime

from sextant_backend.kit.db import session_scope
from sextant_backend.modules.history import tasks
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.hosts.telemetry import TelemetryBatch


def store(*batches: TelemetryBatch) -> None:
    """As the fleet listener does."""
    with session_scope() as session:
        telemetry.ingest_all(session, batches)


def roll_up(now: datetime) -> int:
    """All that is over by then; returns how many turns of hosts that took."""
    done = 0
    while True:
        with session_scope() as session:
            count = tasks.roll_some(session, now)
        done += count
        if not count:
            return done
