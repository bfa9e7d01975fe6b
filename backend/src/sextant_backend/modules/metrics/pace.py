"""When whoever scrapes will scrape next: Prometheus asks every so many seconds, and two of it in turn."""

LONGEST_S = 300.0
"""A pause above it is none of a scrape's: Prometheus itself takes figures for gone after five minutes."""


class Pace:
    """Of the requests to one process. Not for several threads at once."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._pause: float | None = None

    def asked(self, at: float, kept_s: float) -> float | None:
        """The moment of the next request, after one at `at` (seconds of any clock that never goes back); None where the
        last two pauses differ by more than half of `kept_s`, so that nobody is known to come. Requests within `kept_s`
        of one another are one: an answer is given again for so long."""
        if self._last is not None and at - self._last < kept_s:
            return None
        pause = None if self._last is None else at - self._last
        former, self._pause, self._last = self._pause, pause, at
        if pause is None or former is None or pause > LONGEST_S or abs(pause - former) > kept_s / 2:
            return None
        return at + pause
