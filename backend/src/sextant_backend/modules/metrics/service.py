"""The fleet's metrics as text, read at most once in a few seconds however often somebody asks."""

import gzip
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from sqlalchemy.orm import Session

from sextant_backend.kit.db import allow_idle, db_now, read_snapshot
from sextant_backend.kit.errors import Unavailable
from sextant_backend.modules.metrics import exposition, registry
from sextant_backend.modules.metrics.frame import Found, Group, forget_labels
from sextant_backend.modules.metrics.pace import Pace

_log = structlog.get_logger()

WAIT_LIMIT_S = 4.0
"""Less than the database lets a request's transaction be idle."""
LABELS_KEPT_S = 3600.0
_FASTEST = 1
"""Higher levels take three times as long, for a sixth less of the answer."""
_LEFT_OUT_FIRST = (Group.NF, Group.CHAIN, Group.HOST)


@dataclass(frozen=True)
class Limits:
    """Of series in one answer, and of seconds for which it is given again."""

    series: int
    kept_s: float


class FleetMetrics:
    """Of one process. Who asks while they are read waits for that, and takes what comes of it. For who asks at a steady
    pace they are read shortly before: of a large fleet that takes a second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._reading = threading.Lock()
        self._packed = b""
        self._until = 0.0
        self._took_s = 0.0
        self._pace = Pace()
        self._forget_at = self._clock() + LABELS_KEPT_S
        self.ahead: threading.Timer | None = None
        """Reads them before the next who asks, where somebody does so steadily."""

    def packed(self, of_request: Session, limits: Limits) -> bytes:
        """Their text under gzip, as they are or were a few seconds ago; raises Unavailable where reading them takes
        others too long."""
        if not self._reading.acquire(timeout=WAIT_LIMIT_S):
            raise Unavailable(f"The metrics are being read for another request, since {WAIT_LIMIT_S:g} s.")
        try:
            due = self._pace.asked(self._clock(), limits.kept_s)
            if self._clock() >= self._until:
                self._read(of_request, limits)
            if due is not None:
                self._read_before(due, limits)
            return self._packed
        finally:
            self._reading.release()

    def _read(self, of_request: Session | None, limits: Limits) -> None:
        began = self._clock()
        if began >= self._forget_at:
            forget_labels()
            self._forget_at = began + LABELS_KEPT_S
        self._packed = gzip.compress(read(of_request, limits.series), _FASTEST)
        ended = self._clock()
        self._took_s, self._until = ended - began, ended + limits.kept_s

    def _read_before(self, due: float, limits: Limits) -> None:
        """So that they are half as old as they may be when the next request comes, and it may come late as well."""
        if self.ahead is not None:
            self.ahead.cancel()
        begin = due - limits.kept_s / 2 - self._took_s
        self.ahead = threading.Timer(max(0.0, begin - self._clock()), self._read_now, (limits,))
        self.ahead.daemon = True
        self.ahead.start()

    def _read_now(self, limits: Limits) -> None:
        with self._reading:
            try:
                self._read(None, limits)
            except Exception:  # the next request reads them itself, and says what is wrong
                _log.exception("metrics_not_read_ahead")


def read(of_request: Session | None, most_series: int) -> bytes:
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
