"""Real processes that stand still are started again: those of supervisord by the keeper, the keeper by its guard."""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sextant_run import health, keeper, standstill, status, supervision
from sextant_run.belongings import MARK, belonging_to
from sextant_run.guard import KEEPER_SILENT_S
from sextant_run.identity import ProcessIdentity, end
from sextant_run.installation import Installation, save
from sextant_run.layout import DataLayout
from sextant_run.proc import is_stopped
from sextant_run.programs import SupervisedProgram, programs
from sextant_run.servers.base import DIE_WITH_PARENT
from sextant_run.standstill import CHECKS, WORKERS, Follower
from sextant_worker.pools import SOLO, THREADS, WATCH

SLEEP = "import time; time.sleep(600)"
NOBODY = 1
"""A port at which no console listens."""


class Console:
    """What a console says of its workers."""

    def __init__(self) -> None:
        self.silent: list[str] = []
        reported = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = {"checks": {"workers": {"ok": not reported.silent, "silent": reported.silent}}}
                content = json.dumps(body).encode()
                self.send_response(503 if reported.silent else 200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port: int = self.server.server_address[1]


@pytest.fixture
def console() -> Iterator[Console]:
    made = Console()
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.fixture
def running(
    layout: DataLayout, installation: Installation, wait_for: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., dict[str, int]]]:
    """`running("watch", "planner")`: these under supervisord, old enough to be followed; their pids."""
    monkeypatch.setattr(standstill, "YOUNG_S", -1.0)

    def begin(*names: str) -> dict[str, int]:
        command = (*DIE_WITH_PARENT, sys.executable, "-c", SLEEP)
        made = [
            SupervisedProgram(name, "sextant", command, "", {MARK: installation.id}, stop_wait_s=1) for name in names
        ]
        supervision.write_configuration(layout, made)
        identity = supervision.start(layout, installation.id, die_with_parent=False)
        save(layout, installation.model_copy(update={"supervisor": identity}))
        supervision.start_group(layout, "sextant")
        wait_for(lambda: all(pids(layout).get(name) for name in names))
        return pids(layout)

    yield begin
    end(belonging_to(installation.id, layout.data), grace_s=2)


def pids(layout: DataLayout) -> dict[str, int]:
    return {process.name: process.pid for process in supervision.processes(layout)}


def checks(follower: Follower, port: int, count: int = CHECKS) -> list[list[str]]:
    return [follower.check(port) for _ in range(count)]


def test_a_process_that_a_signal_has_stopped_is_started_again_and_no_other(
    layout: DataLayout, running: Callable[..., dict[str, int]], wait_for: Callable[..., Any]
) -> None:
    """At the third check in a row; one that went on in between is let be."""
    before, follower = running("watch", "worker"), Follower(layout)
    os.kill(before["watch"], signal.SIGSTOP)
    wait_for(lambda: is_stopped(before["watch"]))
    assert checks(follower, NOBODY, CHECKS - 1) == [[]] * (CHECKS - 1)
    os.kill(before["watch"], signal.SIGCONT)
    wait_for(lambda: not is_stopped(before["watch"]))
    assert follower.check(NOBODY) == []
    os.kill(before["watch"], signal.SIGSTOP)
    wait_for(lambda: is_stopped(before["watch"]))
    assert checks(follower, NOBODY) == [*[[]] * (CHECKS - 1), ["watch"]]
    assert wait_for(lambda: (now := pids(layout)["watch"]) not in (0, before["watch"]) and now)
    assert pids(layout)["worker"] == before["worker"]
    assert follower.check(NOBODY) == []


def test_a_worker_that_the_console_does_not_hear_of_is_started_again(
    layout: DataLayout, running: Callable[..., dict[str, int]], console: Console, wait_for: Callable[..., Any]
) -> None:
    """It hangs without a signal."""
    before, follower = running("console", "planner", "watch"), Follower(layout)
    assert checks(follower, console.port) == [[]] * CHECKS
    console.silent = ["plan"]
    assert checks(follower, console.port)[-1] == ["planner"]
    console.silent = ["watch"]
    assert checks(follower, console.port)[-1] == ["watch"]
    wait_for(lambda: all(pids(layout)[name] not in (0, before[name]) for name in ("planner", "watch")))
    assert pids(layout)["console"] == before["console"]


def test_a_console_that_does_not_answer_is_started_again(
    layout: DataLayout, running: Callable[..., dict[str, int]], wait_for: Callable[..., Any]
) -> None:
    before = running("console", "watch")
    assert checks(Follower(layout), NOBODY)[-1] == ["console"]
    wait_for(lambda: pids(layout)["console"] not in (0, before["console"]))


