"""What holds a CPU busy and touches no memory, while who has it otherwise is paused.

A core that idles lets others run at a higher clock: without a spinner a competitor would be charged with that.
"""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from sextant_agent.control.running import Running, start
from sextant_agent.drivers.opennetvm.processes import pause

_LOOP = "while True: pass"


class Spinner:
    """On one CPU, paused until it is let go. Ends with what else has the prefix, at the latest."""

    def __init__(self, cpu: int, prefix: str, folder: Path) -> None:
        """`prefix`: of a rig's processes, so that whoever ends these after a crash ends the spinner, too. Raises
        DriverError."""
        self._running: Running = start([sys.executable, "-IS", "-c", _LOOP, f"--file-prefix={prefix}"], folder, {})
        self.pause()
        with suppress(OSError):  # it has ended, or the CPU is gone: who looks at its share of the CPU finds that
            os.sched_setaffinity(self._running.pid, {cpu})

    def pause(self) -> None:
        """Uses no CPU until `resume`. Raises DriverError."""
        pause([self._running])

    def resume(self) -> None:
        """Uses all of its CPU."""
        self._running.signal(signal.SIGCONT)
