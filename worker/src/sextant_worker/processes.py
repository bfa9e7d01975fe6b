"""What workers do when they start: log as all processes do, wait for what they need, say they are there."""

import gc
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import redis
import structlog
from celery.signals import (
    celeryd_init,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_ready,
    worker_shutting_down,
)
from sextant_backend.kit import credentials, logging, memory, queue, wait
from sextant_backend.kit.db import wait_for_database
from sextant_backend.kit.tasks import Queue, TaskName
from sextant_backend.kit.version import VERSION
from sextant_backend.modules.profiling import tasks as profiling_tasks
from sextant_backend.modules.studies import tasks as study_tasks
from sextant_backend.settings import get_settings
from sextant_domain import tracing
from sextant_domain.loading import loading
from sqlalchemy.exc import DBAPIError
from structlog.contextvars import bind_contextvars, clear_contextvars

REPORT_EVERY_S = 5.0
_ABOUT = {
    TaskName.PLAN: "plan_id",
    TaskName.FIT: "fit_id",
    TaskName.OPERATE: "operation_id",
    TaskName.PROFILE: "job_id",
    TaskName.STUDY: "study_id",
}
"""What the id is that a task is given, as log lines name it."""
_log = structlog.get_logger()


@setup_logging.connect
def _log_as_all_do(**_: Any) -> None:
    """JSON lines, and without Celery's line for every task: there are several a second."""
    import logging as standard

    logging.configure("worker", get_settings().log_level)
    for name in ("celery.worker.strategy", "celery.worker.request", "celery.app.trace"):
        standard.getLogger(name).setLevel(standard.WARNING)


@celeryd_init.connect
def _wait_for_all(options: dict[str, Any], **_: Any) -> None:
    """A worker that takes what it cannot do would have operations fail: of a host's fault, by their looks."""
    settings = get_settings()
    tracing.start("worker", VERSION, settings.traces_url, settings.traces_share)
    with _or_end():
        wait_for_database(settings.start_limit_s)
        wait.for_queue(settings.start_limit_s)
        if credentials.ORDERING & set(options.get("queues") or Queue):
            wait.for_certificate(settings.pki_dir, settings.start_limit_s)
    with loading():  # what Celery would import next
        import_module("sextant_worker.tasks")
    if Queue.PLAN in (options.get("queues") or Queue):
        _get_ready_to_plan()


def _get_ready_to_plan() -> None:
    """Before it takes a plan, so that nobody waits for a large fleet to be read for the first time. Where the database
    went away again, the first plan reads it."""
    from sextant_backend.modules.plans import planner

    try:
        with memory.without_collector():
            planner.get_ready()
    except DBAPIError as error:
        _log.warning("fleet_not_read", cause=str(error.orig).strip()[:300], next="the first plan reads it")


@contextmanager
def _or_end() -> Iterator[None]:
    """Celery goes on whatever a receiver of its signals raises, but for this."""
    try:
        yield
    except wait.NotThere as error:
        raise SystemExit(str(error)) from None


@worker_ready.connect
def _report_alive(sender: Any, **_: Any) -> None:
    """By a thread: a worker in the middle of a long search is alive as well."""
    queues = {*sender.app.amqp.queues.consume_from}
    threading.Thread(target=_keep_reporting, args=(queues,), name="alive", daemon=True).start()


def _keep_reporting(queue_names: set[str]) -> None:
    ordering = queue_names & credentials.ORDERING
    while True:
        cause = credentials.missing(get_settings().pki_dir) if ordering else None
        if cause is not None:
            _log.warning("not_alive", queues=sorted(ordering), cause=cause)
        try:
            queue.report_alive(queue.client(), *(queue_names if cause is None else queue_names - ordering))
        except redis.RedisError as error:
            _log.warning("queue_unavailable", cause=str(error))
        time.sleep(REPORT_EVERY_S)


@worker_shutting_down.connect
def _wait_for_nobody(**_: Any) -> None:
    """A measurement goes on without a worker, a study begins again: nobody waits for their end before this process
    does."""
    profiling_tasks.leave()
    study_tasks.leave()


@task_prerun.connect
def _begin(task: Any, args: Sequence[int], **_: Any) -> None:
    """Log lines name what the task is about. No search for cycles while it makes a plan: a third of all the work."""
    clear_contextvars()
    if task.name in _ABOUT:
        bind_contextvars(**{_ABOUT[task.name]: args[0]})
    if task.name == TaskName.PLAN:
        gc.disable()


@task_postrun.connect
def _end(**_: Any) -> None:
    gc.enable()
