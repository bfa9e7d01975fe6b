"""How much of a measurement went to others: time in which what is measured was ready to run and had no core, as the
kernel counts it for each thread, and time of its cores that a hypervisor gave to other machines."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sextant_agent.machine.thread_time import ThreadTime, thread_times

MOST_LOST = 0.05
"""Of the time. A process that waits makes up for it while its core has room, so that less than this hides nothing; one
that wants all of its core carries as much less, which is what samples of one point differ by anyway."""
STEAL = 7
"""Field of a CPU's line in /proc/stat."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A process whose time is watched."""

    name: str
    """As messages call it."""
    pid: int
    core: int


@dataclass(frozen=True, slots=True)
class CoreTimes:
    """At one moment."""

    at_s: float
    threads: Mapping[Watched, Mapping[int, ThreadTime]]
    """By thread; none where the kernel does not count, or the process is gone."""
    stolen_s: Mapping[int, float]
    """By core, since the machine began."""


@dataclass(frozen=True, slots=True)
class LostTime:
    """The most that any process or core has lost between two moments."""

    part: float
    """Of the time between them."""
    how: str
    """What lost it, in words that a percentage stands behind."""

    @property
    def disturbed(self) -> bool:
        """Too much of it for a figure."""
        return self.part > MOST_LOST

    def __str__(self) -> str:
        return f"{self.how} {100 * self.part:.0f} % of the time"


def core_times(watched: tuple[Watched, ...], root: Path = Path("/")) -> CoreTimes:
    """Now. `root`: where /proc/stat is read."""
    at_s = time.monotonic()
    threads = {one: thread_times((one.pid,)) for one in watched}
    return CoreTimes(at_s, threads, _stolen_s({one.core for one in watched}, root))


def lost_time(before: CoreTimes, after: CoreTimes) -> LostTime | None:
    """None where the kernel does not say how long a process waited. What a process waited while others of those that
    are watched ran on the same core is not lost to anybody else."""
    passed = after.at_s - before.at_s
    if passed <= 0 or not before.threads or not all((*before.threads.values(), *after.threads.values())):
        return None
    ran, waited = ({one: _grown(before, after, one, field) for one in after.threads} for field in ("ran_s", "waited_s"))
    losses = []
    for one in after.threads:
        beside = sum(ran[other] for other in after.threads if other != one and other.core == one.core)
        losses.append(LostTime(max(0.0, waited[one] - beside) / passed, f"{one.name} waited for core {one.core}"))
    for core, stolen in after.stolen_s.items():
        part = (stolen - before.stolen_s.get(core, stolen)) / passed
        losses.append(LostTime(part, f"the hypervisor gave core {core} to others"))
    return max(losses, key=lambda loss: loss.part)


def _grown(before: CoreTimes, after: CoreTimes, one: Watched, field: str) -> float:
    """Of all of its threads that lived all the time."""
    then = before.threads[one]
    return float(
        sum(
            getattr(now, field) - getattr(then[thread], field)
            for thread, now in after.threads[one].items()
            if thread in then
        )
    )


def _stolen_s(cores: set[int], root: Path) -> dict[int, float]:
    """Counted in clock ticks, of which a second has a hundred."""
    ticks, found = os.sysconf("SC_CLK_TCK"), {}
    for line in (root / "proc/stat").read_text().splitlines():
        name, *counted = line.split()
        if name[:3] == "cpu" and name[3:].isdecimal() and int(name[3:]) in cores and len(counted) > STEAL:
            found[int(name[3:])] = int(counted[STEAL]) / ticks
    return found
