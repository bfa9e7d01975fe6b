"""What a fault file makes a process do."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from console_world import wait_until
from sextant_backend.faults import FAULT_POINTS, InjectedFaultError, fault_point

POINT = "operate.put.after_send"
VISIT = f"from sextant_backend.faults import fault_point\nfor _ in range(2): fault_point('{POINT}')\nprint('through')"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "faults.json"
    monkeypatch.setenv("SEXTANT_FAULT_FILE", str(path))
    return path


def visit() -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", VISIT], stdout=subprocess.PIPE, text=True, env=os.environ)


def test_without_a_file_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEXTANT_FAULT_FILE", raising=False)
    fault_point(POINT)


@pytest.mark.parametrize("text", ["", "no json", "{}", '{"operate.claimed": {"action": "raise"}}'])
def test_a_file_that_says_nothing_of_a_point(file: Path, text: str) -> None:
    file.write_text(text)
    fault_point(POINT)


def test_raise_comes_as_often_as_asked_for(file: Path) -> None:
    file.write_text(json.dumps({POINT: {"action": "raise", "times": 2}}))
    for _ in range(2):
        with pytest.raises(InjectedFaultError, match=POINT):
            fault_point(POINT)
    fault_point(POINT)
    assert json.loads(file.read_text())[POINT]["times"] == 0


def test_kill_ends_one_process_and_spares_the_next(file: Path) -> None:
    file.write_text(json.dumps({POINT: {"action": "kill", "times": 1}}))
    first = visit()
    assert first.wait(timeout=60) == -signal.SIGKILL
    second = visit()
    assert second.communicate(timeout=60)[0] == "through\n"
    assert second.returncode == 0


def test_pause_reports_and_waits(file: Path) -> None:
    file.write_text(json.dumps({POINT: {"action": "pause", "times": 1}}))
    process = visit()
    reached = file.with_name(f"{file.name}.{POINT}.reached")
    wait_until(reached.exists)
    assert process.poll() is None
    file.with_name(f"{file.name}.{POINT}.go").touch()
    assert process.communicate(timeout=60)[0] == "through\n"


def test_all_points_are_printed() -> None:
    command = [sys.executable, "-m", "sextant_backend.faults"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [line.split("\t")[0] for line in printed.splitlines()] == list(FAULT_POINTS)
    assert len(FAULT_POINTS) >= 20
