"""Whether the time of a measurement is believed: late, doubled and disordered ones are not acted on. And what it adds
to what has stood for some time."""

LATEST_S = 1e12
"""No clock shows more."""


def unbelievable_time(at_s: float, before_s: float | None, now_s: float, late_s: float) -> str | None:
    """Why nothing is done on what was measured at `at_s`; None where its time is believed. All in seconds of one clock;
    `before_s`: when the measurement before was taken; `late_s`: how old one may be."""
    if not -LATEST_S < at_s < LATEST_S:  # NaN is neither
        return "the measurement has no time"
    if now_s - at_s > late_s:
        return f"the measurement is {now_s - at_s:.1f} s old; at most {late_s:g} s are acted on"
    if at_s > now_s + late_s:
        return f"the measurement is from {at_s - now_s:.1f} s ahead; the host's clock is wrong"
    if before_s is not None and at_s <= before_s:
        return (
            "the measurement came twice" if at_s == before_s else f"it is {before_s - at_s:.1f} s older than the last"
        )
    return None


def passed(before_s: float | None, at_s: float, early_s: float, *, early: bool) -> float:
    """Seconds that a measurement adds to what stood at the one before: one, less `early_s`, which early ones have added
    of it already; an early one adds what has passed since the measurement before."""
    left_s = max(0.0, 1.0 - early_s)
    if not early:
        return left_s
    return 0.0 if before_s is None else min(left_s, max(0.0, at_s - before_s))
