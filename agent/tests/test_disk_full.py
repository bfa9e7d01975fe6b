"""No room under the state folder: reported in words, what runs goes on, and all is well when there is room again."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sextant_domain.hosts.desired import NfState

from .agent_process import AgentProcess
from .orders import chain, nf, order
from .waiting import wait_for

pytestmark = pytest.mark.fault
FILLER = "filler"


@pytest.fixture
def small_disk(agent: AgentProcess) -> Iterator[Path]:
    """The agent's state folder as a file system of 2 MiB."""
    agent.state.mkdir(mode=0o700)
    command = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "sextant-test", str(agent.state)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"needs root, to mount a small file system: {mounted.stderr.strip()}")
    try:
        yield agent.state
    finally:
        agent.end_all()
        subprocess.run(["umount", str(agent.state)], check=True)


def fill(folder: Path) -> None:
    with (folder / FILLER).open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError as error:
            assert error.errno == errno.ENOSPC


def test_a_full_disk_is_reported_and_survived(agent: AgentProcess, small_disk: Path) -> None:
    web = chain("web", nf("web", "router"), nf("web", "simple-forward", slot=1))
    state = agent.start().converge(order(1, web))
    fill(small_disk)
    answer = agent.put(order(2, chain("web", nf("web", "router", synthetic_routes=7))))
    assert (answer.status_code, "No space left on device" in answer.text) == (503, True)
    assert agent.actual().desired_generation == 1, "what was not made durable was not taken"
    os.kill(next(found.pid or 0 for found in state.nfs), signal.SIGKILL)  # its restart writes nothing
    wait_for("the NF is restarted", lambda: sum(found.restarts for found in agent.actual().nfs) == 1)
    moment = datetime.now(UTC)
    os.kill(agent.runner_pid(), signal.SIGKILL)
    agent.logged("No space left on device", moment)
    wait_for("the cause is reported", lambda: "No space left on device" in agent.actual().detail)
    assert "free space" in agent.actual().detail
    (small_disk / FILLER).unlink()
    state = agent.converge()
    assert {found.state for found in state.nfs} == {NfState.RUNNING}
    assert agent.converge(order(2, web)).applied_generation == 2


def test_a_log_that_cannot_be_written_ends_nothing() -> None:
    """/dev/full: every write says that the disk is full."""
    script = (
        "from sextant_agent.main import configure_log\nimport structlog\nconfigure_log('info')\n"
        "for _ in range(2000): structlog.get_logger().info('a line that fills the buffer', text='x' * 100)\n"
        "print('goes on')"
    )
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=full, text=True, check=False)
    assert done.stdout == "goes on\n"
