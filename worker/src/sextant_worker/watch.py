"""The watch: once a second it marks hosts that have fallen silent, and rings for what no worker is at and what recurs;
every few seconds it marks hosts that differ from their orders, and evaluates the rules of alerts; every minute it marks
fitted costs of hosts that do not hold any more, and every ten seconds it reverts networks that are worse than round
robin.

It is no Celery worker: what finds rings that were lost needs none itself. Several may run, of which one leads and the
others wait to take over (docs/decisions/0083).
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
from sextant_backend.kit.leases.leader import Candidate, Term
from sextant_backend.kit.tasks import Queue, TaskName
from sextant_backend.modules.alerts import evaluation as alerts
from sextant_backend.modules.drift import marks as drift
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.hosts import watch_rounds
from sextant_backend.modules.sfc2cpu import drift as fitted_costs
from sextant_backend.modules.sfc2cpu import watching as networks
from sextant_backend.settings import WrongSettings, read_settings
from sextant_backend.sweep import Due, due, sweep
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

ROUND_S = 1.0
REPORT_EVERY_S = 5.0
CONTROL_EVERY_S = 5.0
"""At most; how often a law is due, its policy says."""
EACH_SECOND_S = 0.5
"""Of laws that are evaluated every second: in every round, however early it is."""
ROLL_UP_EVERY_S = 10.0
HOUSEKEEP_EVERY_S = 3600.0
SEAL_EVERY_S = 30.0
"""At most: a batch for what was done meanwhile, not for every entry."""
ALERTS_EVERY_S = alerts.EVERY_S
DRIFT_EVERY_S = drift.EVERY_S
COSTS_EVERY_S = fitted_costs.EVERY_S
NETWORKS_EVERY_S = networks.EVERY_S
_log = structlog.get_logger()


class Watch:
    """One process: whether it leads, and what it remembers between its rounds."""

    def __init__(self) -> None:
        self._candidate = Candidate("watch")
        self._led: int | None = None
        """The term in which it leads."""
        self._rung: dict[str, float] = {}
        """What it rang for in the last round. Noted in the next: who dies in between has it rung for again."""
        self._reported = -REPORT_EVERY_S
        self._evaluating = threading.Thread()
        """Of alerts: in a large fleet it takes seconds, in which hosts that fall silent are to be marked."""
        self._judging = threading.Thread()
        """Whether fitted costs hold: likewise."""
        self._comparing = threading.Thread()
        """Whether networks are kept: likewise."""

    def round(self) -> None:
        """One; an error that passes ends it with a line, and the next one does its work."""
        self._report()
        try:
            term, found = self._find_due()
            if term is None or found is None:
                return
            if found.sweep:
                self._sweep()
            self._ring_for_what_recurs(term, found)
            if self._is_time(term, "drift", DRIFT_EVERY_S):
                self._mark_drift()
            if self._is_time(term, "alerts", ALERTS_EVERY_S) and not self._evaluating.is_alive():
                self._evaluating = threading.Thread(target=_evaluate_alerts, name="alerts", daemon=True)
                self._evaluating.start()
            if self._is_time(term, "costs", COSTS_EVERY_S) and not self._judging.is_alive():
                self._judging = threading.Thread(target=_judge_costs, name="costs", daemon=True)
                self._judging.start()
            if self._is_time(term, "networks", NETWORKS_EVERY_S) and not self._comparing.is_alive():
                self._comparing = threading.Thread(target=_judge_networks, name="networks", daemon=True)
                self._comparing.start()
        except (DBAPIError, InjectedFaultError) as error:
            _log.warning("round_ended", cause=str(getattr(error, "orig", error)).strip()[:300])
        except Exception:
            _log.exception("round_failed")

    def end(self) -> None:
        """Another one leads at once."""
        try:
            with session_scope() as session:
                self._candidate.step_down(session)
        except DBAPIError as error:
            _log.warning("not_stepped_down", cause=str(error.orig).strip()[:300], next="the lease runs out")

    def _report(self) -> None:
        """Whoever waits to take over is there as well."""
        if time.monotonic() - self._reported < REPORT_EVERY_S:
            return
        self._reported = time.monotonic()
        try:
            queue.report_alive(queue.client(), Queue.WATCH)
        except redis.RedisError as error:
            _log.warning("queue_unavailable", cause=str(error))

    def _find_due(self) -> tuple[Term | None, Due | None]:
        """None where another one leads. In a transaction of its own: nothing that a sweep meets leaves a silent host
        marked as up."""
        rounds = watch_rounds.load()
        with session_scope() as session:
            term = self._lead(session)
            if term is None:
                return None, None
            hosts.watch(session, rounds)
            found = due(session)
        self._rung.clear()
        watch_rounds.keep(rounds)
        return term, found

    def _lead(self, session: Session) -> Term | None:
        term = self._candidate.lead(session, self._rung)
        number = None if term is None else term.number
        if term is None:
            self._rung.clear()  # whoever leads now has it rung for again
        if number != self._led:
            _log.info("leads" if term else "waits", term=number)
            self._led = number
        return term

    def _sweep(self) -> None:
        with session_scope() as session:
            if self._lead(session) is not None:
                sweep(session)

    def _mark_drift(self) -> None:
        with session_scope() as session:
            if self._lead(session) is not None:
                drift.evaluate(session)

    def _ring_for_what_recurs(self, term: Term, found: Due) -> None:
        if found.control and self._is_time(term, "control", CONTROL_EVERY_S):
            self._ring(TaskName.CONTROL)
        if found.each_second and self._is_time(term, "control each second", EACH_SECOND_S):
            self._ring(TaskName.CONTROL_EACH_SECOND)
        if found.seal and self._is_time(term, "seal", SEAL_EVERY_S):
            self._ring(TaskName.SEAL)
        if found.roll_up and self._is_time(term, "roll up", ROLL_UP_EVERY_S):
            self._ring(TaskName.ROLL_UP)
        if self._is_time(term, "housekeep", HOUSEKEEP_EVERY_S):
            self._ring(TaskName.HOUSEKEEP)

    def _is_time(self, term: Term, what: str, every_s: float) -> bool:
        """Whoever led before counts; a clock that was set back does not make anything wait for longer than usual."""
        if 0 <= term.now - term.rung.get(what, 0.0) < every_s:
            return False
        self._rung[what] = term.now
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


def _judge_costs() -> None:
    """One round; what it has not stored the next one finds again."""
    try:
        with session_scope() as session:
            fitted_costs.evaluate(session)
    except DBAPIError as error:
        _log.warning("costs_not_judged", cause=str(error.orig).strip()[:300])
    except Exception:
        _log.exception("costs_failed")


def _judge_networks() -> None:
    """One round; likewise."""
    try:
        with session_scope() as session:
            networks.evaluate(session)
    except DBAPIError as error:
        _log.warning("networks_not_judged", cause=str(error.orig).strip()[:300])
    except Exception:
        _log.exception("networks_failed")


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
    watch.end()
