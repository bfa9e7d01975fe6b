"""At most so many a minute, in this process."""

import threading
import time
from collections import OrderedDict, deque


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


class ThrottleByKey:
    """The same for every key by itself; of more than `most_keys` the one asked for longest ago is forgotten."""

    def __init__(self, per_minute: int, most_keys: int = 4096) -> None:
        self._per_minute, self._most_keys = per_minute, most_keys
        self._throttles: OrderedDict[str, Throttle] = OrderedDict()
        self._lock = threading.Lock()

    def allow(self, key: str) -> bool:
        """True, and counted, unless the key's minute is full."""
        with self._lock:
            throttle = self._throttles.pop(key, None) or Throttle(self._per_minute)
            self._throttles[key] = throttle
            if len(self._throttles) > self._most_keys:
                self._throttles.popitem(last=False)
        return throttle.allow()
