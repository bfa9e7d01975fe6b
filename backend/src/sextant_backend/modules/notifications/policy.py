"""When a message is tried again: pure, with the random draw passed in."""

MOST_ATTEMPTS = 8
FIRST_DELAY_S = 10.0
MOST_DELAY_S = 900.0
GROUP_WAIT_S = 10.0
"""So long a message waits for further alerts of its kind before it is sent."""


def delay_s(attempts: int, draw: float, asked_s: float | None = None) -> float | None:
    """Seconds until the next attempt after so many; None where there is none.

    10, 20, 40 ... 640 s, of which the draw (0 to 1) takes up to half, so that receivers that come back are not met by
    all messages at once. `asked_s`: what the receiver asked for (Retry-After), where that is longer; 15 min at most.
    """
    if attempts >= MOST_ATTEMPTS:
        return None
    doubled = min(FIRST_DELAY_S * 2.0 ** (attempts - 1), MOST_DELAY_S)
    return max(doubled * (1.0 - 0.5 * draw), min(asked_s or 0.0, MOST_DELAY_S))
