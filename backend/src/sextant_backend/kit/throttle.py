"""At most so many a minute: in this process, or in all that stand beside each other."""

import threading
import time
from collections import OrderedDict, deque

import redis
import structlog

from sextant_backend.kit import queue

WINDOW_S = 60
_log = structlog.get_logger()


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


class SharedThrottle:
    """As `ThrottleByKey` for all processes together: they count in Valkey. Where that is away, each for itself.

    A window begins with a key's first call and lasts a minute, so that a key needs two numbers there and not a list.
    """

    def __init__(self, name: str, per_minute: int) -> None:
        """`name`: the same in every process that counts the same."""
        self._name, self._per_minute = name, per_minute
        self._own = ThrottleByKey(per_minute)

    def allow(self, key: str) -> bool:
        """True, and counted, unless the key's minute is full. Waits for Valkey, so not in an event loop."""
        if not self._own.allow(key):
            return False
        counter = f"sextant:throttle:{self._name}:{key}"
        try:
            with queue.client().pipeline() as both:
                both.set(counter, 0, ex=WINDOW_S, nx=True)
                both.incr(counter)
                count = int(both.execute()[1])
        except redis.RedisError as error:
            _log.warning("queue_unavailable", cause=str(error), next="this process counts for itself")
            return True
        return count <= self._per_minute
