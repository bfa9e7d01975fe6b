"""Processes of an installation are known by the mark they carry; a person's shell in the data folder is not one."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sextant_run.belongings import MARK, belonging_to
from sextant_run.servers import PostgresServer, ValkeyServer, running

SLEEP = "import time; time.sleep(600)"
PARENT = f"import subprocess,sys; subprocess.Popen([sys.executable, '-c', {SLEEP!r}]); sys.stdin.read()"


def _pids(installation: str, data: Path) -> set[int]:
    return {identity.pid for identity in belonging_to(installation, data)}


def test_an_orphan_is_found_by_its_mark(
    spawn: Callable[..., subprocess.Popen[bytes]], wait_for: Callable[..., Any], tmp_path: Path
) -> None:
    parent = spawn(PARENT, env={**os.environ, MARK: "aa11"}, stdin=subprocess.PIPE)
    family = wait_for(lambda: len(found := _pids("aa11", tmp_path)) == 2 and found)
    parent.kill()  # its child is an orphan now; the parent stays a zombie, which is left out
    left = wait_for(lambda: (found := _pids("aa11", tmp_path)) == family - {parent.pid} and found)
    (orphan,) = belonging_to("aa11", tmp_path)
    assert {orphan.pid} == left
    orphan.signal(signal.SIGKILL)
    wait_for(lambda: _pids("aa11", tmp_path) == set())


def test_a_longer_mark_is_another_installation(spawn: Callable[..., subprocess.Popen[bytes]], tmp_path: Path) -> None:
    spawn(SLEEP, env={**os.environ, MARK: "aa112"})
    assert _pids("aa11", tmp_path) == set()


def test_servers_that_overwrote_their_environment_are_found_by_their_data_folder(tmp_path: Path) -> None:
    postgres = PostgresServer(data=tmp_path / "d" / "postgres" / "cluster", sockets=tmp_path / "s")
    valkey = ValkeyServer(data=tmp_path / "d" / "valkey", socket=tmp_path / "s" / "valkey.sock")
    postgres.prepare()
    valkey.prepare()
    with running(postgres, tmp_path / "log") as first, running(valkey, tmp_path / "log") as second:
        assert {first.pid, second.pid} <= _pids("none", tmp_path / "d")
        assert _pids("none", tmp_path / "d" / "elsewhere") == set()


def test_a_persons_process_in_the_data_folder_is_left_alone(
    spawn: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    spawn(SLEEP, cwd=tmp_path)
    assert _pids("none", tmp_path) == set()


def test_whoever_asks_and_its_ancestors_are_left_out(tmp_path: Path) -> None:
    code = (
        "import pathlib; from sextant_run.belongings import belonging_to;"
        f"print(belonging_to('bb22', pathlib.Path('{tmp_path}')))"
    )
    asker = [
        sys.executable,
        "-c",
        f"import subprocess,sys; sys.exit(subprocess.call([sys.executable, '-c', {code!r}]))",
    ]
    done = subprocess.run(asker, env={**os.environ, MARK: "bb22"}, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
