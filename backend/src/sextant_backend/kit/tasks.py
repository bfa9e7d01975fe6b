"""Names of the workers' tasks, which of them each queue holds, and the way to ring for one. They are never imported."""

import threading
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from sextant_backend.kit.queue import celery_url
from sextant_backend.settings import get_settings

if TYPE_CHECKING:
    from celery import Celery

SEND_LIMIT_S = 2.0


class TaskName(StrEnum):
    """Every task there is; arguments are ids only."""

    PLAN = "sextant.plan"
    FIT = "sextant.fit"
    FIT_HOST_COST = "sextant.fit-host-cost"
    OPERATE = "sextant.operate"
    PROFILE = "sextant.profile"
    STUDY = "sextant.study"
    JUDGE = "sextant.judge"
    CONTROL = "sextant.control"
    CONTROL_EACH_SECOND = "sextant.control-each-second"
    CONTROL_EARLY = "sextant.control-early"
    RACE = "sextant.race"
    NOTIFY = "sextant.notify"
    ROLL_UP = "sextant.roll-up"
    HOUSEKEEP = "sextant.housekeep"
    SEAL = "sextant.seal"


class Queue(StrEnum):
    """The queues of the workers: apart, so that searches and measurements of minutes delay no operation or control
    law. And the watch, which takes no task, and reports that it is there as they do."""

    PLAN = "plan"
    CONTROL = "control"
    OPERATE = "operate"
    PROFILE = "profile"
    STUDY = "study"
    WATCH = "watch"


QUEUES: dict[TaskName, Queue] = {
    TaskName.PLAN: Queue.PLAN,
    TaskName.FIT: Queue.PLAN,
    TaskName.FIT_HOST_COST: Queue.PLAN,
    TaskName.RACE: Queue.PLAN,
    TaskName.CONTROL: Queue.CONTROL,
    TaskName.CONTROL_EACH_SECOND: Queue.CONTROL,
    TaskName.CONTROL_EARLY: Queue.CONTROL,
    TaskName.OPERATE: Queue.OPERATE,
    TaskName.PROFILE: Queue.PROFILE,
    TaskName.STUDY: Queue.STUDY,
    TaskName.ROLL_UP: Queue.CONTROL,
    TaskName.HOUSEKEEP: Queue.OPERATE,
    TaskName.JUDGE: Queue.OPERATE,
    TaskName.SEAL: Queue.OPERATE,
    TaskName.NOTIFY: Queue.OPERATE,
}


EXPIRES_S: dict[TaskName, float] = {
    TaskName.CONTROL: 10.0,
    TaskName.CONTROL_EACH_SECOND: 2.0,
    TaskName.CONTROL_EARLY: 2.0,
    TaskName.HOUSEKEEP: 600.0,
    TaskName.JUDGE: 10.0,
    TaskName.NOTIFY: 10.0,
    TaskName.RACE: 10.0,
    TaskName.SEAL: 30.0,
    TaskName.ROLL_UP: 10.0,
}
"""After which no worker takes it: it is rung for again and again, and one turn does the work of all."""

_creating = threading.Lock()


def _producer(url: str) -> "Celery":
    """Made once: while one thread imports celery, which puts itself together anew as it is imported, another one finds
    half of it and its ring is lost."""
    with _creating:
        return _made(url)


@lru_cache(maxsize=4)
def _made(url: str) -> "Celery":
    from celery import Celery  # 15 MB and 0.2 s that the fleet listener never needs

    app = Celery("sextant", broker=url, set_as_current=False)
    app.conf.update(
        task_ignore_result=True,
        broker_connection_timeout=SEND_LIMIT_S,
        broker_transport_options={
            "socket_connect_timeout": SEND_LIMIT_S,
            "socket_timeout": SEND_LIMIT_S,
            "max_retries": 0,
        },
    )
    return app


def send(task: TaskName, *ids: int | str) -> None:
    """Ring for `task`. Raises where the queue is away; callers use `outbox.ring`, which does not."""
    _send(task, ids)


def send_later(after_s: float, task: TaskName, *ids: int | str) -> None:
    """The same, for a worker that begins with it after so many seconds."""
    _send(task, ids, after_s)


def _send(task: TaskName, ids: tuple[int | str, ...], after_s: float = 0.0) -> None:
    producer = _producer(celery_url(get_settings().redis_url))
    expires_s = EXPIRES_S.get(task)
    producer.send_task(
        task.value,
        args=ids,
        queue=QUEUES[task].value,
        retry=False,
        countdown=after_s or None,
        expires=None if expires_s is None else after_s + expires_s,
    )
