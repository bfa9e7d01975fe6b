"""The watch: once a second it marks hosts that have fallen silent, and rings for what no worker is at and what recurs;
every few seconds it marks hosts that differ from their orders, and evaluates the rules of alerts.

It is no Celery worker: what finds rings that were lost needs none itself. Several may run; what one has rung for
another leaves for a while, and what recurs may be done twice.
"""

import signal
import threading
import time

import redis
import structlog
from sextant_backend import wiring
from sextant_backend.faults import InjectedFaultError
from sextant_backend.kit import logging, memory, queue, tasks, wait
from sextant_backend.kit.db import session_scope, wait_for_database
from sextant_backend.kit.tasks import Queue, TaskName
from sextant_backend.modules.alerts import evaluation as alerts
from sextant_backend.modules.drift import marks as drift
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.hosts import watch_rounds
from sextant_backend.settings import WrongSettings, read_settings
from sextant_backend.sweep import Due, due, sweep
from sqlalchemy.exc import DBAPIError

ROUND_S = 1.0
REPORT_EVERY_S = 5.0
CONTROL_EVERY_S = 5.0
"""At most; how often a law is due, its policy says."""
ROLL_UP_EVERY_S = 10.0
HOUSEKEEP_EVERY_S = 3600.0
SEAL_EVERY_S = 30.0
"""At most: a batch for what was done meanwhile, not for every entry."""
ALERTS_EVERY_S = alerts.EVERY_S
DRIFT_EVERY_S = drift.EVERY_S
_log = structlog.get_logger()


class Watch:
    """What one process remembers between its rounds: when it did last what is not done in each of them."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}
        self._evaluating = threading.Thread()
        """Of alerts: in a large fleet it takes seconds, in which hosts that fall silent are to be marked."""

    def round(self) -> None:
        """One; an error that passes ends it with a line, and the next one does its work."""
        try:
            if self._is_time("report", REPORT_EVERY_S):
                queue.report_alive(queue.client(), Queue.WATCH)
        except redis.RedisError as error:
            _log.warning("queue_unavailable", cause=str(error))
        try:
            found = self._find_due()
            if found.sweep:
                with session_scope() as session:
                    sweep(session)
            if found.control and self._is_time("control", CONTROL_EVERY_S):
                self._ring(TaskName.CONTROL)
            if found.seal and self._is_time("seal", SEAL_EVERY_S):
                self._ring(TaskName.SEAL)
            if found.roll_up and self._is_time("roll up", ROLL_UP_EVERY_S):
                self._ring(TaskName.ROLL_UP)
            if self._is_time("housekeep", HOUSEKEEP_EVERY_S):
                self._ring(TaskName.HOUSEKEEP)
            if self._is_time("drift", DRIFT_EVERY_S):
                with session_scope() as session:
                    drift.evaluate(session)
            if self._is_time("alerts", ALERTS_EVERY_S) and not self._evaluating.is_alive():
                self._evaluating = threading.Thread(target=_evaluate_alerts, name="alerts", daemon=True)
                self._evaluating.start()
        except (DBAPIError, InjectedFaultError) as error:
            _log.warning("round_ended", cause=str(getattr(error, "orig", error)).strip()[:300])
        except Exception:
            _log.exception("round_failed")

    def _find_due(self) -> Due:
        """In a transaction of its own: nothing that a sweep meets leaves a silent host marked as up."""
        rounds = watch_rounds.load()
        with session_scope() as session:
            hosts.watch(session, rounds)
            found = due(session)
        watch_rounds.keep(rounds)
        return found

    def _is_time(self, what: str, every_s: float) -> bool:
        now = time.monotonic()
        if now - self._last.get(what, -every_s) < every_s:
            return False
        self._last[what] = now
        return True

    def _ring(self, task: TaskName) -> None:
        try:
            tasks.send(task)
        except Exception as error:
            _log.warning("ring_failed", task=task.value, cause=str(error), next="it is rung for again")


def _evaluate_alerts() -> None:
    """One round of rules; what it has not stored the next one finds again."""
    try:
        with session_scope() as session:
            alerts.evaluate(session)
    except DBAPIError as error:
        _log.warning("alerts_not_evaluated", cause=str(error.orig).strip()[:300])
    except Exception:
        _log.exception("alerts_failed")


def main() -> None:
    """Until SIGTERM; raises SystemExit where what it needs does not come."""
    memory.keep_lean()
    try:
        settings = read_settings()
        logging.configure("watch", settings.log_level)
        wait_for_database(settings.start_limit_s)
        wait.for_queue(settings.start_limit_s)
    except (WrongSettings, wait.NotThere) as error:
        raise SystemExit(str(error)) from None
    wiring.connect()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    watch, begins = Watch(), time.monotonic()
    while not ended.wait(max(0.0, begins - time.monotonic())):
        begins = max(begins, time.monotonic() - ROUND_S) + ROUND_S  # rounds that were missed are not caught up on
        watch.round()
