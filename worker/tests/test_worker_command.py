"""`python -m sextant_worker` becomes the Celery process of a queue."""

import sys

import pytest
from sextant_backend import check
from sextant_backend.kit.tasks import Queue
from sextant_worker.__main__ import POOLS, command, main


def test_every_queue_has_its_worker_and_its_check() -> None:
    assert set(POOLS) == set(check.QUEUES) == set(Queue)


def test_a_planner_plans_one_at_a_time() -> None:
    assert command("plan", "") == [
        *(sys.executable, "-m", "celery", "-A", "sextant_worker.app", "worker"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        *("--hostname", "plan@%h", "-Q", "plan", "--pool", "solo"),
    ]


def test_beat_keeps_its_file_where_it_is_told_and_no_pid() -> None:
    assert command("beat", "/run/beat")[4:] == [
        "sextant_worker.app",
        *("beat", "--schedule", "/run/beat", "--pidfile", ""),
    ]


def test_a_queue_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["plans"])
    assert "invalid choice: 'plans'" in capsys.readouterr().err
