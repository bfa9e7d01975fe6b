"""What workers have in common: the broker, and how Celery goes about its work here."""

import warnings

from celery import Celery
from sextant_backend.kit.queue import celery_url
from sextant_backend.kit.tasks import QUEUES
from sextant_backend.settings import WrongSettings, read_settings

from sextant_worker import processes  # noqa: F401 - connects the signals of workers
from sextant_worker.broker import survive_restarts

# Messages are JSON only, so the worker may run as root; the warnings would stand in every log otherwise.
warnings.filterwarnings("ignore", message="You.re running the worker with superuser")
warnings.filterwarnings("ignore", message="(?s).*on connection loss cancels all currently")

survive_restarts()


def new_app(include: tuple[str, ...] = ()) -> Celery:
    """A Celery application; `include`: modules whose tasks it can run. Raises SystemExit where a setting is wrong."""
    try:
        settings = read_settings()
    except WrongSettings as error:
        raise SystemExit(str(error)) from None  # a traceback of Celery's would say no more
    made = Celery("sextant", broker=celery_url(settings.redis_url), include=include)
    made.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_routes={task.value: {"queue": queue.value} for task, queue in QUEUES.items()},
        # A ring that is lost with its worker comes again from the sweep, once the lease has run out.
        task_acks_late=False,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        broker_connection_retry=True,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "visibility_timeout": 60,
            # What a worker had taken and not acknowledged comes again by the sweep, long before this.
            "unacked_restore_interval": 30,
            "unacked_restore_throttle": 1,
            "health_check_interval": 5,
            "polling_interval": 5,  # how long a worker waits for a task before it asks again; a task ends the wait
        },
        task_publish_retry_policy={"max_retries": 2, "interval_start": 0.1, "interval_step": 0.2},
    )
    return made
