"""What else uses each core, beside the host's NFs: the mean by which plans pass cores over (snapshots). Pure.

The mean of the last half minute counts, since a plan stands for longer than a second: a compiler or a backup that runs
is seen within 7 s of a full core, a burst of 5 s is not. Below 20 % it is the system's own, which every core has now
and then. Nothing is said of a core before 10 s of it are known, nor once it was silent for as long as it was known.
"""

from collections.abc import Sequence

from sextant_domain.hosts.telemetry import CoreSample

WINDOW_S = 30.0

Mean = list[float]
"""Core, mean percent, seconds that it is of; as it is stored."""


def followed(known: Sequence[Mean], cores: Sequence[CoreSample], seconds: float) -> list[Mean]:
    """The means once this interval is over; `seconds`: how long it was. Where an interval reports nothing of a core,
    what is known of it ages."""
    seconds = min(seconds, WINDOW_S)
    percents = [core.other_percent for core in cores]
    if [one[0] for one in known] != [core.core for core in cores]:  # seldom: most seconds name the same
        known, percents = _matched(known, cores)
    found: list[Mean] = []
    former_s = of_s = part = 0.0
    for (core, before, since_s), percent in zip(known, percents, strict=True):
        if percent is None:
            if since_s > seconds:
                found.append([core, before, round(since_s - seconds, 2)])
            continue
        if since_s != former_s or not part:  # seldom: most cores are known for as long as the one before
            former_s, of_s = since_s, min(WINDOW_S, since_s + seconds)
            part, of_s = seconds / of_s, round(of_s, 2)
        found.append([core, round(before + (percent - before) * part, 2), of_s])
    return found


def _matched(known: Sequence[Mean], cores: Sequence[CoreSample]) -> tuple[list[Mean], list[float | None]]:
    """All cores that either names, in order: what is known of each, and what is reported."""
    reported = {core.core: core.other_percent for core in cores}
    before = {int(one[0]): one for one in known}
    names = sorted(before.keys() | reported.keys())
    return [before.get(core, [core, 0.0, 0.0]) for core in names], [reported.get(core) for core in names]
