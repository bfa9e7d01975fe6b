"""Many requests of a console that has just begun ring for their workers at once: none of the rings is lost."""

import subprocess
import sys

from sextant_backend.kit import queue
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
