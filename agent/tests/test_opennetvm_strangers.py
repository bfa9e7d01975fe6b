"""Processes of another user under a file prefix of ours, which this agent may not end: the driver over the double."""

import ctypes
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.drivers.opennetvm.processes import of_prefix
from sextant_domain.hosts.desired import NfState

from .opennetvm_host import FIRST, DoubleHost, double_host, manager, name_of
from .orders import chain, content, nf
from .waiting import wait_for

NOBODY = 65534
CAP_KILL = 5
_VERSION_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    """Effective, permitted, inheritable, of 32 capabilities."""

    _fields_ = tuple((name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable"))


@pytest.fixture
def without_cap_kill() -> Iterator[None]:
    """This thread, and those that it starts, may signal processes of their own user alone, as an agent may."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to start a process of another user")
    libc = ctypes.CDLL(None, use_errno=True)
    header, held = _Header(_VERSION_3, 0), (_Sets * 2)()
    assert libc.capget(ctypes.byref(header), held) == 0
    fewer = (_Sets * 2).from_buffer_copy(held)
    fewer[0].effective &= ~(1 << CAP_KILL)
    assert libc.capset(ctypes.byref(header), fewer) == 0
    yield
    assert libc.capset(ctypes.byref(header), held) == 0


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    with double_host(tmp_path, manager("west", [FIRST])) as host:
        yield host


@pytest.fixture
def stranger(without_cap_kill: None) -> Iterator["subprocess.Popen[bytes]"]:
    """It waits for the end of its input."""
    words = ["/bin/sh", "-c", "read line", "sh", f"--file-prefix=sextant-{name_of('west')}"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, user=NOBODY)
    wait_for("it has its name", lambda: of_prefix(f"sextant-{name_of('west')}"))
    yield process
    end(process)


def end(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin
    process.stdin.close()
    process.wait()


def test_an_agent_starts_beside_a_process_that_it_may_not_end(
    host: DoubleHost, stranger: "subprocess.Popen[bytes]"
) -> None:
    """It reports which process is in the way, and needs no restart once that is gone."""
    driver = host.driver()
    order = content(chain("web", nf("web", "router", core=FIRST)))
    (failure,) = driver.apply(order).failures.values()
    assert f"process {stranger.pid} (of user {NOBODY}: /bin/sh) may not be ended by user 0" in failure.message
    assert f"its file prefix is that of the manager of {host.installation.manager[0].port}" in failure.message
    assert stranger.poll() is None
    end(stranger)
    assert not driver.apply(order).failures
    assert {found.state for found in driver.sample().nfs.values()} == {NfState.RUNNING}
