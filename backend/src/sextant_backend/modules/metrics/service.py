"""The fleet's metrics as text, read at most once in a few seconds however often somebody asks."""

import threading
import time
from dataclasses import dataclass

from sqlalchemy.orm import Session

from sextant_backend.kit.db import allow_idle, db_now, read_snapshot
from sextant_backend.kit.errors import Unavailable
from sextant_backend.modules.metrics import exposition, registry
from sextant_backend.modules.metrics.frame import Found, Group

WAIT_LIMIT_S = 4.0
"""Less than the database lets a request's transaction be idle."""
_LEFT_OUT_FIRST = (Group.NF, Group.CHAIN, Group.HOST)


@dataclass(frozen=True)
class Limits:
    """Of series in one answer, and of seconds for which it is given again."""

    series: int
    kept_s: float


class FleetMetrics:
    """Of one process. Who asks while they are read waits for that, and takes what comes of it."""

    def __init__(self) -> None:
        self._reading = threading.Lock()
        self._text = b""
        self._until = 0.0

    def text(self, of_request: Session, limits: Limits) -> bytes:
        """As they are, or were a few seconds ago; raises Unavailable where reading them takes others too long."""
        if not self._reading.acquire(timeout=WAIT_LIMIT_S):
            raise Unavailable(f"The metrics are being read for another request, since {WAIT_LIMIT_S:g} s.")
        try:
            if time.monotonic() >= self._until:
                self._text = read(of_request, limits.series)
                self._until = time.monotonic() + limits.kept_s
            return self._text
        finally:
            self._reading.release()


def read(of_request: Session, most_series: int) -> bytes:
    """As they are at one moment: all sources see the same state of the database."""
    began = time.monotonic()
    with read_snapshot(of_request) as session:
        allow_idle(session)
        now = db_now(session)
        found = registry.collect(session)
    shown, left_out = bounded(found, most_series)
    for group in Group:
        shown.add(registry.SERIES, found.series(group), group.value)
        shown.add(registry.LEFT_OUT, group in left_out, group.value)
    shown.add(registry.LIMIT, most_series)
    shown.add(registry.COLLECTED, now.timestamp())
    shown.add(registry.SECONDS, time.monotonic() - began)
    return exposition.text(shown)


def bounded(found: Found, most: int) -> tuple[Found, frozenset[Group]]:
    """Without as many groups as need be, each of them whole: half of the chains would give a wrong sum."""
    left_out: frozenset[Group] = frozenset()
    for group in _LEFT_OUT_FIRST:
        if sum(found.series(kept) for kept in Group if kept not in left_out) <= most:
            break
        left_out |= {group}
    return found.without(left_out), left_out
