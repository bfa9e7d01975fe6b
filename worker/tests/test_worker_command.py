"""`python -m sextant_worker` is the Celery process of a queue."""

import os
import subprocess
import sys

import pytest
from sextant_backend import check
from sextant_backend.kit.tasks import Queue
from sextant_worker.__main__ import main, options, parse
from sextant_worker.pools import SOLO, THREADS, WATCH


def test_every_queue_has_its_worker_and_its_check() -> None:
    assert {*SOLO, *THREADS, WATCH} == set(check.QUEUES) == set(Queue)


def test_a_planner_plans_one_at_a_time() -> None:
    quiet = {"without_gossip": True, "without_mingle": True, "without_heartbeat": True}
    assert options(["plan"]) == {"queues": ["plan"], "pool_cls": "solo", **quiet}


def test_queues_that_wait_share_a_process_with_room_for_all_of_them() -> None:
    made = options(parse(["operate", "profile", "study", "control", "operate"]).what)
    assert made["queues"] == ["operate", "profile", "study", "control"]
    concurrency = 2 + 4 + 1 + 4  # operations, measurements, a study; laws, turns of a second and early ones, rolling up
    assert (made["pool_cls"], made["concurrency"]) == ("threads", concurrency)


def test_a_worker_does_without_what_it_never_uses() -> None:
    """Celery's command line takes a seventh of the start and 8 MiB, Rich and jsonschema 5 MiB more."""
    modules = '"sextant_worker.tasks", "celery.apps.worker", "celery.worker.consumer", "sextant_worker.watch"'
    script = f"import sys; from sextant_worker.__main__ import load; load({modules}); print(*sys.modules)"
    servers = {"DATABASE_URL": "postgresql+psycopg://nobody@/none", "REDIS_URL": "redis://127.0.0.1:1/0"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **servers})
    unused = {"celery.bin", "prompt_toolkit", "rich.console", "jsonschema"}
    assert not unused & set(done.stdout.split())


@pytest.mark.parametrize("lone", ["plan", "watch"])
def test_what_computes_or_may_not_wait_takes_a_process_of_its_own(
    lone: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["operate", lone])
    assert f"{lone} takes a process of its own" in capsys.readouterr().err


def test_a_unit_of_the_version_before_is_told_what_became_of_beat(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["beat", "--schedule", "/run/beat"])
    assert ended.value.code == 2
    assert "no beat any more: the watch rings for what recurs" in capsys.readouterr().err


def test_a_queue_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["plans"])
    assert "invalid choice: 'plans'" in capsys.readouterr().err
