"""How long processes are waited for on a host that has no CPU or disk for them: what is slow is not taken for dead."""

import time
from collections.abc import Callable

from sextant_agent.machine.thread_time import ThreadTime, thread_times

MOST = 4.0
"""Times as long as on an idle host; then it is given up."""
HELD_UP = {"R", "D"}
"""States of a thread that waits for a CPU, or has one; and of one that waits for a disk."""


def able_s(then: ThreadTime | None, now: ThreadTime | None, passed_s: float) -> float:
    """Of the time that has passed, how much a thread could have done something in: all of it where nothing is known."""
    if then is None or now is None:
        return passed_s
    if now.state in HELD_UP:
        return min(passed_s, now.ran_s - then.ran_s)
    return max(0.0, passed_s - (now.waited_s - then.waited_s))


class ThreadPatience:
    """With some processes: that of their threads that was held up longest explains what does not happen."""

    def __init__(self, seconds: float, *pids: int) -> None:
        """`seconds`: enough on an idle host."""
        self._seconds = seconds
        self._pids = pids
        self._began = time.monotonic()
        self._then = thread_times(pids)

    @property
    def is_over(self) -> bool:
        """They could have done it by now."""
        passed = time.monotonic() - self._began
        if passed <= self._seconds:
            return False
        now = thread_times(self._pids)
        able = [able_s(then, now.get(thread), passed) for thread, then in self._then.items() if thread in now]
        return passed > MOST * self._seconds or min(able, default=passed) > self._seconds

    def wait_until(self, condition: Callable[[], bool]) -> bool:
        """True as soon as it holds; False where patience ended before."""
        while not condition():
            if self.is_over:
                return False
            time.sleep(0.02)
        return True
