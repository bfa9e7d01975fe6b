"""What a worker's process does around every task: its log lines name what the task is about, and a plan is made without
searches for cycles. And before its first one."""

import gc

import pytest
from celery.signals import celeryd_init, task_postrun, task_prerun
from fastapi.testclient import TestClient
from sextant_backend.kit.tasks import Queue, TaskName
from sextant_backend.modules.plans import planner
from sextant_backend.modules.snapshots.current_fleet import CurrentFleet
from sextant_engine.fleet_view import FleetView
from sextant_worker import processes
from sqlalchemy.orm import Session
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


@pytest.mark.parametrize(("queue", "reads"), [(Queue.PLAN, True), (Queue.STUDY, False)])
def test_the_worker_that_plans_has_read_the_fleet_before_it_takes_a_plan(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, queue: Queue, reads: bool
) -> None:
    read: list[CurrentFleet] = []

    class Noted(CurrentFleet):
        def read(self, session: Session) -> FleetView:
            read.append(self)
            return super().read(session)

    held = Noted()
    monkeypatch.setattr(planner, "_fleet", held)
    celeryd_init.send(sender=None, instance=None, conf=None, options={"queues": [queue.value]})
    assert read == [held] * reads
