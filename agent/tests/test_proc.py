"""When a process has ended: not before its last thread, which holds its files and its folder as long."""

import subprocess
import sys

from sextant_agent.machine.proc import ProcessStat, read_stat

from .waiting import wait_for

FIRST_THREAD_ENDS = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_a_process_lives_until_its_last_thread_has_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", FIRST_THREAD_ENDS]) as process:

        def look() -> ProcessStat:
            found = read_stat(process.pid)
            assert found is not None, "not waited for"
            return found

        wait_for("its first thread ends", lambda: look().state == "Z")
        assert (look().threads, look().alive) == (2, True)
        process.kill()
        wait_for("it ends", lambda: not look().alive)
        assert (look().state, look().threads) == ("Z", 1)
