"""Queries of history: who is to be rolled up, and rows of any level."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, exists, func, select, update
from sqlalchemy.orm import Session

from sextant_backend.modules.telemetry.intervals import INTERVAL
from sextant_backend.modules.telemetry.models import LatestHost


def any_behind(settling_s: float) -> ColumnElement[bool]:
    """Whether a host has an interval that is over for so long, and not rolled up."""
    over = func.clock_timestamp() - INTERVAL - func.make_interval(0, 0, 0, 0, 0, 0, settling_s)
    return exists().where(LatestHost.rolled_until < over)


def behind(session: Session, until: datetime, most: int) -> Sequence[tuple[str, datetime]]:
    """Hosts that are not rolled up until then, the one furthest behind first, with how far they are.

    Each is locked: samples that come meanwhile wait, and then see how far it is. One whose samples are being stored is
    passed over, and is there the next time.
    """
    query = (
        select(LatestHost.host_id, LatestHost.rolled_until)
        .where(LatestHost.rolled_until < until)
        .order_by(LatestHost.rolled_until, LatestHost.host_id)
        .limit(most)
        .with_for_update(key_share=True, skip_locked=True)
    )
    return [(host, at) for host, at in session.execute(query)]


def note_rolled(session: Session, hosts: Sequence[str], until: datetime) -> None:
    """These hosts are rolled up so far."""
    session.execute(update(LatestHost).where(LatestHost.host_id.in_(hosts)).values(rolled_until=until))
