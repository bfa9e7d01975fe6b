"""What a worker's process does around every task: its log lines name what the task is about, and a plan is made without
searches for cycles."""

import gc

import pytest
from celery.signals import task_postrun, task_prerun
from sextant_backend.kit.tasks import TaskName
from sextant_worker import processes
from structlog.contextvars import get_contextvars


class Task:
    """As receivers see it."""

    def __init__(self, name: str) -> None:
        self.name = name


@pytest.mark.parametrize(
    ("task", "args", "ids", "searches"),
    [
        (TaskName.PLAN, (7,), {"plan_id": 7}, False),
        (TaskName.PROFILE, (8,), {"job_id": 8}, True),
        (TaskName.JUDGE, (), {}, True),
    ],
)
def test_a_task_runs_under_its_id(task: TaskName, args: tuple[int, ...], ids: dict[str, int], searches: bool) -> None:
    assert processes is not None, "it connects its receivers when it is imported"
    sender = Task(task.value)
    task_prerun.send(sender=sender, task=sender, args=args)
    try:
        assert (get_contextvars(), gc.isenabled()) == (ids, searches)
    finally:
        task_postrun.send(sender=sender, task=sender, args=args)
    assert gc.isenabled()