def test_one_that_has_just_begun_is_given_time(
    layout: DataLayout,
    running: Callable[..., dict[str, int]],
    console: Console,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    running("console", "planner")
    monkeypatch.setattr(standstill, "YOUNG_S", 60.0)
    console.silent = ["plan"]
    assert checks(Follower(layout), console.port) == [[]] * CHECKS


def test_status_calls_neither_a_stopped_process_nor_a_silent_keeper_well(
    layout: DataLayout,
    installation: Installation,
    running: Callable[..., dict[str, int]],
    wait_for: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = running("watch")
    monkeypatch.setenv("SEXTANT_DATA_DIR", str(layout.data))
    keeper.renew_certificates()  # by which agents and the fleet listener are asked
    os.kill(before["watch"], signal.SIGSTOP)
    wait_for(lambda: is_stopped(before["watch"]))
    row = next(row for row in status.rows(layout, installation) if row.name == "watch")
    assert row.state == "frozen" and not status.healthy([row])
    assert health.keeper(layout).ok is False
    layout.keeper_sign.touch()
    assert health.keeper(layout).ok is True
    silent_since = layout.keeper_sign.stat().st_mtime - KEEPER_SILENT_S - 60
    os.utime(layout.keeper_sign, (silent_since, silent_since))
    answer = health.keeper(layout)
    assert answer.ok is False and answer.detail.startswith("no activity for 2")


def test_every_queue_has_programs_that_are_there(layout: DataLayout, installation: Installation) -> None:
    assert WORKERS.keys() == {*THREADS, *SOLO, WATCH}
    names = {program.name for program in programs(layout, installation)}
    assert {name for of_queue in WORKERS.values() for name in of_queue} <= names


KEEPER = """
import pathlib, sys, time
from sextant_run.guard import Guard
sign, told, hang = map(pathlib.Path, sys.argv[1:])
guard = Guard(sign, every_s=0.05)
while True:
    sign.touch()
    guard.follow()
    told.write_text(str(guard.pid))
    if hang.exists():
        hang.unlink()
        time.sleep(600)
    time.sleep(0.02)
"""
"""As the keeper does it, faster."""


@pytest.fixture
def guarded(spawn: Callable[..., Any], tmp_path: Path, wait_for: Callable[..., Any]) -> tuple[Any, Callable[[], int]]:
    """Its process, and a way to ask for its guard's pid."""
    reported = tmp_path / "reported"
    paths = [str(tmp_path / name) for name in ("sign", "reported", "hang")]
    child = spawn(f"import sys; sys.argv[1:] = {paths!r}\n{KEEPER}")
    wait_for(lambda: reported.exists() and reported.read_text())
    return child, lambda: int(reported.read_text() or 0)


def test_a_keeper_that_stands_still_is_ended_by_its_guard(
    guarded: tuple[Any, Callable[[], int]], wait_for: Callable[..., Any]
) -> None:
    """Supervisord starts it again, as whatever ends."""
    child, guard = guarded
    guarding = ProcessIdentity.of(guard())
    assert guarding is not None
    os.kill(child.pid, signal.SIGSTOP)
    assert child.wait(60) == -signal.SIGKILL
    wait_for(lambda: not guarding.alive())


def test_a_keeper_that_hangs_without_a_signal_is_ended_as_well(
    guarded: tuple[Any, Callable[[], int]], tmp_path: Path, wait_for: Callable[..., Any]
) -> None:
    """It touched its file for the last time six minutes ago."""
    child, _ = guarded
    (tmp_path / "hang").touch()
    wait_for(lambda: not (tmp_path / "hang").exists())
    silent_since = (tmp_path / "sign").stat().st_mtime - 2 * KEEPER_SILENT_S
    os.utime(tmp_path / "sign", (silent_since, silent_since))
    assert child.wait(60) == -signal.SIGKILL


def test_a_guard_that_stands_still_is_replaced_and_ends_with_its_keeper(
    guarded: tuple[Any, Callable[[], int]], wait_for: Callable[..., Any]
) -> None:
    child, guard = guarded
    first = guard()
    os.kill(first, signal.SIGSTOP)
    second = ProcessIdentity.of(wait_for(lambda: (now := guard()) not in (0, first) and now))
    assert second is not None and child.poll() is None
    child.kill()
    child.wait()
    wait_for(lambda: not second.alive())
