"""At most so many a minute, in this process."""

import threading
import time
from collections import deque


class Throttle:
    """Allows `per_minute` calls in any 60 seconds; safe between threads."""

    def __init__(self, per_minute: int) -> None:
        self._times: deque[float] = deque(maxlen=per_minute)
        self._lock = threading.Lock()

    def allow(self) -> bool:
        """True, and counted, unless the minute is full."""
        now = time.monotonic()
        with self._lock:
            if len(self._times) == self._times.maxlen and now - self._times[0] < 60:
                return False
            self._times.append(now)
            return True
