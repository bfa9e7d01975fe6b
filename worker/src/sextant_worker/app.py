"""The Celery application: `celery -A sextant_worker.app worker -Q plan|operate|profile|study|watch` and `... beat`."""

import warnings
from datetime import timedelta

from celery import Celery
from sextant_backend.kit.queue import celery_url
from sextant_backend.kit.tasks import QUEUES, TaskName
from sextant_backend.settings import WrongSettings, read_settings

from sextant_worker.broker import survive_restarts

# Messages are JSON only, so the worker may run as root; the warnings would stand in every log otherwise.
warnings.filterwarnings("ignore", message="You.re running the worker with superuser")
warnings.filterwarnings("ignore", message="(?s).*on connection loss cancels all currently")

survive_restarts()

SWEEP_EVERY = timedelta(seconds=2)
WATCH_EVERY = timedelta(seconds=1)
JUDGE_EVERY = timedelta(seconds=5)
RECOMMEND_EVERY = timedelta(seconds=5)
"""Whether a look is due, the policy says."""
HOUSEKEEP_EVERY = timedelta(hours=1)

try:
    _settings = read_settings()
except WrongSettings as error:
    raise SystemExit(str(error)) from None  # a traceback of Celery's would say no more

app = Celery("sextant", broker=celery_url(_settings.redis_url), include=["sextant_worker.tasks"])
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    task_routes={task.value: {"queue": queue.value} for task, queue in QUEUES.items()},
    task_acks_late=False,  # a ring that is lost with its worker comes again from the sweep, once the lease has run out
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    broker_connection_retry=True,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "visibility_timeout": 60,
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
        "health_check_interval": 5,
    },
    task_publish_retry_policy={"max_retries": 2, "interval_start": 0.1, "interval_step": 0.2},
    beat_schedule={
        # A round that no worker took in time is not caught up on: the next one does its work.
        "sweep": {"task": TaskName.SWEEP, "schedule": SWEEP_EVERY, "options": {"expires": 4}},
        "watch-hosts": {"task": TaskName.WATCH_HOSTS, "schedule": WATCH_EVERY, "options": {"expires": 2}},
        "judge": {"task": TaskName.JUDGE, "schedule": JUDGE_EVERY, "options": {"expires": 10}},
        "recommend": {"task": TaskName.RECOMMEND, "schedule": RECOMMEND_EVERY, "options": {"expires": 10}},
        "housekeep": {"task": TaskName.HOUSEKEEP, "schedule": HOUSEKEEP_EVERY, "options": {"expires": 600}},
    },
)

import sextant_worker.processes  # noqa: E402, F401 - connects the signals of workers and beat
