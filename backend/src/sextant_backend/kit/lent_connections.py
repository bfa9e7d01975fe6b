"""Looks at a connection of the pool before it is lent, so that a restart of the database is seen by nobody.

SQLAlchemy's own way asks a statement each time: a turn to PostgreSQL and back for every request and every round of a
loop, half a millisecond where a process wakes once a second. A socket says at once that its other end is closed.
"""

import select
import time
from typing import Any

from psycopg.pq import ConnStatus, ExecStatus
from sqlalchemy import Engine, event
from sqlalchemy.exc import InvalidatePoolError

ASKED_AFTER_S = 10.0
"""Of a connection that was not used for so long a statement is asked as well: its server's machine may have gone
without a word."""
_RETURNED = "sextant.returned_at"


def look_before_lending(engine: Engine) -> None:
    """A connection that has ended is replaced, and with it all others of the pool that are as old."""
    event.listen(engine, "checkin", _returned)
    event.listen(engine, "checkout", _lent)


def _returned(_connection: Any, record: Any) -> None:
    record.info[_RETURNED] = time.monotonic()


def _lent(connection: Any, record: Any, _proxy: Any) -> None:
    returned_at = record.info.pop(_RETURNED, None)
    if returned_at is not None and not _stands(connection.pgconn, time.monotonic() - returned_at):
        raise InvalidatePoolError


def _stands(pgconn: Any, unused_s: float) -> bool:
    """Nothing comes unasked over a connection at rest but its end, and seldom a notice: a new one costs little."""
    if pgconn.status != ConnStatus.OK or _has_come(pgconn.socket):
        return False
    return bool(unused_s < ASKED_AFTER_S or pgconn.exec_(b"").status == ExecStatus.EMPTY_QUERY)


def _has_come(socket: int) -> bool:
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
