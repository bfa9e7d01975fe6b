"""A process is its pid and its start time: never a zombie, never a stranger with the same pid."""

import signal
import subprocess
from collections.abc import Callable
from typing import Any

from sextant_run.identity import ProcessIdentity, end, wait_until_gone

SLEEP = "import time; time.sleep(600)"
STUBBORN = "import signal,sys,time; signal.signal(15, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"


def test_a_zombie_is_not_alive(spawn: Callable[..., subprocess.Popen[bytes]], wait_for: Callable[..., Any]) -> None:
    child = spawn(SLEEP)
    identity = ProcessIdentity.of(child.pid)
    assert identity is not None
    assert identity.alive()
    child.kill()  # and nobody waits for it: it stays in the table as a zombie
    wait_for(lambda: not identity.alive())
    assert ProcessIdentity.of(child.pid) is None


def test_another_process_with_the_same_pid_is_not_signalled(spawn: Callable[..., subprocess.Popen[bytes]]) -> None:
    child = spawn(SLEEP)
    identity = ProcessIdentity.of(child.pid)
    assert identity is not None
    stale = identity.model_copy(update={"start_time": identity.start_time - 1})
    stale.signal(signal.SIGKILL)
    assert end([stale], grace_s=0) == []
    assert child.poll() is None


def test_a_pid_that_never_was_is_nobody() -> None:
    nobody = ProcessIdentity(pid=2**22 + 1, start_time=1)
    assert not nobody.alive()
    nobody.signal(signal.SIGKILL)


def test_what_ignores_sigterm_is_killed_and_named(spawn: Callable[..., subprocess.Popen[bytes]]) -> None:
    meek, stubborn = spawn(SLEEP), spawn(STUBBORN, stdout=subprocess.PIPE)
    assert stubborn.stdout is not None
    assert stubborn.stdout.readline() == b"ready\n"
    identities = [identity for child in (meek, stubborn) if (identity := ProcessIdentity.of(child.pid))]
    assert [identity.pid for identity in end(identities, grace_s=0.5)] == [stubborn.pid]
    assert (meek.wait(), stubborn.wait()) == (-signal.SIGTERM, -signal.SIGKILL)


def test_waiting_is_bounded(spawn: Callable[..., subprocess.Popen[bytes]]) -> None:
    identity = ProcessIdentity.of(spawn(SLEEP).pid)
    assert identity is not None
    assert wait_until_gone([identity], 0.1) == [identity]
    assert 0 <= identity.age_s() < 60
