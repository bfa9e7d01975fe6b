"""What worker and beat do when they start: log as all processes do, and wait for what they need."""

import sys
from typing import Any

from celery.signals import beat_init, celeryd_init, setup_logging, task_prerun, worker_process_init
from sextant_backend.kit import logging, wait
from sextant_backend.kit.db import session_factory
from sextant_backend.settings import get_settings
from structlog.contextvars import clear_contextvars


@setup_logging.connect
def _log(**_: Any) -> None:
    """JSON lines, and without Celery's line for every task: there are several a second."""
    import logging as standard

    logging.configure("beat" if "beat" in sys.argv else "worker", get_settings().log_level)
    for name in ("celery.worker.strategy", "celery.worker.request", "celery.app.trace", "celery.beat"):
        standard.getLogger(name).setLevel(standard.WARNING)


@celeryd_init.connect
def _wait_for_all(**_: Any) -> None:
    settings = get_settings()
    wait.for_database(settings.start_limit_s)
    wait.for_queue(settings.start_limit_s)
    session_factory().kw["bind"].dispose()  # the children connect for themselves


@beat_init.connect
def _wait_for_queue(**_: Any) -> None:
    wait.for_queue(get_settings().start_limit_s)


@worker_process_init.connect
def _connect_anew(**_: Any) -> None:
    """A connection must not be shared by two processes."""
    session_factory().kw["bind"].dispose(close=False)


@task_prerun.connect
def _forget_ids(**_: Any) -> None:
    clear_contextvars()
