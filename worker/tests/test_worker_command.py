"""`python -m sextant_worker` becomes the Celery process of a queue."""

import sys

import pytest
from sextant_backend import check
from sextant_backend.kit.tasks import Queue
from sextant_worker.__main__ import command, main, parse
from sextant_worker.pools import SOLO, THREADS


def test_every_queue_has_its_worker_and_its_check() -> None:
    assert {*SOLO, *THREADS} == set(check.QUEUES) == set(Queue)


def test_a_planner_plans_one_at_a_time() -> None:
    assert command(["plan"], "") == [
        *(sys.executable, "-m", "celery", "-A", "sextant_worker.app", "worker"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        *("--hostname", "plan@%h", "-Q", "plan", "--pool", "solo"),
    ]


def test_queues_that_wait_share_a_process_with_room_for_all_of_them() -> None:
    line = command(parse(["operate", "profile", "study", "control", "operate"]).what, "")
    assert line[-8:] == [
        *("--hostname", "operate-profile-study-control@%h", "-Q", "operate,profile,study,control"),
        *("--pool", "threads", "--concurrency", "8"),  # 2 operations, 4 measurements, a study, and the control laws
    ]


@pytest.mark.parametrize("lone", ["plan", "watch", "beat"])
def test_what_computes_or_may_not_wait_takes_a_process_of_its_own(
    lone: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["operate", lone])
    assert f"{lone} takes a process of its own" in capsys.readouterr().err


def test_beat_keeps_its_file_where_it_is_told_and_no_pid() -> None:
    assert command(["beat"], "/run/beat")[4:] == [
        "sextant_worker.beat",
        *("beat", "--schedule", "/run/beat", "--pidfile", ""),
    ]


def test_a_queue_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["plans"])
    assert "invalid choice: 'plans'" in capsys.readouterr().err
