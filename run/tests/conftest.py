"""Folders and installations for the tests of `make up`; real processes, ended by their pids."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def layout(tmp_path: Path) -> DataLayout:
    """This clone with a data folder of its own, made."""
    made = DataLayout(root=ROOT, data=tmp_path / "d")
    made.make_folders()
    return made


@pytest.fixture
def installation(layout: DataLayout) -> Installation:
    """Nothing of it runs."""
    return Installation(
        id=token_hex(8),  # processes are found by it: tests side by side end none of each other's
        data=str(layout.data),
        host_id="edge-1",
        console_port=1,
        fleet_port=2,
        agent_port=3,
        database_url="postgresql+psycopg://x@/x",
        redis_url="redis://127.0.0.1:1/0",
        sockets=str(layout.sockets),
    )


@pytest.fixture
def spawn() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start `python -c CODE`; every process started so is ended and waited for."""
    children: list[subprocess.Popen[bytes]] = []

    def start(code: str, **options: object) -> subprocess.Popen[bytes]:
        child = subprocess.Popen([sys.executable, "-c", code], **options)  # type: ignore[call-overload]
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                stream.close()


@pytest.fixture
def wait_for() -> Callable[..., Any]:
    """`wait_for(condition)`: its first true value; fails after a bound."""

    def wait(condition: Callable[[], Any], *, limit_s: float = 60.0) -> Any:
        deadline = time.monotonic() + limit_s
        while not (value := condition()):
            assert time.monotonic() < deadline, f"still not so after {limit_s} s"
            time.sleep(0.02)
        return value

    return wait
