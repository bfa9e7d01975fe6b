"""Rings for workers: many of a console that has just begun, at once, of which none is lost; and some for later."""

import base64
import json
import subprocess
import sys
from datetime import datetime

import pytest
from sextant_backend.kit import outbox, queue
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.tasks import QUEUES, Queue, TaskName
from sextant_backend.settings import Settings

THREADS, PROCESSES = 12, 8
FIRST_RINGS = f"""
import sys, threading

sys.setswitchinterval(1e-5)
from sextant_backend.kit import tasks
from sextant_backend.kit.tasks import TaskName

together, errors = threading.Barrier({THREADS}), []

def ring(number):
    together.wait()
    try:
        tasks.send(TaskName.{TaskName.OPERATE.name}, number)
    except Exception as error:
        errors.append(repr(error))

threads = [threading.Thread(target=ring, args=(number,)) for number in range({THREADS})]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sys.exit("\\n".join(errors) or 0)
"""


def test_the_first_rings_of_a_process_may_come_from_many_threads_at_once(clean: Settings) -> None:
    """It went wrong in every second process."""
    command = [sys.executable, "-c", FIRST_RINGS]
    begun = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(PROCESSES)]
    for process in begun:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    assert QUEUES[TaskName.OPERATE] is Queue.OPERATE
    assert queue.client().llen(Queue.OPERATE.value) == PROCESSES * THREADS


def test_a_ring_for_later_is_sent_after_the_commit_and_expires_after_its_moment(clean: Settings) -> None:
    """2 s after it, as one that is not for later would 2 s after it was sent. What is rolled back is not rung for."""
    with pytest.raises(ZeroDivisionError), session_scope() as session:
        outbox.ring_later(session, 0.5, TaskName.CONTROL_EARLY, "edge-9")
        raise ZeroDivisionError
    with session_scope() as session:
        outbox.ring_later(session, 0.7, TaskName.CONTROL_EARLY, "edge-1")
        assert queue.client().llen(Queue.CONTROL.value) == 0
    [sent] = [json.loads(one) for one in queue.client().lrange(Queue.CONTROL.value, 0, -1)]
    eta, expires = (datetime.fromisoformat(sent["headers"][name]) for name in ("eta", "expires"))
    assert (expires - eta).total_seconds() == pytest.approx(2.0)
    arguments, *_ = json.loads(base64.b64decode(sent["body"]))
    assert (sent["headers"]["task"], arguments) == (TaskName.CONTROL_EARLY.value, ["edge-1"])
